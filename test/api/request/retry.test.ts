import { describe, expect, test } from "vitest";
import {
  listProviderApps,
  listTopics,
  revokeInvite,
} from "../../../src/api/operations/endpoints.ts";
import {
  type AttemptOutcome,
  createRateGate,
  outcomeOfStatus,
  requestedDelay,
  retryDelay,
  ruleFor,
} from "../../../src/api/request/retry.ts";
import { NotFoundError, ServiceError } from "../../../src/errors.ts";
import { fake, networkError, problem, type Reply } from "../fake-service.ts";

const list = (service: ReturnType<typeof fake>) =>
  service.api.call(listTopics, { path: { projectIdOrName: "p" } });
const revoke = (service: ReturnType<typeof fake>) =>
  service.api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } });

/** One reply after the other. */
function inTurn(...replies: (() => Response)[]): Reply {
  return (_, nth) => {
    const reply = replies[nth - 1];
    if (!reply) throw new Error("one request too many");
    return reply();
  };
}

const failing = (code: string) => () => {
  throw networkError(code);
};

describe("a read or a delete", () => {
  test.each([408, 425, 429, 500, 502, 503, 504])("is sent again after %i", async (status) => {
    const service = fake(
      inTurn(
        () => problem(status),
        () => problem(status),
        () => Response.json([]),
      ),
    );
    expect(await list(service)).toEqual([]);
    expect(service.retries.map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(service.notes.map((note) => note.status)).toEqual([status, status, 200]);
  });

  test.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ECONNRESET", "UND_ERR_SOCKET"])(
    "is sent again after %s",
    async (code) => {
      const service = fake(inTurn(failing(code), () => new Response(null, { status: 204 })));
      await revoke(service);
      expect(service.requests).toHaveLength(2);
      expect(service.notes[0]?.failure).toBeTruthy();
    },
  );

  test("is given up after three attempts", async () => {
    const service = fake(() => problem(503, { detail: "tired" }));
    const error = await list(service).catch((e) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe("The service failed to list the topics (503)");
    expect(error.facts.detail).toBe("tired");
    expect(service.requests).toHaveLength(3);
  });

  test.each([400, 401, 403, 404, 405, 409, 413, 415, 422, 501, 421])(
    "is final after %i",
    async (status) => {
      const service = fake(() => problem(status));
      // After a 404, amp also asks for the projects, to suggest one.
      const call = service.api.call(listProviderApps, { path: { projectIdOrName: "p" } });
      await expect(call).rejects.toThrow();
      const repeated = service.requests.filter(({ url }) => url.includes("provider-apps"));
      expect(repeated).toHaveLength(1);
    },
  );

  test("is final where the problem says so; `retryable: true` alone repeats nothing", async () => {
    const never = fake(() => problem(503, { retryable: false }));
    await expect(list(never)).rejects.toThrow(ServiceError);
    expect(never.requests).toHaveLength(1);

    const refused = fake(() => problem(422, { retryable: true }));
    await expect(list(refused)).rejects.toThrow();
    expect(refused.requests).toHaveLength(1);
  });

  test("is final where the certificate is wrong", async () => {
    const service = fake(failing("CERT_HAS_EXPIRED"));
    await expect(list(service)).rejects.toThrow("certificate");
    expect(service.requests).toHaveLength(1);
  });

  test("is not sent again where the server wants a long wait", async () => {
    const service = fake(() => problem(429, {}, { "retry-after": "3600" }));
    const error = await list(service).catch((e) => e);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.exit).toBe("service");
    expect(error.facts.retryAfter).toBe("2026-01-02T04:04:05.000Z");
    expect(error.facts.remedy).toBe("amp waits at most 60 s; change that with AMP_MAX_WAIT.");
    expect(service.requests).toHaveLength(1);
  });

  test("finds its work done where the first answer was lost", async () => {
    const service = fake(inTurn(failing("ECONNRESET"), () => problem(404)));
    expect(await revoke(service)).toBeUndefined();
  });

  test.each([
    ["was turned away", () => problem(429)],
    ["never arrived", failing("ECONNREFUSED")],
  ])("finds nothing where the first attempt %s", async (_, first) => {
    const service = fake(inTurn(first, () => problem(404)));
    await expect(revoke(service)).rejects.toThrow(NotFoundError);
  });
});

