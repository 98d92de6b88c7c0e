import { describe, expect, test } from "vitest";
import { createTopic } from "../../../src/api/operations/endpoints.ts";
import {
  type AmpError,
  AuthError,
  ConflictError,
  NotFoundError,
  PartialError,
  RejectedError,
  ServiceError,
} from "../../../src/errors.ts";
import { fake, networkError, problem, type Reply } from "../fake-service.ts";

async function create(reply: Reply) {
  const service = fake(reply);
  const outcome: unknown = await service.api
    .call(createTopic, { path: { projectIdOrName: "p" }, body: { name: "ops" } })
    .catch((error: unknown) => error);
  return { outcome, error: outcome as AmpError, sent: service.requests.length };
}

const throwing = (error: Error) => (): Response => {
  throw error;
};

describe("a create that succeeds", () => {
  test.each([
    { id: "t1" },
    { id: "t1", name: null, more: [1] },
    { id: " 7 ", name: "ops", projectId: "p", createTime: "2026-01-01T00:00:00Z" },
  ])("answers the record as it came: %j", async (record) => {
    for (const status of [200, 201, 202]) {
      const { outcome } = await create(() => Response.json(record, { status }));
      expect(outcome).toEqual(record);
    }
  });

  test("may have an odd field: it was created", async () => {
    const { outcome } = await create(() => Response.json({ id: "t1", name: { first: "ops" } }));
    expect(outcome).toEqual({ id: "t1", name: '{"first":"ops"}' });
  });

  test("with a number as ID has all digits of it", async () => {
    const { outcome } = await create(() => new Response('{"id":9007199254740993}'));
    expect(outcome).toEqual({ id: "9007199254740993" });
  });

  test("with a number as ID has that ID, as a string", async () => {
    const { outcome } = await create(() => Response.json({ id: 42, more: true }));
    expect(outcome).toEqual({ id: "42", more: true });
  });
});

describe("a create with an unknown outcome", () => {
  test.each<[string, Reply, object]>([
    ["200 as a web page", () => new Response("<html>hi</html>"), { detail: "<html>hi</html>" }],
    ["201 truncated", () => new Response('{"id":"t', { status: 201 }), { detail: '{"id":"t' }],
    [
      "500",
      () => problem(500, { detail: "boom", requestId: "r1" }),
      { detail: "boom", status: 500 },
    ],
    ["502 from a proxy", () => new Response("Bad Gateway", { status: 502 }), { status: 502 }],
    ["503 that asks to come back", () => problem(503, {}, { "retry-after": "1" }), { status: 503 }],
    ["504", () => problem(504), { status: 504 }],
    ["408", () => problem(408), { status: 408 }],
    ["a redirect", () => Response.redirect("https://x.example/", 307), { status: 307 }],
    ["an unusual refusal", () => problem(418), { status: 418 }],
    ["a reset", throwing(networkError("ECONNRESET")), {}],
    ["a closed socket", throwing(networkError("UND_ERR_SOCKET")), {}],
    ["an unknown failure", throwing(new TypeError("fetch failed")), {}],
    ["a failure without a name", throwing(new Error("?")), {}],
    ["200 with a list", () => Response.json([{ id: "t1" }]), { status: 200 }],
    ["200 with a text alone", () => Response.json("t1"), { detail: '"t1"' }],
    ["200 with null", () => Response.json(null), { status: 200 }],
    ["201 with a problem", () => Response.json({ status: 500 }, { status: 201 }), { status: 201 }],
    ["202 without an ID", () => Response.json({ name: "ops" }, { status: 202 }), { status: 202 }],
    ["207 without an ID", () => Response.json({ results: [] }, { status: 207 }), { status: 207 }],
  ])("after %s is said to be so, and it is sent once", async (_, reply, facts) => {
    const { error, sent } = await create(reply);
    expect(error).toBeInstanceOf(PartialError);
    expect(error.message).toMatch(/^It is unknown whether the topic was created: /u);
    expect(error.facts.done).toBe("The topic may exist. The request was not sent again.");
    expect(error.facts).toMatchObject(facts);
    expect(sent).toBe(1);
  });
});

