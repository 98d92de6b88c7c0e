import { describe, expect, test } from "vitest";
import { createTopic, listTopics, revokeInvite } from "../../../src/api/operations/endpoints.ts";
import {
  type AmpError,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
  TimeoutError,
} from "../../../src/errors.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { closedPort } from "../../hosts.ts";
import { type Fake, fake, serve } from "../fake-service.ts";

const path = { projectIdOrName: "p" };

const CALLS = {
  read: (service: Fake) => service.api.call(listTopics, { path }),
  delete: (service: Fake) =>
    service.api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } }),
  create: (service: Fake) => service.api.call(createTopic, { path, body: { name: "ops" } }),
};

async function failure(call: Promise<unknown>): Promise<AmpError> {
  return (await call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error,
  )) as AmpError;
}

describe("a connection that is reset after the headers", () => {
  const server = () =>
    serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
      response.write("[", () => response.socket?.resetAndDestroy());
    });

  test("is tried again for a read", async () => {
    const { baseUrl, served } = await server();
    const error = await failure(CALLS.read(fake(undefined, { baseUrl })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toMatch(/^Could not list the topics: the (?:connection|response) /u);
    expect(served()).toBe(3);
  });

  test("leaves a create unknown", async () => {
    const { baseUrl, served } = await server();
    const error = await failure(CALLS.create(fake(undefined, { baseUrl })));
    expect(error).toBeInstanceOf(PartialError);
    expect(served()).toBe(1);
  });
});

describe("a body shorter than promised", () => {
  test("is retried for a read", async () => {
    const { baseUrl, served } = await serve((_, response, nth) => {
      response.setHeader("content-type", "application/json");
      if (nth > 1) return response.end("[]");
      response.writeHead(200, { "content-length": "100" });
      response.write('[{"id":"t1"', () => response.socket?.end());
    });
    expect(await CALLS.read(fake(undefined, { baseUrl }))).toEqual([]);
    expect(served()).toBe(2);
  });

  test("leaves a create unknown, though it looked fine", async () => {
    const { baseUrl, served } = await serve((_, response) => {
      response.writeHead(201, { "content-type": "application/json" });
      response.write('{"id":"t1"}', () => response.socket?.destroy());
    });
    const error = await failure(CALLS.create(fake(undefined, { baseUrl })));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.facts.done).toBe("The topic may exist. The request was not sent again.");
    expect(served()).toBe(1);
  });
});

describe("a server that is not there", () => {
  test.each(["read", "delete", "create"] as const)("fails a %s before it is sent", async (kind) => {
    const baseUrl = `http://${await closedPort()}/v1`;
    const service = fake(undefined, { baseUrl });
    const error = await failure(CALLS[kind](service));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe(`Could not reach ${new URL(baseUrl).host}: connection refused`);
    const { port } = new URL(baseUrl);
    expect(suggestedLines(error.facts.suggestion)).toEqual([`amp sandbox start --port ${port}`]);
    expect(service.notes).toHaveLength(3);
  });

  test.each([
    ["http://127.0.0.1:4747/v1", ["amp sandbox start"]],
    ["http://[::1]:4748/v1", ["amp sandbox start --port 4748"]],
    ["http://service.example:4748/v1", []],
  ])(
    "suggests the sandbox on this machine, at the port that was asked: %s",
    async (baseUrl, lines) => {
      const refused = () => Promise.reject(Object.assign(new Error(), { code: "ECONNREFUSED" }));
      const error = await failure(CALLS.create(fake(refused, { baseUrl })));
      expect(suggestedLines(error.facts.suggestion ?? [])).toEqual(lines);
      const isUsualPort = baseUrl.includes(":4747");
      expect(error.facts.remedy?.includes("If the sandbox has another port") ?? false).toBe(
        isUsualPort,
      );
    },
  );
});

test("a CI job is not told to start the sandbox", async () => {
  const refused = () => Promise.reject(Object.assign(new Error(), { code: "ECONNREFUSED" }));
  const more = { baseUrl: "http://127.0.0.1:4747/v1", sources: { isCi: true } };
  const { facts } = await failure(CALLS.read(fake(refused, more)));
  expect([facts.suggestion, facts.remedy]).toEqual([undefined, undefined]);
});

describe("a server that says nothing", () => {
  test.each([
    ["read", TimeoutError, 3, " (3 attempts)"],
    ["delete", TimeoutError, 3, " (3 attempts)"],
    ["create", PartialError, 1, ""],
  ] as const)("times out a %s", async (kind, type, attempts, often) => {
    const { baseUrl, served } = await serve(() => {});
    const error = await failure(CALLS[kind](fake(undefined, { baseUrl, timeoutMs: 150 })));
    expect(error).toBeInstanceOf(type);
    expect(error.message.toLowerCase()).toContain(
      `${new URL(baseUrl).host} did not answer within 0.15 s${often}`,
    );
    expect(served()).toBe(attempts);
  });

  test("a read whose first request times out is sent again", async () => {
    const { baseUrl, served } = await serve((_, response, nth) => {
      if (nth > 1) response.setHeader("content-type", "application/json").end("[]");
    });
    expect(await CALLS.read(fake(undefined, { baseUrl, timeoutMs: 300 }))).toEqual([]);
    expect(served()).toBeGreaterThan(1);
  });

  test("in the middle of its answer times out just the same", async () => {
    const { baseUrl } = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write("[");
    });
    const error = await failure(CALLS.read(fake(undefined, { baseUrl, timeoutMs: 150 })));
    expect(error).toBeInstanceOf(TimeoutError);
  });
});

describe("a signal", () => {
  test.each([
    ["SIGINT", InterruptedError],
    ["SIGTERM", TerminatedError],
    ["SIGHUP", TerminatedError],
  ] as const)("%s breaks a request off", async (name, type) => {
    const controller = new AbortController();
    const { baseUrl, served } = await serve(() => controller.abort(name));
    const service = fake(undefined, { baseUrl, signal: controller.signal });
    const error = await failure(CALLS.create(service));
    expect(error).toBeInstanceOf(type);
    expect(error.facts.done).toBe("The topic may exist. The request was not sent again.");
    expect(served()).toBe(1);
  });

  test("that came earlier lets nothing go out", async () => {
    const signal = AbortSignal.abort("SIGINT");
    const { baseUrl, served } = await serve((_, response) => response.end("{}"));
    const error = await failure(CALLS.create(fake(undefined, { baseUrl, signal })));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(served()).toBe(0);
    expect(error.facts.done).toBe("Nothing was created.");
  });

  test("ends the wait before a retry", async () => {
    const controller = new AbortController();
    const { baseUrl, served } = await serve((_, response) => {
      response.writeHead(503, { "retry-after": "30" }).end();
    });
    const service = fake(undefined, {
      baseUrl,
      signal: controller.signal,
      onRetry: () => setImmediate(() => controller.abort("SIGINT")),
    });
    expect(await failure(CALLS.read(service))).toBeInstanceOf(InterruptedError);
    expect(served()).toBe(1);
  });
});
