import { expect, test } from "vitest";
import * as endpoints from "../../../src/api/operations/endpoints.ts";
import { SANDBOX_DEFAULTS } from "../../../src/sandbox/defaults.ts";
import { ask, fresh, setUpRouting } from "../ask.ts";

const sandbox = fresh();
const acme = sandbox.world.projects.find(({ name }) => name === "acme");
const CRM = SANDBOX_DEFAULTS.integration;

/** Hooli is reading all records of its companies. */
const RUNNING = {
  installationId: "ins_61980597",
  operationId: "op_61980597_1b4",
  connectionId: "con_3c37b6b8",
  objectName: "companies",
};

test("the sandbox has every operation that amp calls", async () => {
  for (const { method, path } of Object.values(endpoints)) {
    const { body } = await ask(
      fresh(),
      `${method} ${path.replace(/\{\w+\}/gu, "x")}`,
      method === "POST" ? {} : undefined,
    );
    expect
      .soft(body?.type, `${method} ${path}`)
      .not.toBe("urn:amp-sandbox:problem:unknown-operation");
    expect.soft(body?.status, `${method} ${path}`).not.toBe(405);
  }
});

test("each response to a read matches amp's own schema", async () => {
  const sandbox = fresh();
  await setUpRouting(sandbox);
  const filled = {
    ...{ projectIdOrName: "acme", provider: "hubspot", orgId: SANDBOX_DEFAULTS.org },
    name: "ops-webhook",
    ...RUNNING,
  };
  for (const { method, path, answer } of Object.values<{
    method: string;
    path: string;
    answer?: (typeof endpoints)["listProjects"]["answer"] | (() => Promise<unknown>);
  }>(endpoints)) {
    if (method !== "GET" || !answer) continue;
    const place = path
      .replace("{integrationId}", CRM)
      .replace(/\{(\w+)\}/gu, (_, name: keyof typeof filled) => filled[name]);
    const { status, body } = await ask(sandbox, `GET ${place}`);
    const schema = (await answer()) as { safeParse(value: unknown): { error?: unknown } };
    expect.soft(status, place).toBe(200);
    expect.soft(schema.safeParse(body.results ?? body).error, place).toBeUndefined();
  }
});

test("a project is found by its ID and by its name", async () => {
  const byName = await ask(sandbox, "GET /projects/acme/provider-apps");
  const byId = await ask(sandbox, `GET /projects/${acme?.id}/provider-apps`);
  expect(byName.body).toHaveLength(3);
  expect(byId.body).toEqual(byName.body);
  expect((await ask(sandbox, "GET /projects/globex-staging/provider-apps")).body).toHaveLength(1);
});

test("projects, integrations and invites are listed", async () => {
  const names = (list: { name: string }[]) => list.map(({ name }) => name);
  expect(names((await ask(sandbox, "GET /projects")).body)).toEqual(["acme", "globex-staging"]);
  expect(names((await ask(sandbox, "GET /projects/acme/integrations")).body)).toEqual([
    "crm-sync",
    "billing-sync",
    "support-sync",
  ]);
  const invites = await ask(sandbox, `GET /orgs/${SANDBOX_DEFAULTS.org}/invites`);
  expect(invites.body.map(({ status }: { status: string }) => status)).toEqual([
    "accepted",
    "pending",
    "pending",
    "revoked",
    "expired",
  ]);
});

test("installations are listed by integration, by group and by project", async () => {
  const at = `/projects/acme/integrations/${CRM}/installations`;
  const all = await ask(sandbox, `GET ${at}`);
  expect(all.body).toHaveLength(20);
  expect(new Set(all.body.map((each: { integrationId: string }) => each.integrationId))).toEqual(
    new Set([CRM]),
  );
  const northwind = await ask(sandbox, `GET ${at}?groupRef=northwind`);
  expect(northwind.body).toMatchObject([
    {
      group: { groupName: "Northwind Traders" },
      healthStatus: "unhealthy",
      lastOperationStatus: "failure",
      connection: { status: "bad_credentials" },
    },
  ]);
  expect((await ask(sandbox, `GET ${at}?groupRef=nobody`)).body).toEqual([]);
  expect((await ask(sandbox, "GET /projects/acme/installations")).body).toHaveLength(40);
  expect(
    (await ask(sandbox, "GET /projects/acme/installations?groupRef=initech")).body,
  ).toHaveLength(3);
  expect((await ask(sandbox, "GET /projects/globex-staging/installations")).body).toEqual([]);
});

test("an integration belongs to its project, and its ID is a UUID in either case", async () => {
  const upper = await ask(
    sandbox,
    `GET /projects/acme/integrations/${CRM.toUpperCase()}/installations`,
  );
  expect(upper.body).toHaveLength(20);
  const elsewhere = await ask(
    sandbox,
    `GET /projects/globex-staging/integrations/${CRM}/installations`,
  );
  expect(elsewhere.status).toBe(404);
});

test("providers are listed without a credential, and with an invalid one", async () => {
  for (const headers of [{}, { "x-api-key": "wrong" }, { authorization: "Bearer wrong" }]) {
    const one = await ask(sandbox, "GET /providers/hubspot", undefined, headers);
    expect(one.body).toMatchObject({ name: "hubspot", authType: "oauth2" });
    const all = await ask(sandbox, "GET /providers", undefined, headers);
    expect(Object.keys(all.body)).toHaveLength(6);
    expect(all.body.hubspot).toEqual(one.body);
  }
});

test.each(["constructor", "__proto__", "toString", "Hubspot"])(
  "%s is not a provider",
  async (name) => {
    expect((await ask(sandbox, `GET /providers/${name}`)).status).toBe(404);
  },
);

test("HEAD is answered like GET, without a body", async () => {
  const { status, text } = await ask(sandbox, "HEAD /projects");
  expect([status, text]).toEqual([200, ""]);
});
