import { expect, test } from "vitest";
import { ask, fresh, NOW, setUpRouting, WEBHOOK } from "../ask.ts";

const createTime = NOW.toISOString();
const EVENT_ROUTES = "/projects/acme/notification-event-topic-routes";
const DESTINATION_ROUTES = "/projects/acme/topic-destination-routes";

test("each create answers 201 with the record, which is then listed", async () => {
  const sandbox = fresh();
  const projectId = sandbox.world.projects[0]?.id;
  const { destination, topic, eventRoute, destinationRoute } = await setUpRouting(sandbox);
  const id = (prefix: string) => expect.stringMatching(new RegExp(`^${prefix}_[0-9a-f]{8}$`, "u"));

  expect(destination).toMatchObject({ status: 201, body: { id: id("dst") } });
  expect(destination.body).toEqual({ id: destination.body.id, ...WEBHOOK, createTime });
  expect(topic.status).toBe(201);
  expect(topic.body).toEqual({ id: id("top"), name: "lifecycle", projectId, createTime });
  expect(eventRoute.status).toBe(201);
  expect(eventRoute.body).toEqual({
    id: id("evr"),
    eventType: "installation.created",
    topicId: topic.body.id,
    projectId,
    createTime,
  });
  expect(destinationRoute.status).toBe(201);
  expect(destinationRoute.body).toEqual({
    id: id("dsr"),
    topicId: topic.body.id,
    destinationId: destination.body.id,
    projectId,
    createTime,
  });

  for (const [path, record] of [
    ["/projects/acme/destinations", destination.body],
    ["/projects/acme/topics", topic.body],
    [EVENT_ROUTES, eventRoute.body],
    [DESTINATION_ROUTES, destinationRoute.body],
  ] as const) {
    expect((await ask(sandbox, `GET ${path}`)).body).toEqual([record]);
  }
});

test("the main project begins without routing, the second one with some", async () => {
  const sandbox = fresh();
  for (const [kind, count] of [
    ["destinations", 2],
    ["topics", 2],
    ["notification-event-topic-routes", 4],
    ["topic-destination-routes", 3],
  ] as const) {
    expect((await ask(sandbox, `GET /projects/acme/${kind}`)).body).toEqual([]);
    expect((await ask(sandbox, `GET /projects/globex-staging/${kind}`)).body).toHaveLength(count);
  }
});

test("routes are filtered by topic, event type and destination", async () => {
  const sandbox = fresh();
  const { destination, topic, eventRoute, destinationRoute } = await setUpRouting(sandbox);
  const topicId = topic.body.id;
  const count = async (path: string) => (await ask(sandbox, `GET ${path}`)).body.length;
  expect(await count(`${EVENT_ROUTES}?topicId=${topicId}&eventType=installation.created`)).toBe(1);
  expect(await count(`${EVENT_ROUTES}?topicId=${topicId}&eventType=connection.error`)).toBe(0);
  expect(await count(`${EVENT_ROUTES}?topicId=${eventRoute.body.id}`)).toBe(0);
  expect(await count(`${DESTINATION_ROUTES}?destinationId=${destination.body.id}`)).toBe(1);
  expect(await count(`${DESTINATION_ROUTES}?topicId=${destinationRoute.body.id}`)).toBe(0);
});

test("creating the same route twice makes two routes", async () => {
  const sandbox = fresh();
  const { topic, destination, eventRoute, destinationRoute } = await setUpRouting(sandbox);
  const topicId = topic.body.id;
  const event = await ask(sandbox, `POST ${EVENT_ROUTES}`, {
    topicId,
    eventType: "installation.created",
  });
  const out = await ask(sandbox, `POST ${DESTINATION_ROUTES}`, {
    topicId,
    destinationId: destination.body.id,
  });
  expect([event.status, out.status]).toEqual([201, 201]);
  expect(event.body.id).not.toBe(eventRoute.body.id);
  expect(out.body.id).not.toBe(destinationRoute.body.id);
  expect((await ask(sandbox, `GET ${EVENT_ROUTES}`)).body).toHaveLength(2);
});

test("a destination is read by its name, and its secrets only on request", async () => {
  const sandbox = fresh();
  const { destination } = await setUpRouting(sandbox);
  const read = async (query: string) =>
    (await ask(sandbox, `GET /projects/acme/destinations/ops-webhook${query}`)).body;
  for (const query of ["", "?rotate=false", "?includeSecrets=false"]) {
    expect(await read(query)).toEqual(destination.body);
  }
  const { secrets, ...rest } = await read("?includeSecrets=true");
  expect(rest).toEqual(destination.body);
  expect(secrets).toEqual({ webhookSigningKey: expect.stringMatching(/^whsec_[\w+/]{32}$/u) });
  expect((await read("?includeSecrets=true")).secrets).toEqual(secrets);
  // The answer to a rotation has the new key only if it asks for it.
  expect(await read("?rotate=true")).not.toHaveProperty("secrets");
  const rotated = await read("?includeSecrets=true");
  expect(rotated.secrets).not.toEqual(secrets);
  expect((await read("?includeSecrets=true&rotate=true")).secrets).not.toEqual(rotated.secrets);
  const byId = await ask(sandbox, `GET /projects/acme/destinations/${destination.body.id}`);
  expect(byId.status).toBe(404);
});

test("secrets of a destination are kept, and no response has them", async () => {
  const sandbox = fresh();
  const secrets = { awsKeyId: "an-id", awsSecretKey: "very-secret" };
  const metadata = { streamName: "amp", region: "eu-central-1" };
  const sent = { name: "stream", type: "kinesis", metadata, secrets };
  const made = await ask(sandbox, "POST /projects/acme/destinations", sent);
  const listed = await ask(sandbox, "GET /projects/acme/destinations");
  const got = await ask(sandbox, "GET /projects/acme/destinations/stream");
  expect(made.status).toBe(201);
  for (const { text } of [made, listed, got]) {
    expect(text).toContain("eu-central-1");
    expect(text).not.toContain("very-secret");
    expect(text).not.toContain("projectId");
  }
  expect(sandbox.world.destinations.at(-1)?.secrets).toEqual(secrets);
});

test("a destination of an unknown type may have any content", async () => {
  const body = { name: "tape", type: "paper-tape", metadata: { holes: 8, url: "gopher://x" } };
  const { status, body: made } = await ask(fresh(), "POST /projects/acme/destinations", body);
  expect(status).toBe(201);
  expect(made).toMatchObject(body);
});

test.each([
  "http://localhost:8080/in",
  "http://127.0.0.1:9/",
  "http://[::1]:9/",
  "https://a.example",
])("a webhook may be at %s", async (url) => {
  const body = { ...WEBHOOK, metadata: { url } };
  expect((await ask(fresh(), "POST /projects/acme/destinations", body)).status).toBe(201);
});

test("names are unique within their project, and case matters", async () => {
  const sandbox = fresh();
  await setUpRouting(sandbox);
  for (const project of ["acme", "globex-staging"]) {
    for (const name of ["Lifecycle", "x".repeat(64)]) {
      const made = await ask(sandbox, `POST /projects/${project}/topics`, { name });
      expect(made.status, `${name} in ${project}`).toBe(201);
    }
  }
  const elsewhere = await ask(sandbox, "POST /projects/globex-staging/destinations", WEBHOOK);
  expect(elsewhere.status).toBe(201);
});
