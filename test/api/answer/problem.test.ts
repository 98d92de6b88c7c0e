import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createTopic,
  listInvites,
  listProviderApps,
} from "../../../src/api/operations/endpoints.ts";
import {
  AmpError,
  AuthError,
  ConflictError,
  NotFoundError,
  RejectedError,
  ServiceError,
} from "../../../src/errors.ts";
import { registerSecret } from "../../../src/secrets/secret.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { fake, problem, type Reply } from "../fake-service.ts";

async function refusal(reply: Reply): Promise<AmpError> {
  const { api } = fake(reply);
  return (await api
    .call(listProviderApps, { path: { projectIdOrName: "p" } })
    .catch((error: unknown) => error)) as AmpError;
}

test("a missing project leads to the list of projects", async () => {
  const { facts } = await refusal(() => problem(404));
  expect(suggestedLines(facts.suggestion)).toEqual(["amp projects list"]);
});

test.each([
  [400, RejectedError, "The service refused to list the provider apps (400)"],
  [401, AuthError, "The service did not accept the credential (401)"],
  [403, AuthError, "The credential is not allowed to list the provider apps (403)"],
  [404, NotFoundError, 'Could not list the provider apps: project "p" not found (404)'],
  [410, NotFoundError, "Could not list the provider apps: gone (410)"],
  [405, RejectedError, "The service refused to list the provider apps (405)"],
  [408, ServiceError, "Could not list the provider apps: the service timed out (408)"],
  [
    409,
    ConflictError,
    "The service refused to list the provider apps: it conflicts with an existing resource (409)",
  ],
  [422, RejectedError, "The service refused to list the provider apps (422)"],
  [429, ServiceError, "Too many requests: the service limits the rate (429)"],
  [451, RejectedError, "The service refused to list the provider apps (451)"],
  [500, ServiceError, "The service failed to list the provider apps (500)"],
  [599, ServiceError, "The service failed to list the provider apps (599)"],
  [304, ServiceError, "The service answered with a redirect (304)"],
])("%i", async (status, kind, message) => {
  const error = await refusal(() =>
    status === 304 ? new Response(null, { status }) : problem(status, { retryable: false }),
  );
  expect(error).toBeInstanceOf(kind);
  expect(error.message).toBe(message);
  expect(error.facts.status).toBe(status);
});

test.each([
  ["context", { title: "No", context: { plan: "free", token: "hidden-1", awsSecretKey: 71234 } }],
  ["a field that nobody knows", { title: "No", request: { headers: { "x-api-key": "hidden-1" } } }],
  ["the value of an issue", { issues: [{ name: "secrets.apiKey", value: "hidden-1" }] }],
  ["no problem document", { plan: "free", bearerToken: "hidden-1" }],
  ["a list", [{ secret_key: "hidden-1" }]],
])("a secret by its name is never in an error: %s", async (_, body) => {
  const { facts } = await refusal(() => Response.json(body, { status: 422 }));
  const shown = JSON.stringify(facts);
  expect(shown).toContain("[redacted]");
  expect(shown).not.toMatch(/hidden-1|71234/u);
});

