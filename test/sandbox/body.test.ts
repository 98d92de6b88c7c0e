import { expect, test } from "vitest";
import { EVENT_TYPES } from "../../src/api/catalogue/events.ts";
import { SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { ask, fresh, setUpRouting, WEBHOOK } from "./ask.ts";

const DESTINATIONS = "POST /projects/acme/destinations";
const EVENT_ROUTES = "POST /projects/acme/notification-event-topic-routes";
const DESTINATION_ROUTES = "POST /projects/acme/topic-destination-routes";

interface Issue {
  in: string;
  name: string;
  value: unknown;
  detail: string;
}

/** Where, what and why of each issue. */
async function issuesOf(request: string, body?: unknown, sandbox = fresh()) {
  const answer = await ask(sandbox, request, body);
  expect(answer.body.type).toMatch(/^urn:amp-sandbox:problem:(invalid-input|malformed-request)$/u);
  return {
    status: answer.status,
    issues: answer.body.issues.map((issue: Issue) => [
      issue.in,
      issue.name,
      issue.value,
      issue.detail,
    ]),
  };
}

test.each([
  ["a topic without a name", {}, ["name", null, "is required"]],
  ["an empty name", { name: "" }, ["name", "", "must not be empty"]],
  ["a number", { name: 7 }, ["name", 7, "must be a string"]],
  ["null", { name: null }, ["name", null, "must be a string"]],
  ["a space", { name: "a b" }, ["name", "a b", "only letters, digits and dashes are allowed"]],
  [
    "a letter of no alphabet here",
    { name: "ünï" },
    ["name", "ünï", "only letters, digits and dashes are allowed"],
  ],
  [
    "65 characters",
    { name: "x".repeat(65) },
    ["name", "x".repeat(65), "must have at most 64 characters"],
  ],
  ["what is not known", { name: "x", color: "red" }, ["color", "red", "is not allowed"]],
  ["a list", [], ["body", [], "must be an object"]],
  ["a text", '"x"', ["body", "x", "must be an object"]],
] as const)("a topic is refused: %s", async (_, body, [name, value, detail]) => {
  expect(await issuesOf("POST /projects/acme/topics", body)).toEqual({
    status: 422,
    issues: [["body", name, value, detail]],
  });
});

test("every invalid field of a body is reported once", async () => {
  expect(
    await issuesOf(DESTINATIONS, { name: "a_b", type: "webhook", metadata: {}, extra: 1 }),
  ).toEqual({
    status: 422,
    issues: [
      ["body", "extra", 1, "is not allowed"],
      ["body", "name", "a_b", "only letters, digits and dashes are allowed"],
      ["body", "metadata.url", null, "is required"],
    ],
  });
  expect(await issuesOf(DESTINATIONS, {})).toEqual({
    status: 422,
    issues: [
      ["body", "name", null, "is required"],
      ["body", "type", null, "is required"],
      ["body", "metadata", null, "is required"],
    ],
  });
});

test.each([
  ["webhook", { url: "http://hooks.acme.example" }, "url", "must begin with https://"],
  ["webhook", { url: "http://localhost.evil.example/" }, "url", "must begin with https://"],
  ["webhook", { url: "https://" }, "url", "must be a valid URL"],
  ["webhook", { url: 7 }, "url", "must be a string"],
  ["webhook", { url: "" }, "url", "must not be empty"],
  [
    "webhook",
    { url: "https://a.example", headers: { a: 1 } },
    "headers",
    "must be an object of strings",
  ],
  [
    "slack",
    { url: "https://hooks.slack.com.evil.example/x" },
    "url",
    "must begin with https://hooks.slack.com/",
  ],
  ["slack", { url: "http://localhost/x" }, "url", "must begin with https://"],
] as const)("a %s with %j is refused", async (type, metadata, field, detail) => {
  const value = (metadata as Record<string, unknown>)[field];
  expect(await issuesOf(DESTINATIONS, { name: "x", type, metadata })).toEqual({
    status: 422,
    issues: [["body", `metadata.${field}`, value, detail]],
  });
});

test("an optional field may be null, a required one may not", async () => {
  const metadata = { url: "https://a.example", headers: null };
  const made = await ask(fresh(), DESTINATIONS, { name: "x", type: "webhook", metadata });
  expect([made.status, made.body.metadata]).toEqual([201, metadata]);
  const body = { name: "x", type: "webhook", metadata: { url: null } };
  expect((await issuesOf(DESTINATIONS, body)).issues).toEqual([
    ["body", "metadata.url", null, "is required"],
  ]);
});

test.each([
  ["slack", ["metadata.url"]],
  [
    "kinesis",
    ["metadata.streamName", "metadata.region", "secrets.awsKeyId", "secrets.awsSecretKey"],
  ],
  ["s3", ["metadata.bucket", "metadata.region", "secrets.awsKeyId", "secrets.awsSecretKey"]],
  ["sqs", ["metadata.queueUrl", "secrets.awsKeyId", "secrets.awsSecretKey"]],
  ["pubsub", ["metadata.projectId", "metadata.topicId", "secrets.credentials"]],
  ["rabbitmq", ["metadata.serverUrl", "metadata.exchange", "secrets.username", "secrets.password"]],
  ["azureservicebus", ["metadata.name", "secrets.connectionString"]],
  ["clickhouse", ["metadata.url", "metadata.username", "metadata.tableName", "secrets.password"]],
  [
    "bigquery",
    ["metadata.projectId", "metadata.datasetId", "metadata.tableId", "secrets.credentials"],
  ],
  [
    "redshift",
    [
      "metadata.region",
      "metadata.dbName",
      "metadata.tableName",
      "metadata.workgroupName",
      "secrets.accessKeyId",
      "secrets.secretAccessKey",
    ],
  ],
] as const)("a %s lacks %j", async (type, names) => {
  const { issues } = await issuesOf(DESTINATIONS, { name: "x", type, metadata: {} });
  expect(issues.map(([, name]: string[]) => name)).toEqual(names);
});

test("an invalid secret is named, not repeated", async () => {
  const metadata = { streamName: "s", region: "r" };
  const secrets = { awsKeyId: 123456, awsSecretKey: "fine" };
  expect(await issuesOf(DESTINATIONS, { name: "x", type: "kinesis", metadata, secrets })).toEqual({
    status: 422,
    issues: [["body", "secrets.awsKeyId", "(not repeated)", "must be a string"]],
  });
  expect(await issuesOf(DESTINATIONS, { ...WEBHOOK, secrets: "hush" })).toEqual({
    status: 422,
    issues: [["body", "secrets", "(not repeated)", "must be an object"]],
  });
});

test("every known event type can be routed, and no other", async () => {
  const sandbox = fresh();
  const { topic } = await setUpRouting(sandbox);
  const topicId = topic.body.id;
  for (const eventType of EVENT_TYPES) {
    expect((await ask(sandbox, EVENT_ROUTES, { topicId, eventType })).status, eventType).toBe(201);
  }
  const { issues } = await issuesOf(EVENT_ROUTES, { topicId, eventType: "toString" }, sandbox);
  const detail = `must be one of ${EVENT_TYPES.join(", ")}`;
  expect(issues).toEqual([["body", "eventType", "toString", detail]]);
});

test("an event route requires a topic of its project: 422", async () => {
  const sandbox = fresh();
  const foreign = sandbox.world.topics[0]?.id;
  for (const topicId of ["top_none", foreign]) {
    expect(
      await issuesOf(EVENT_ROUTES, { topicId, eventType: "connection.error" }, sandbox),
    ).toEqual({
      status: 422,
      issues: [["body", "topicId", topicId, "there is no such topic"]],
    });
  }
});

test("a destination route requires a topic and a destination of its project: 404", async () => {
  const sandbox = fresh();
  const { topic, destination } = await setUpRouting(sandbox);
  const [foreignTopic, foreignDestination] = [
    sandbox.world.topics[0],
    sandbox.world.destinations[0],
  ];
  for (const [topicId, destinationId, resource] of [
    ["top_none", destination.body.id, "topic"],
    [foreignTopic?.id, destination.body.id, "topic"],
    [topic.body.id, "dst_none", "destination"],
    [topic.body.id, foreignDestination?.id, "destination"],
    // Its name is not its ID.
    [topic.body.id, "ops-webhook", "destination"],
  ]) {
    const { body } = await ask(sandbox, DESTINATION_ROUTES, { topicId, destinationId });
    expect(body).toMatchObject({ status: 404, context: { resource } });
  }
  expect((await ask(sandbox, "GET /projects/acme/topic-destination-routes")).body).toHaveLength(1);
});

test("a name that is already taken is a conflict", async () => {
  const sandbox = fresh();
  const { destination } = await setUpRouting(sandbox);
  const { body } = await ask(sandbox, DESTINATIONS, {
    ...WEBHOOK,
    metadata: { url: "https://b.example" },
  });
  expect(body).toMatchObject({ status: 409, context: { id: destination.body.id } });
});

test("invalid path and query parameters are refused", async () => {
  const installations = "GET /projects/acme/integrations";
  expect(await issuesOf(`${installations}/crm-sync/installations`)).toEqual({
    status: 400,
    issues: [["path", "integrationId", "crm-sync", "must be a UUID"]],
  });
  const at = `${installations}/${SANDBOX_DEFAULTS.integration}/installations`;
  expect(await issuesOf(`${at}?groupRef=`)).toEqual({
    status: 422,
    issues: [["query", "groupRef", "", "must not be empty"]],
  });
  expect(await issuesOf(`${at}?groupRef=a&groupRef=b`)).toEqual({
    status: 422,
    issues: [["query", "groupRef", ["a", "b"], "must be given once"]],
  });
  expect(
    await issuesOf("GET /projects/acme/topic-destination-routes?topicId=&destinationId="),
  ).toMatchObject({
    issues: [{ 1: "topicId" }, { 1: "destinationId" }],
  });
  expect(await issuesOf("GET /projects/acme/destinations/x?rotate=maybe")).toEqual({
    status: 422,
    issues: [["query", "rotate", "maybe", "must be true or false"]],
  });
  expect(await issuesOf("GET /projects/%20/provider-apps")).toEqual({
    status: 422,
    issues: [["path", "projectIdOrName", " ", "must not be blank or have control characters"]],
  });
});

test("a refused request changes nothing", async () => {
  const sandbox = fresh();
  const before = sandbox.world;
  await issuesOf(DESTINATIONS, {}, sandbox);
  await ask(sandbox, DESTINATION_ROUTES, { topicId: "top_1", destinationId: "dst_1" });
  await ask(sandbox, "DELETE /projects/acme/topics/top_1");
  expect(sandbox.world).toBe(before);
});

test.each([101, 5_000, 200_000])("a body of %i levels cannot be read", async (depth) => {
  const deep = "[".repeat(depth) + "]".repeat(depth);
  const object = ['{"a":'.repeat(depth), "1", "}".repeat(depth)].join("");
  for (const body of [deep, object.length < 1_000_000 ? object : deep]) {
    const { status, issues } = await issuesOf("POST /projects/acme/topics", body);
    expect([status, issues[0]?.[1]]).toEqual([400, "body"]);
  }
});

test("brackets in a text are not levels", async () => {
  const body = { ...WEBHOOK, metadata: { url: `https://hooks.acme.example/${"[".repeat(300)}` } };
  expect((await ask(fresh(), DESTINATIONS, body)).status).toBe(201);
});

test("a field named __proto__ is kept, as any other", async () => {
  const sandbox = fresh();
  const body = `{"name":"a","type":"odd","metadata":{"__proto__":{"x":"1"},"url":"https://a.example"}}`;
  const { status, text } = await ask(sandbox, DESTINATIONS, body);
  expect([status, text]).toEqual([201, expect.stringContaining('"__proto__":{"x":"1"}')]);
  const listed = await ask(sandbox, "GET /projects/acme/destinations");
  expect(listed.text).toContain('"__proto__":{"x":"1"}');
});
