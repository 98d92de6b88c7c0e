import { expect, test } from "vitest";
import { LEAST_INSTALLATIONS, SANDBOX_DEFAULTS } from "../../../src/sandbox/defaults.ts";
import { largeWorld } from "../../../src/sandbox/seed/large-world.ts";
import { worldAt } from "../../../src/sandbox/seed/seed-file.ts";
import { STORY_NAMES, type StoryName } from "../../../src/sandbox/seed/stories.ts";
import { SEED_WORLD } from "../../../src/sandbox/seed/world.ts";
import { worldSchema } from "../../../src/sandbox/world.ts";
import { ask, fresh } from "../ask.ts";

const CRM = `/projects/acme/integrations/${SANDBOX_DEFAULTS.integration}/installations`;
/** Cyberdyne's reads have failed for three days. */
const FAILING = `${CRM}/ins_08139571`;
/** Hooli is reading all records of its companies. */
const RUNNING = `${CRM}/ins_61980597`;

test("operations are listed in pages, newest first", async () => {
  const sandbox = fresh();
  const first = await ask(sandbox, `GET ${FAILING}/operations?pageSize=3`);
  expect(first.body.results).toHaveLength(3);
  expect(first.body.pagination).toEqual({ done: false, nextPageToken: "3" });
  const next = await ask(sandbox, `GET ${FAILING}/operations?pageSize=3&pageToken=3`);
  const times = [...first.body.results, ...next.body.results].map(({ createTime }) => createTime);
  expect(times).toEqual(times.toSorted().toReversed());
  expect(new Set([...first.body.results, ...next.body.results].map(({ id }) => id)).size).toBe(6);
  const last = await ask(sandbox, `GET ${FAILING}/operations?pageSize=1000&pageToken=1000`);
  expect(last.body.pagination).toEqual({ done: true });
});

test.each(["pageSize=0", "pageSize=1001", "pageSize=x", "pageToken=-1", "pageSize="])(
  "%s is refused",
  async (query) => {
    expect((await ask(fresh(), `GET ${FAILING}/operations?${query}`)).status).toBe(422);
  },
);

test("an operation has its record and its log, and a failed one says why", async () => {
  const sandbox = fresh();
  const [newest] = (await ask(sandbox, `GET ${FAILING}/operations?pageSize=1`)).body.results;
  const one = await ask(sandbox, `GET /projects/acme/operations/${newest.id}`);
  expect(one.body).toEqual(newest);
  expect(one.body.status).toBe("failure");
  const log = await ask(sandbox, `GET /projects/acme/operations/${newest.id}/logs`);
  expect(log.text).toContain("No such column 'deal_stage_x'");
});

test.each([
  `${CRM}/ins_00000000`,
  `${CRM}/ins_00000000/operations`,
  "/projects/acme/operations/op_08139571_zzzz",
  "/projects/acme/operations/nothing/logs",
  "/projects/globex-staging/operations/op_08139571_1b4",
  `${FAILING}/objects/contacts/backfill-progress`,
])("%s does not exist", async (path) => {
  expect((await ask(fresh(), `GET ${path}`)).status).toBe(404);
});

test("a backfill in progress counts what it has read", async () => {
  const later = fresh({ now: () => new Date("2026-09-01T12:10:00.000Z") });
  const { body } = await ask(later, `GET ${RUNNING}/objects/companies/backfill-progress`);
  expect(body).toMatchObject({ recordsProcessed: 50_400, recordsEstimatedTotal: 1_200_000 });
});

test("reading an object is paused by a field of the config, and nothing else changes", async () => {
  const sandbox = fresh();
  const before = (await ask(sandbox, `GET ${FAILING}`)).body;
  const updateMask = ["config.content.read.objects.contacts.disabled"];
  const objects = { contacts: { disabled: true }, deals: { disabled: true } };
  const installation = { config: { content: { read: { objects } } } };
  const { status } = await ask(sandbox, `PATCH ${FAILING}`, { updateMask, installation });
  expect(status).toBe(200);
  const { updateTime, ...after } = (await ask(sandbox, `GET ${FAILING}`)).body;
  expect(updateTime).toBe("2026-09-02T08:30:00.000Z");
  const { contacts } = before.config.content.read.objects;
  before.config.content.read.objects.contacts = { ...contacts, disabled: true };
  expect({ ...after, updateTime: before.updateTime }).toEqual(before);
});

test.each([["config.content.read.objects.nothing.disabled"], ["healthStatus"], ["config.content"]])(
  "an update of %s is refused",
  async (path) => {
    const body = { updateMask: [path], installation: { config: {} } };
    expect((await ask(fresh(), `PATCH ${FAILING}`, body)).status).toBe(422);
  },
);

test("the endpoints of operations do not exist with --spec-only", async () => {
  const sandbox = fresh({ specOnly: true });
  for (const path of [
    FAILING,
    `${FAILING}/operations`,
    "/projects/acme/operations/op_08139571_1b4",
  ]) {
    expect((await ask(sandbox, `GET ${path}`)).status).toBe(404);
  }
  expect((await ask(sandbox, `PATCH ${FAILING}`, {})).status).toBe(404);
});

test("a large world has every story, and the same installations whatever its size", () => {
  const least = largeWorld(LEAST_INSTALLATIONS);
  expect(least.installations).toHaveLength(LEAST_INSTALLATIONS);
  expect(worldSchema.safeParse(least).error).toBeUndefined();
  const stories = Object.values(least.activity?.stories ?? {}) as StoryName[];
  expect(stories).toHaveLength(LEAST_INSTALLATIONS);
  expect(STORY_NAMES.filter((name) => !stories.includes(name))).toEqual([]);
  const large = largeWorld(2000);
  const ids = new Set(large.installations.map(({ id }) => id));
  expect(ids.size).toBe(2000);
  expect(least.installations.filter(({ id }) => !ids.has(id))).toEqual([]);
  expect(worldSchema.safeParse(large).error).toBeUndefined();
});

test("a large world has cohorts: a provider, an integration and a single customer that fail", () => {
  const { installations, integrations } = largeWorld(LEAST_INSTALLATIONS);
  const failing = (name: string) => {
    const id = integrations.find((one) => one.name === name)?.id;
    const own = installations.filter(({ integrationId }) => integrationId === id);
    return [own.filter(({ healthStatus }) => healthStatus === "unhealthy").length, own.length];
  };
  expect(failing("monitor-sync")).toEqual([3, 4]);
  expect(failing("incident-sync")).toEqual([2, 3]);
  expect(failing("rates-sync")).toEqual([3, 3]);
  expect(failing("content-sync")).toEqual([1, 5]);
});

test("every time of a world moves with its present, and its IDs stay", () => {
  const moved = worldAt(SEED_WORLD, new Date("2026-09-03T12:00:00.000Z"));
  expect(moved.installations[0]?.createTime).toBe("2026-02-03T12:00:00.000Z");
  expect(SEED_WORLD.installations[0]?.createTime).toBe("2026-02-01T12:00:00.000Z");
  const ids = ({ installations }: typeof moved) =>
    installations.map(({ id, config }) => [id, config.id]);
  expect(ids(moved)).toEqual(ids(SEED_WORLD));
});
