import { describe, expect, test } from "vitest";
import {
  createTopic,
  getProvider,
  listInstallations,
  listProjects,
  listTopics,
  revokeInvite,
} from "../../../src/api/operations/endpoints.ts";
import { AuthError, UsageError } from "../../../src/errors.ts";
import { fake } from "../fake-service.ts";

const project = { projectIdOrName: "acme prod" };
const empty = () => Response.json([]);

describe("a request", () => {
  test("of a list has the filled path, the given filters and no body", async () => {
    const { api, requests, bodies } = fake(empty);
    await api.call(listInstallations, {
      path: { ...project, integrationId: "i/1" },
      query: { groupRef: "a b" },
    });
    expect(requests[0]?.method).toBe("GET");
    expect(requests[0]?.url).toBe(
      "https://api.example.com/v1/projects/acme%20prod/integrations/i%2F1/installations?groupRef=a+b",
    );
    expect(bodies).toEqual([""]);
  });

  test("says who sends it and what is understood", async () => {
    const { api, requests } = fake(empty);
    await api.call(listTopics, { path: project });
    expect(requests[0]?.headers.get("user-agent")).toBe("amp/test");
    expect(requests[0]?.headers.get("x-request-id")).toBe("amp-1");
    expect(requests[0]?.headers.get("accept")).toContain("application/problem+json");
    expect(requests[0]?.redirect).toBe("manual");
  });

  test("of a create carries the body and nothing more", async () => {
    const { api, requests, bodies } = fake(() => Response.json({ id: "t1" }, { status: 201 }));
    await api.call(createTopic, { path: project, body: { name: "ops" } });
    expect(requests[0]?.headers.get("content-type")).toBe("application/json");
    expect(bodies).toEqual(['{"name":"ops"}']);
  });

  test.each([
    { body: { name: "ops", type: "x" }, field: "" },
    { body: { name: "" }, field: "name" },
    { body: { name: 1 }, field: "name" },
    { body: {}, field: "name" },
    { body: null, field: "" },
  ])("with the body $body is not sent", async ({ body, field }) => {
    const { api, requests } = fake(empty);
    // Types would refuse it; a routing file has none.
    const error = await api
      .call(createTopic, { path: project, body: body as never })
      .catch((e) => e);
    expect(error).toBeInstanceOf(UsageError);
    expect(error.facts.issues[0]).toMatchObject({ in: "body", name: field });
    expect(requests).toEqual([]);
  });
});

describe("the credential", () => {
  const key = { kind: "api-key", secret: "key-123" } as const;
  const token = { kind: "access-token", secret: "jwt.123" } as const;

  test("travels as X-Api-Key alone, or as a bearer token alone", async () => {
    const byKey = fake(empty, { credential: key });
    await byKey.api.call(listProjects, {});
    expect(byKey.requests[0]?.headers.get("x-api-key")).toBe("key-123");
    expect(byKey.requests[0]?.headers.has("authorization")).toBe(false);

    const byToken = fake(empty, { credential: token });
    await byToken.api.call(listProjects, {});
    expect(byToken.requests[0]?.headers.get("authorization")).toBe("Bearer jwt.123");
    expect(byToken.requests[0]?.headers.has("x-api-key")).toBe(false);
  });

  test("is needed but for the catalogue", async () => {
    const provider = {
      name: "hubspot",
      authType: "oauth2",
      baseURL: "",
      defaultModule: "",
      support: {},
    };
    const { api, requests } = fake(() => Response.json(provider), { credential: undefined });
    await expect(api.call(listProjects, {})).rejects.toThrow(AuthError);
    expect(requests).toEqual([]);

    await api.call(getProvider, { path: { provider: "hubspot" } });
    expect([...(requests[0]?.headers.keys() ?? [])].sort()).toEqual([
      "accept",
      "connection",
      "user-agent",
      "x-request-id",
    ]);
  });

  test("that is missing is explained by the one who knows why", async () => {
    const { api } = fake(empty, {
      credential: undefined,
      explainMissingCredential: () => new AuthError("profile production has no login"),
    });
    await expect(api.call(listProjects, {})).rejects.toThrow("profile production has no login");
  });

  test.each(["two\nlines", "wörter ✓", " "])(
    "%j is refused without being shown",
    async (secret) => {
      const { api, requests } = fake(empty, { credential: { kind: "api-key", secret } });
      const error = await api.call(listProjects, {}).catch((e) => e);
      expect(error).toBeInstanceOf(AuthError);
      if (secret.trim()) expect(JSON.stringify([error.message, error.facts])).not.toContain(secret);
      expect(requests).toEqual([]);
    },
  );

  test("echoed by the server is not in the error", async () => {
    const secret = "sk-live/42+x";
    const { api } = fake(
      (request) =>
        Response.json(
          {
            detail: `bad key ${request.headers.get("x-api-key")}`,
            remedy: `do not use ${encodeURIComponent(secret)}`,
            causes: [btoa(secret)],
            context: { [secret]: secret },
            issues: [{ in: "header", name: "X-Api-Key", value: [secret] }],
          },
          { status: 401, headers: { "x-request-id": `r-${secret}` } },
        ),
      { credential: { kind: "api-key", secret } },
    );
    const error = await api.call(listProjects, {}).catch((e) => e);
    const shown = JSON.stringify([error.message, error.facts]);
    for (const form of [secret, encodeURIComponent(secret), btoa(secret)]) {
      expect(shown).not.toContain(form);
    }
    expect(error.facts.detail).toBe("bad key [redacted]");
  });
});

describe("a raw request", () => {
  test("is sent as it is, and any status comes back unread", async () => {
    const { api, requests, bodies } = fake(() => new Response("no", { status: 418 }));
    const answer = await api.raw({ method: "put", path: "/projects?x=1", body: "{}" });
    expect(requests[0]?.method).toBe("PUT");
    expect(requests[0]?.url).toBe("https://api.example.com/v1/projects?x=1");
    expect(requests[0]?.headers.get("content-type")).toBe("application/json");
    expect(bodies).toEqual(["{}"]);
    expect(answer.status).toBe(418);
    expect(await new Response(answer.body).text()).toBe("no");
  });

  test("does not leave the base URL", async () => {
    const { api, requests } = fake(empty);
    await expect(api.raw({ method: "GET", path: "https://evil.example/" })).rejects.toThrow(
      UsageError,
    );
    await expect(api.raw({ method: "GET", path: "../admin" })).rejects.toThrow(UsageError);
    expect(requests).toEqual([]);
  });

  test("of method GET cannot have a body", async () => {
    const { api } = fake(empty);
    const request = { method: "GET", path: "/projects", body: "x" };
    await expect(api.raw(request)).rejects.toThrow(UsageError);
  });
});

test("the log of --debug names the request and never the secret", async () => {
  const { api, notes } = fake(
    () => new Response(null, { status: 204, headers: { "x-request-id": "r#1" } }),
  );
  await api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } });
  expect(notes).toEqual([
    {
      method: "DELETE",
      url: "https://api.example.com/v1/orgs/o/invites/i",
      attempt: 1,
      ms: expect.any(Number),
      status: 204,
      requestId: "r#1",
      clientRequestId: "amp-1",
    },
  ]);
});
