import { expect, test } from "vitest";
import { DESTINATION_TYPES } from "../../../src/api/catalogue/destination-types.ts";
import { ask, fresh, NOW, setUpRouting, WEBHOOK } from "../ask.ts";

const KINESIS = {
  name: "stream",
  type: "kinesis",
  metadata: { streamName: "amp", region: "eu-central-1" },
  secrets: { awsKeyId: "k", awsSecretKey: "s" },
};

async function made(body: object = WEBHOOK) {
  const sandbox = fresh();
  const { body: record } = await ask(sandbox, "POST /projects/acme/destinations", body);
  const path = `/projects/acme/destinations/${record.id}`;
  const patch = (updateMask: unknown, destination: unknown) =>
    ask(sandbox, `PATCH ${path}`, { updateMask, destination });
  const saved = () => sandbox.world.destinations.find(({ id }) => id === record.id);
  return { sandbox, record, path, patch, saved };
}

test("an update replaces only the fields of its mask", async () => {
  const { record, patch, saved } = await made(KINESIS);
  const { status, body } = await patch(["metadata.region", "secrets.awsSecretKey"], {
    name: "not named",
    metadata: { region: "us-east-1", streamName: "not named" },
    secrets: { awsSecretKey: "new" },
  });
  const changed = { ...KINESIS.metadata, region: "us-east-1" };
  expect(status).toBe(200);
  expect(body).toEqual({ ...record, metadata: changed, updateTime: NOW.toISOString() });
  expect(saved()).toMatchObject({ secrets: { awsKeyId: "k", awsSecretKey: "new" } });
});

test("every metadata field and secret of every type can be changed, the type never", async () => {
  for (const [type, { metadata, secrets }] of Object.entries(DESTINATION_TYPES)) {
    const sandbox = fresh();
    const { body } = await ask(sandbox, "POST /projects/acme/destinations", WEBHOOK);
    const world = sandbox.world;
    const destinations = world.destinations.map((one) => ({ ...one, type }));
    const other = fresh({ state: { ...world, destinations } });
    const mask = [
      "name",
      ...metadata.map(({ name }) => `metadata.${name}`),
      ...secrets.map(({ name }) => `secrets.${name}`),
    ];
    const update = async (updateMask: string[]) =>
      ask(other, `PATCH /projects/acme/destinations/${body.id}`, { updateMask, destination: {} });
    const names = ({ body: { issues = [] } }: { body: { issues?: { name: string }[] } }) =>
      issues.map(({ name }) => name).filter((name) => name.startsWith("updateMask"));
    expect(names(await update(mask)), type).toEqual([]);
    expect(names(await update([...mask, "type"])), type).toEqual([`updateMask.${mask.length}`]);
  }
});

test.each([
  ["a type", ["type"], {}, "updateMask.0"],
  ["a field of another type", ["metadata.region"], { metadata: { region: "x" } }, "updateMask.0"],
  ["a field within a field", ["metadata.headers.a"], {}, "updateMask.0"],
  ["nothing", [], {}, "updateMask"],
  ["a mask that is not a list", "name", {}, "updateMask"],
  ["a URL that is not valid", ["metadata.url"], { metadata: { url: "x" } }, "metadata.url"],
  ["a required field away", ["metadata.url"], { metadata: {} }, "metadata.url"],
  ["a name that is not valid", ["name"], { name: "a b" }, "name"],
  ["no name", ["name"], {}, "name"],
  ["another field", ["name"], { name: "a", colour: 1 }, "destination.colour"],
])("422 for an update of %s", async (_, mask, destination, name) => {
  const { patch, saved } = await made();
  const before = saved();
  const { status, body } = await patch(mask, destination);
  expect([status, body.issues.map((one: { name: string }) => one.name)]).toEqual([422, [name]]);
  expect(saved()).toEqual(before);
});

test("a warehouse takes the size and the wait of its batches", async () => {
  const { patch } = await made({
    name: "warehouse",
    type: "clickhouse",
    metadata: { url: "https://ch.acme.example", username: "amp", tableName: "events" },
    secrets: { password: "p" },
  });
  const metadata = { batchSize: 5, maxWaitSecs: 6 };
  const { body } = await patch(["metadata.batchSize", "metadata.maxWaitSecs"], { metadata });
  expect(body.metadata).toMatchObject(metadata);
});

test("404 for a name, an unknown ID and another project; 409 for a name that is taken", async () => {
  const { sandbox, path, patch, record } = await made();
  const { topic } = await setUpRouting(fresh());
  await ask(sandbox, "POST /projects/acme/destinations", { ...WEBHOOK, name: "other" });
  const body = { updateMask: ["name"], destination: { name: "x" } };
  for (const at of [
    `/projects/acme/destinations/${WEBHOOK.name}`,
    "/projects/acme/destinations/none",
    path.replace("acme", "globex-staging"),
  ]) {
    expect((await ask(sandbox, `PATCH ${at}`, body)).status, at).toBe(404);
  }
  expect((await patch(["name"], { name: "other" })).status).toBe(409);
  expect((await patch(["name"], { name: WEBHOOK.name })).body.id).toBe(record.id);
  const unknown = `PATCH /projects/acme/topics/${topic.body.id}`;
  expect((await ask(sandbox, unknown, { name: "x" })).status).toBe(404);
});

test("a topic is renamed: 409 for a taken name, 422 for one that is not valid", async () => {
  const sandbox = fresh();
  const make = (name: string) => ask(sandbox, "POST /projects/acme/topics", { name });
  const { body: topic } = await make("lifecycle");
  await make("taken");
  const rename = (name: string) =>
    ask(sandbox, `PATCH /projects/acme/topics/${topic.id}`, { name });
  expect((await rename("taken")).status).toBe(409);
  expect((await rename("a b")).status).toBe(422);
  expect((await rename("x".repeat(65))).status).toBe(422);
  const { status, body } = await rename("phoenix");
  expect([status, body]).toEqual([
    200,
    { ...topic, name: "phoenix", updateTime: NOW.toISOString() },
  ]);
});