/** The table of what is tried again, as it was agreed. */
test.each<[AttemptOutcome, string, string]>([
  ["unsent", "again", "again"],
  ["untrusted", "final", "final"],
  ["lost", "again", "unknown"],
  ["oversize", "final", "unknown"],
  ["done", "final", "final"],
  ["busy", "again", "again"],
  ["failing", "again", "unknown"],
  ["refused", "final", "final"],
  ["redirected", "follow", "unknown"],
  ["other", "final", "unknown"],
])("the decision after a failure: %s", (happening, safe, unsafe) => {
  expect(ruleFor(happening, "safe")).toBe(safe);
  expect(ruleFor(happening, "unsafe")).toBe(unsafe);
});

test.each<[AttemptOutcome, number[]]>([
  ["done", [200, 201, 202, 204, 299]],
  ["redirected", [300, 301, 302, 303, 304, 307, 308]],
  ["busy", [425, 429]],
  ["failing", [408, 500, 502, 503, 504]],
  ["refused", [400, 401, 403, 404, 405, 409, 410, 413, 415, 422]],
  ["other", [402, 418, 421, 451, 501, 505, 599]],
])("%s is what these statuses mean: %j", (happening, statuses) => {
  expect(statuses.map(outcomeOfStatus)).toEqual(statuses.map(() => happening));
});

describe("the retry budget", () => {
  test.each([
    [0, 1],
    [1, 2],
    [5, 6],
  ])("is %i where that is said", async (retries, requests) => {
    const service = fake(() => problem(503), { retries });
    await expect(list(service)).rejects.toThrow(ServiceError);
    expect(service.requests).toHaveLength(requests);
  });

  test("has ten retries for all requests of a process", async () => {
    const rateGate = createRateGate(() => 0);
    const services = Array.from({ length: 8 }, () => fake(() => problem(503), { rateGate }));
    await Promise.allSettled(services.map(list));
    const sent = services.reduce((sum, { requests }) => sum + requests.length, 0);
    expect(sent).toBe(8 + 10);
  });
});

describe("the wait before a retry", () => {
  const standing = { retry: 1, leftMs: 1e6, maxWaitMs: 60_000, askedMs: undefined, random: 1 };

  test("grows with jitter up to a limit", () => {
    expect([1, 2, 3, 9].map((retry) => retryDelay({ ...standing, retry }))).toEqual([
      250, 500, 1000, 8000,
    ]);
    expect(retryDelay({ ...standing, retry: 2, random: 0.5 })).toBe(250);
  });

  test("is at least what the server asks for, up to the longest that is waited", () => {
    expect(retryDelay({ ...standing, askedMs: 7_000 })).toBe(7_000);
    expect(retryDelay({ ...standing, askedMs: 7 })).toBe(250);
    expect(retryDelay({ ...standing, askedMs: 60_000 })).toBe(60_000);
    expect(retryDelay({ ...standing, askedMs: 60_001 })).toBeUndefined();
    expect(retryDelay({ ...standing, askedMs: 1_001, maxWaitMs: 1_000 })).toBeUndefined();
  });

  test("fits into the time that is left, unless the server asked for it", () => {
    expect(retryDelay({ ...standing, leftMs: 250 })).toBeUndefined();
    expect(retryDelay({ ...standing, leftMs: 251 })).toBe(250);
    expect(retryDelay({ ...standing, leftMs: 251, askedMs: 500 })).toBe(500);
    expect(retryDelay({ ...standing, leftMs: 0, random: 0 })).toBeUndefined();
  });

  test("is the later of header and problem, by the server's clock", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    const ask = (headers: Record<string, string>, body?: string) =>
      requestedDelay(new Headers(headers), body, now);
    expect(ask({})).toBeUndefined();
    expect(ask({ "retry-after": "soon" }, "later")).toBeUndefined();
    expect(ask({ "retry-after": "3" })).toBe(3_000);
    expect(ask({ "retry-after": "Thu, 01 Jan 2026 00:00:05 GMT" })).toBe(5_000);
    expect(ask({ "retry-after": "3" }, "2026-01-01T00:00:09Z")).toBe(9_000);
    expect(ask({ "retry-after": "30" }, "2026-01-01T00:00:09Z")).toBe(30_000);
    expect(ask({}, "2020-01-01T00:00:00Z")).toBe(0);
    const last = Date.UTC(9999, 11, 31) - now;
    expect(ask({ "retry-after": "99999999999999999999" })).toBe(last);
    expect(ask({ "retry-after": "9".repeat(400) })).toBe(last);
    expect(ask({}, "+275760-09-13T00:00:00Z")).toBe(last);
    // The server is a day ahead: its own time says that two seconds are meant.
    const ahead = { date: "Fri, 02 Jan 2026 00:00:00 GMT" };
    expect(ask(ahead, "2026-01-02T00:00:02Z")).toBe(2_000);
  });
});