test("every field of a problem document arrives", async () => {
  const error = await refusal(() =>
    problem(
      422,
      {
        type: "https://errors.example/invalid",
        href: "https://docs.example/invalid",
        title: "Invalid input",
        detail: "the project name is too long",
        instance: "/errors/1",
        subsystem: "api",
        time: "2026-01-02T03:04:04Z",
        requestId: "89eb1ffb-55d1#87715",
        causes: ["length", "", "charset"],
        remedy: "Use the ID.",
        supportEmail: "help@example.com",
        supportPhone: "+1",
        supportUrl: "https://help.example",
        retryable: true,
        retryAfter: "2026-01-02T03:05:05Z",
        context: { limit: 64 },
        issues: [
          { in: "path", name: "projectIdOrName", value: "x".repeat(3), detail: "too long" },
          { in: "body", title: "no detail but a title", remedy: "Shorten it.", requestId: "i-1" },
        ],
        ours: true,
      },
      { "x-request-id": "another", "retry-after": "1" },
    ),
  );
  expect(error.facts).toEqual({
    status: 422,
    type: "https://errors.example/invalid",
    href: "https://docs.example/invalid",
    title: "Invalid input",
    detail: "the project name is too long",
    remedy: "Use the ID.",
    requestId: "89eb1ffb-55d1#87715",
    clientRequestId: "amp-1",
    retryable: true,
    retryAfter: "2026-01-02T03:05:05.000Z",
    issues: [
      { in: "path", name: "projectIdOrName", value: "xxx", detail: "too long" },
      { in: "body", detail: "no detail but a title", remedy: "Shorten it.", requestId: "i-1" },
    ],
    causes: ["length", "charset"],
    problem: {
      instance: "/errors/1",
      subsystem: "api",
      time: "2026-01-02T03:04:04Z",
      supportEmail: "help@example.com",
      supportPhone: "+1",
      supportUrl: "https://help.example",
      context: { limit: 64 },
      ours: true,
    },
  });
});

describe("a body that is not a problem document", () => {
  test.each<[string, string | Uint8Array<ArrayBuffer> | null, string, string | undefined]>([
    ["nothing", null, "", undefined],
    ["plain text", " upstream\n\n went away ", "text/plain", "upstream went away"],
    ["a page", "<html><title>502 &amp; out</title><p>x", "text/html", "502 &amp; out"],
    ["truncated JSON", '{"detail":"to', "application/problem+json", '{"detail":"to'],
    ["a JSON string", '"no"', "application/json", '"no"'],
    ["a JSON list", "[1,2]", "application/json", "[1,2]"],
    ["another kind of document", '{"error":"nope"}', "application/json", '{"error":"nope"}'],
    ["bytes", new Uint8Array([0xff, 0xfe, 0x00]), "application/octet-stream", "\ufffd\ufffd\0"],
  ])("is shown as it is: %s", async (_, body, type, detail) => {
    const headers = { ...(type ? { "content-type": type } : {}), "x-request-id": "r9" };
    const error = await refusal(() => new Response(body, { status: 400, headers }));
    expect(error).toBeInstanceOf(RejectedError);
    expect(error.facts.detail).toBe(detail);
    expect(error.facts.requestId).toBe("r9");
  });

  test("does not show a secret that it repeats as the ID of the request", async () => {
    const headers = { "x-request-id": `ghp_${"a1B2".repeat(9)}` };
    const error = await refusal(() => new Response(null, { status: 400, headers }));
    expect(error.facts.requestId).toBe("[redacted]");
  });

  test("from a proxy makes the base URL suspect", async () => {
    const headers = { "content-type": "text/html" };
    const error = await refusal(() => new Response("<html>", { status: 404, headers }));
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error.facts.remedy).toContain("base URL");
  });
});

describe("a hostile problem document", () => {
  test("with values of other types shows them as escaped text", async () => {
    const error = await refusal(() =>
      problem(400, {
        status: "400",
        title: ["x"],
        detail: 7,
        remedy: "Turn it off.",
        causes: [1, "real", null],
        retryable: "no",
        retryAfter: 5,
        requestId: null,
        context: "text",
        issues: [null, "x", 4, [], {}, { in: 1, name: "name", value: null }, { detail: {} }],
      }),
    );
    expect(error).toBeInstanceOf(RejectedError);
    expect(error.facts).toMatchObject({
      status: 400,
      title: '["x"]',
      detail: "7",
      remedy: "Turn it off.",
      causes: ["1", "real"],
      issues: [{ detail: "x" }, { detail: "4" }, { in: "1", name: "name", value: null }],
    });
    expect(error.facts.retryAfter).toBeUndefined();
    expect(error.facts).not.toHaveProperty("requestId");
    expect(error.facts).not.toHaveProperty("retryable");
  });

  test("never causes another failure than the one it describes", async () => {
    const names = [
      "type",
      "title",
      "detail",
      "status",
      "issues",
      "causes",
      "retryAfter",
      "context",
    ];
    const document = fc.dictionary(fc.constantFrom(...names, "__proto__", "x"), fc.jsonValue());
    await fc.assert(
      fc.asyncProperty(fc.oneof(document, fc.jsonValue()), async (body) => {
        const error = await refusal(() => new Response(JSON.stringify(body), { status: 422 }));
        expect(error).toBeInstanceOf(RejectedError);
        expect(error.facts.status).toBe(422);
      }),
      { numRuns: 200 },
    );
  });
});

