import { expect, test } from "vitest";
import { EVENTS } from "../../src/api/catalogue/events.ts";
import * as endpoints from "../../src/api/operations/endpoints.ts";
import type { RequestLine } from "../../src/sandbox/app.ts";
import { SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import type { World } from "../../src/sandbox/world.ts";
import { type Asked, ask, fresh, setUpRouting, WEBHOOK } from "./ask.ts";

const CRM = SANDBOX_DEFAULTS.integration;

/** Successes and refusals of all kinds, in an order. */
async function live(sandbox: Sandbox): Promise<Asked[]> {
  const made = Object.values(await setUpRouting(sandbox));
  const topicId = made[1]?.body.id;
  const rest = [];
  for (const [request, body] of [
    ["GET /providers"],
    [`GET /projects/acme/integrations/${CRM}/installations`],
    ["POST /projects/acme/topics", { name: "lifecycle" }],
    ["POST /projects/acme/topics", { name: "a b" }],
    [`DELETE /projects/acme/topics/${topicId}`],
    ["POST /projects/acme/topics", { name: "lifecycle" }],
    ["GET /projects/acme/topic-destination-routes"],
  ] as const) {
    rest.push(await ask(sandbox, request, body));
  }
  return [...made, ...rest];
}

test("two sandboxes answer the same requests with the same bytes", async () => {
  const shown = (answers: Asked[]) =>
    answers.map(({ status, headers, text }) => ({ status, headers: [...headers], text }));
  const [one, other] = [fresh(), fresh()];
  expect(shown(await live(one))).toEqual(shown(await live(other)));
  expect(one.world).toEqual(other.world);
});

test("a different record gets another ID in the same place", async () => {
  const idOf = async (name: string) =>
    (await ask(fresh(), "POST /projects/acme/topics", { name })).body.id;
  expect(await idOf("one")).not.toBe(await idOf("two"));
});

test("request IDs are unique, and logged with their request", async () => {
  const lines: RequestLine[] = [];
  const sandbox = fresh({ onRequest: (line) => lines.push(line) });
  const answers = await live(sandbox);
  await ask(sandbox, "GET /nothing?x=1");
  expect(lines).toHaveLength(answers.length + 1);
  expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(lines.length);
  expect(lines[0]?.requestId).toBe(answers[0]?.headers.get("x-request-id"));
  expect(lines.at(-1)).toEqual({
    method: "GET",
    path: "/v1/nothing?x=1",
    status: 404,
    ms: expect.any(Number),
    requestId: expect.any(String),
  });
});

test("a sandbox of the spec only has eight operations, and 404 for all others", async () => {
  const sandbox = fresh({ specOnly: true });
  const missing = "urn:amp-sandbox:problem:unknown-operation";
  const served: string[] = [];
  for (const { method, path, optional } of Object.values(endpoints)) {
    const place = path.replace(/\{\w+\}/gu, "x");
    const { status, body } = await ask(
      sandbox,
      `${method} ${place}`,
      method === "POST" ? {} : undefined,
    );
    const known = body?.type !== missing;
    expect.soft(known, `${method} ${path}`).toBe(optional === undefined);
    if (known) served.push(`${method} ${path}`);
    else expect.soft(status).toBe(404);
  }
  expect(served).toHaveLength(8);
  for (const request of [
    "PUT /projects/acme/topics",
    "GET /projects/acme/destinations/x",
    "DELETE /projects/acme/provider-apps",
    "GET /",
  ]) {
    const { body } = await ask(sandbox, request);
    expect.soft(body, request).toMatchObject({ status: 404, type: missing });
  }
});

test("a sandbox of the spec only has its event types and the webhook", async () => {
  const sandbox = fresh({ specOnly: true });
  const { destination, topic, eventRoute, destinationRoute } = await setUpRouting(sandbox);
  for (const { status } of [destination, topic, eventRoute, destinationRoute]) {
    expect(status).toBe(201);
  }
  for (const [eventType, { source }] of Object.entries(EVENTS)) {
    const body = { topicId: topic.body.id, eventType };
    const made = await ask(sandbox, "POST /projects/acme/notification-event-topic-routes", body);
    expect.soft(made.status, eventType).toBe(source === "spec" ? 201 : 422);
  }
  const kinesis = { name: "stream", type: "kinesis", metadata: {} };
  expect((await ask(sandbox, "POST /projects/acme/destinations", kinesis)).status).toBe(201);
  const webhook = { ...WEBHOOK, name: "other", metadata: {} };
  expect((await ask(sandbox, "POST /projects/acme/destinations", webhook)).status).toBe(422);
});

test.each<[what: string, topic: string, destination: object]>([
  ["names with other characters", "a topic: ü", { name: "a b" }],
  ["long names", "x".repeat(65), { name: "x".repeat(300) }],
  ["names that are taken", "lifecycle", {}],
  ["any URL", "other", { name: "plain", metadata: { url: "ftp://nowhere" } }],
  ["an empty URL", "one-more", { name: "blank", metadata: { url: "" } }],
])("a sandbox of the spec only takes %s", async (_, name, destination) => {
  const sandbox = fresh({ specOnly: true });
  await setUpRouting(sandbox);
  const topic = await ask(sandbox, "POST /projects/acme/topics", { name });
  expect(topic.body).toMatchObject({ name });
  const body = { ...WEBHOOK, ...destination };
  expect((await ask(sandbox, "POST /projects/acme/destinations", body)).body).toMatchObject(body);
});

test("a sandbox of the spec only knows no secrets, and does not repeat them", async () => {
  const body = { ...WEBHOOK, type: "kinesis", secrets: { awsKeyId: "AKIA" } };
  const refused = await ask(fresh({ specOnly: true }), "POST /projects/acme/destinations", body);
  expect(refused.body).toMatchObject({
    status: 422,
    issues: [{ name: "secrets", detail: "is not allowed" }],
  });
  expect(refused.text).not.toContain("AKIA");
});

test("concurrent changes happen one after the other, each saved before its response", async () => {
  const told: World[] = [];
  let saving = 0;
  const sandbox = fresh({
    onChange: async (world) => {
      expect(saving++).toBe(0);
      await new Promise(setImmediate);
      saving--;
      told.push(world);
    },
  });
  const names = Array.from({ length: 8 }, (_, at) => `topic-${at % 4}`);
  const statuses = await Promise.all(
    names.map(async (name) => {
      const { status, body } = await ask(sandbox, "POST /projects/acme/topics", { name });
      if (status === 201) expect(told.at(-1)?.topics).toContainEqual(body);
      return status;
    }),
  );
  expect(statuses.filter((status) => status === 201)).toHaveLength(4);
  expect(statuses.filter((status) => status === 409)).toHaveLength(4);
  expect(told).toHaveLength(4);
  expect(sandbox.world).toBe(told.at(-1));
});

test("a change that cannot be saved is not made, and the next one may be", async () => {
  let full = true;
  const sandbox = fresh({
    onChange: async () => {
      if (full) throw new Error("ENOSPC: no space left on device");
    },
  });
  const make = () => ask(sandbox, "POST /projects/acme/topics", { name: "lifecycle" });
  expect((await make()).body).toMatchObject({
    status: 503,
    retryable: true,
    retryAfter: "2026-09-02T08:30:01.000Z",
    causes: ["ENOSPC: no space left on device"],
  });
  expect((await ask(sandbox, "GET /projects/acme/topics")).body).toEqual([]);
  full = false;
  expect((await make()).status).toBe(201);
});