describe("a create whose ID was not told", () => {
  test.each<[string, Reply, object]>([
    ["201 empty", () => new Response(null, { status: 201 }), { status: 201 }],
    ["204", () => new Response(null, { status: 204 }), { status: 204 }],
    ["201 with a list", () => Response.json([{ id: "t1" }], { status: 201 }), { status: 201 }],
    ["200 without an ID", () => Response.json({ name: "ops" }), { detail: '{"name":"ops"}' }],
    ["200 with an empty ID", () => Response.json({ id: "" }), { detail: '{"id":""}' }],
    ["200 with a null ID", () => Response.json({ id: null }), { status: 200 }],
  ])("is said to be created after %s, and is sent once", async (_, reply, facts) => {
    const { error, sent } = await create(reply);
    expect(error).toBeInstanceOf(PartialError);
    expect(error.message).toMatch(/^The topic was created, but the response has no ID \(20\d\)$/u);
    expect(error.facts.done).toBe("The topic exists. The request was not sent again.");
    expect(error.facts).toMatchObject(facts);
    expect(sent).toBe(1);
  });
});

describe("a create that did not happen", () => {
  test.each([
    [400, RejectedError, "The service refused the topic (400)"],
    [401, AuthError, "The service did not accept the credential (401)"],
    [403, AuthError, "The credential is not allowed to create the topic (403)"],
    [404, NotFoundError, "Could not create the topic: not found (404)"],
    [410, NotFoundError, "Could not create the topic: gone (410)"],
    [405, RejectedError, "The service refused the topic (405)"],
    [
      409,
      ConflictError,
      "The service refused the topic: it conflicts with an existing resource (409)",
    ],
    [413, RejectedError, "The service refused the topic (413)"],
    [415, RejectedError, "The service refused the topic (415)"],
    [422, RejectedError, "The service refused the topic (422)"],
    [425, ServiceError, "The service is temporarily unavailable (425)"],
    [429, ServiceError, "Too many requests: the service limits the rate (429)"],
  ])("after %i says so", async (status, kind, message) => {
    const { error, sent } = await create(() => problem(status));
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toBe(message);
    expect(error.facts.done).toBe("Nothing was created.");
    // Turned away for the moment: once more is right, for nothing was done.
    expect(sent).toBe([425, 429].includes(status) ? 3 : 1);
  });

  test.each<[string, Reply]>([
    ["was turned away", () => problem(429, {}, { "retry-after": "0" })],
    ["never left", throwing(networkError("ECONNREFUSED"))],
  ])("because it %s comes about the next time, with the same key", async (_, first) => {
    const service = fake((request, nth) =>
      nth === 1 ? first(request, nth) : Response.json({ id: "t1" }, { status: 201 }),
    );
    const path = { projectIdOrName: "p" };
    const input = { path, body: { name: "ops" }, idempotencyKey: "k-1" };
    expect(await service.api.call(createTopic, input)).toEqual({ id: "t1" });
    expect(service.requests.map(({ headers }) => headers.get("idempotency-key"))).toEqual([
      "k-1",
      "k-1",
    ]);
    expect(service.bodies).toEqual(['{"name":"ops"}', '{"name":"ops"}']);
  });

  test("is left to the caller who wants to send it again himself", async () => {
    const service = fake(() => problem(429));
    const path = { projectIdOrName: "p" };
    const call = service.api.call(createTopic, {
      path,
      body: { name: "ops" },
      singleAttempt: true,
    });
    await expect(call).rejects.toThrow(ServiceError);
    expect(service.requests).toHaveLength(1);
  });

  test("is not sent again where the problem says so", async () => {
    const { error, sent } = await create(() => problem(429, { retryable: false }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(sent).toBe(1);
  });

  test.each([
    ["ECONNREFUSED", "connection refused", true],
    ["ENOTFOUND", "host not found", true],
    ["EAI_AGAIN", "the host name could not be resolved", true],
    ["UND_ERR_CONNECT_TIMEOUT", "the connection timed out", true],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "its TLS certificate is self-signed", false],
    ["CERT_HAS_EXPIRED", "its TLS certificate has expired", false],
    ["CERT_SIGNATURE_FAILURE", "its TLS certificate is not trusted", false],
    [
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
      "its TLS certificate is signed by an unknown authority",
      false,
    ],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "its TLS certificate is for another host", false],
  ])("for %s never left this machine", async (code, reason, retryable) => {
    const { error, sent } = await create(throwing(networkError(code)));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toContain(`Could not reach api.example.com: ${reason}`);
    expect(error.facts).toMatchObject({ done: "Nothing was created.", retryable });
    expect(sent).toBe(retryable ? 3 : 1);
  });

  test("for a time-out while connecting was not sent either", async () => {
    const { error } = await create(throwing(networkError("ETIMEDOUT", { syscall: "connect" })));
    expect(error).toBeInstanceOf(ServiceError);
  });
});