describe("advice", () => {
  const invites = async (kind: "api-key" | "access-token", status: number) => {
    const { api } = fake(() => problem(status, { remedy: "Ask." }), {
      credential: { kind, secret: "sk-123456" },
    });
    return (await api
      .call(listInvites, { path: { orgId: "o" } })
      .catch((error: unknown) => error)) as AmpError;
  };

  test.each([401, 403])(
    "on %i of an org operation with an API key names the token",
    async (status) => {
      const error = await invites("api-key", status);
      expect(error).toBeInstanceOf(AuthError);
      expect(error.facts.remedy).toMatch(/^Ask\. .*bearer token/u);
      expect(suggestedLines(error.facts.suggestion).join("\n")).toBe("amp auth login");
    },
  );

  test("with a token is the service's own", async () => {
    expect((await invites("access-token", 403)).facts.remedy).toBe("Ask.");
  });

  test("on 401 leads to the login", async () => {
    expect(suggestedLines((await refusal(() => problem(401))).facts.suggestion).join("\n")).toBe(
      "amp auth status",
    );
  });
});

test("an issue keeps the name under which the service knows the input", async () => {
  const { api } = fake(() =>
    problem(422, {
      issues: [{ in: "body", name: "name", value: "ops alerts", detail: "only letters" }],
    }),
  );
  const error = (await api
    .call(createTopic, { path: { projectIdOrName: "p" }, body: { name: "ops alerts" } })
    .catch((thrown: unknown) => thrown)) as AmpError;
  expect(error).toBeInstanceOf(AmpError);
  expect(error.facts.issues).toEqual([
    { in: "body", name: "name", value: "ops alerts", detail: "only letters" },
  ]);
});

test.each([
  ["text/plain", "denied: token=hidden-1 of the request"],
  ["text/plain", `${"x ".repeat(92)}password: hidden-1-and-more`],
  ["text/html", "<html><title>403 ?api_key=hidden-1&page=2</title>"],
  ["text/html", "<html><body>Authorization: Bearer hidden-1hidden-1x</body>"],
  ["application/json", '"access_token=hidden-1"'],
  ["application/problem+json", '{"title":"No","password":"hidden-1","de'],
])("a secret that a body of %s quotes is hidden: %s", async (type, body) => {
  const headers = { "content-type": type };
  const { facts } = await refusal(() => new Response(body, { status: 403, headers }));
  expect(facts.detail).toContain("[red");
  expect(facts.detail).not.toContain("hidden-1");
});

test("an echo of a secret is hidden wherever the text is flattened or cut", async () => {
  const key = `key-${"0123456789abcdef".repeat(3)}`;
  const pem = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(3) + "ABCdef/+9".repeat(6));
  for (const secret of [key, pem.join("\n")]) {
    registerSecret(secret);
    for (const before of [0, 100, 150, 190, 199, 1_950, 1_999, 19_990]) {
      // Spaces are flattened: what stands behind 1,950 of them is shown all the same.
      for (const filler of ["x", " "]) {
        for (const [open, close] of [
          ["", ""],
          ["<!doctype html><title>", "</title>"],
        ]) {
          const body = `${open}${filler.repeat(before)} ${secret} and more${close}`;
          const { facts } = await refusal(
            () => new Response(body, { status: 400, headers: { "content-type": "text/plain" } }),
          );
          for (const line of secret.split("\n")) {
            expect(String(facts.detail), `${before} ${filler}`).not.toContain(line.slice(0, 10));
          }
        }
      }
    }
  }
});
