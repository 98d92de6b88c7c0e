import { describe, expect, test } from "vitest";
import { createTopic, listTopics } from "../../../src/api/operations/endpoints.ts";
import { createRateGate } from "../../../src/api/request/retry.ts";
import { type AmpError, InterruptedError, ServiceError } from "../../../src/errors.ts";
import { type Fake, fake, serve } from "../fake-service.ts";

const path = { projectIdOrName: "p" };
const read = (service: Fake) => service.api.call(listTopics, { path });

/**
 * A service that turns the first request away for a moment, and counts those that come before it is
 * over. What was on its way already is none of them.
 */
async function busyService(retryAfter: Record<string, string>, forMs: number) {
  let opens = 0;
  let early = 0;
  const server = await serve((request, response, nth) => {
    if (nth === 1) {
      opens = performance.now() + forMs;
      response.writeHead(429, retryAfter).end();
      return;
    }
    if (performance.now() < opens) early += 1;
    response.setHeader("content-type", "application/json");
    response.end(request.method === "POST" ? '{"id":"t1"}' : "[]");
  });
  return { ...server, early: () => early };
}

describe("a request that is turned away", () => {
  test("holds back all others of the process until then", async () => {
    const { baseUrl, served, early } = await busyService({ "retry-after": "1" }, 1_000);
    const rateGate = createRateGate();
    const told = Promise.withResolvers<void>();
    const more = { baseUrl, rateGate, random: Math.random, onRetry: () => told.resolve() };
    const first = read(fake(undefined, more));
    await told.promise;
    // Other clients too: they share the rate gate and nothing else.
    const reads = Array.from({ length: 5 }, () => read(fake(undefined, more)));
    const creates = Array.from({ length: 5 }, () =>
      fake(undefined, more).api.call(createTopic, {
        path,
        body: { name: "ops" },
        singleAttempt: true,
      }),
    );
    await Promise.all([first, ...reads, ...creates]);
    expect(served()).toBe(12);
    expect(early()).toBe(0);
  });

  test("holds back those that were never told, the time being the problem's", async () => {
    const rateGate = createRateGate(() => 0);
    const later = () => new Date(Date.now() + 400).toISOString();
    const refusing = fake(
      (_, nth) =>
        nth === 1 ? Response.json({ retryAfter: later() }, { status: 425 }) : Response.json([]),
      { rateGate, retries: 0 },
    );
    await expect(read(refusing)).rejects.toThrow(ServiceError);
    expect(rateGate.blockedFor("https://api.example.com")).toBeGreaterThan(0);
    const other = fake(() => Response.json([]), { rateGate });
    await read(other);
    expect(rateGate.blockedFor("https://api.example.com")).toBe(0);
  });

  test("does not hold back requests to another service", async () => {
    const rateGate = createRateGate();
    rateGate.blockFor("https://api.example.com", 60_000);
    const elsewhere = fake(() => Response.json([]), {
      rateGate,
      baseUrl: "https://other.example/v1",
    });
    expect(await read(elsewhere)).toEqual([]);
  });

  test("for longer than one waits, lets no other go and says when to come back", async () => {
    const rateGate = createRateGate();
    rateGate.blockFor("https://api.example.com", 3_600_000);
    const service = fake(() => Response.json([]), { rateGate });
    const error: AmpError = await read(service).then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    expect(error.exit).toBe("service");
    expect(error.message).toBe(
      "Could not list the topics: the service limits the rate of requests",
    );
    expect(error.facts.done).toBe("Nothing was sent.");
    expect(error.facts.retryAfter).toMatch(/^2026-01-02T04:04:0/u);
    expect(service.requests).toHaveLength(0);
  });
});

describe("a request that is held back", () => {
  const held = () => {
    const rateGate = createRateGate();
    rateGate.blockFor("https://api.example.com", 30_000);
    return rateGate;
  };

  test("ends at once with its signal, and was not sent", async () => {
    const controller = new AbortController();
    const service = fake(() => Response.json([]), { rateGate: held(), signal: controller.signal });
    const reading = read(service);
    setImmediate(() => controller.abort("SIGINT"));
    await expect(reading).rejects.toThrow(InterruptedError);
    expect(service.requests).toEqual([]);
  });

  test("as a create with a signal of its own ends with the client's, certainly not sent", async () => {
    const controller = new AbortController();
    const service = fake(() => Response.json({ id: "t" }), {
      rateGate: held(),
      signal: controller.signal,
    });
    const creating = service.api.call(createTopic, {
      path,
      body: { name: "ops" },
      signal: new AbortController().signal,
    });
    setImmediate(() => controller.abort("SIGINT"));
    const error: AmpError = await creating.then(
      () => expect.unreachable(),
      (thrown) => thrown,
    );
    // Nothing is unknown here, as it would be of one that was broken off.
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.facts).toMatchObject({
      retryable: true,
      done: "Nothing was sent. Nothing was created.",
    });
    expect(service.requests).toEqual([]);
  });
});

describe("the rate gate", () => {
  test("is held by the longest that was asked for, and spreads those that waited", async () => {
    const draws: number[] = [];
    const rateGate = createRateGate(() => draws.push(0) && 0);
    rateGate.blockFor("a", 80);
    rateGate.blockFor("a", 10);
    expect(rateGate.blockedFor("a")).toBeGreaterThan(10);
    const signal = new AbortController().signal;
    await Promise.all([
      rateGate.waitUntilOpen("a", signal),
      rateGate.waitUntilOpen("a", signal),
      rateGate.waitUntilOpen("b", signal),
    ]);
    expect(rateGate.blockedFor("a")).toBe(0);
    // One draw for each that waited, however often; none for the one that did not have to.
    expect(draws.length).toBeGreaterThanOrEqual(2);
  });

  test("waits once more where it was held again meanwhile", async () => {
    const rateGate = createRateGate(() => 0);
    rateGate.blockFor("a", 50);
    const entered = rateGate.waitUntilOpen("a", new AbortController().signal);
    rateGate.blockFor("a", 150);
    await entered;
    expect(rateGate.blockedFor("a")).toBe(0);
  });

  test("allows ten retries per run", () => {
    const rateGate = createRateGate();
    expect(Array.from({ length: 12 }, () => rateGate.takeRetry())).toEqual([
      ...Array.from({ length: 10 }, () => true),
      false,
      false,
    ]);
  });
});
