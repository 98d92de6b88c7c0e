import { describe, expect, it } from "vitest";
import { createFaultySandbox } from "../../../src/sandbox/faults/faulty-sandbox.ts";
import type { FaultScript } from "../../../src/sandbox/faults/script.ts";
import type { World } from "../../../src/sandbox/world.ts";
import type { Outcome } from "../../harness.ts";
import { ENTER, operator } from "../../scripted-prompter.ts";
import { UNROUTED } from "../../unrouted.ts";
import { ADDRESSES, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const APPLY = "apply -f routing.yaml --yes --json";
const OPS = "destination/ops";
const REPLACE = `${APPLY} --replace ${OPS}`;
const OTHER_TYPE = ROUTING.replace(
  "type: webhook, metadata: { url: https://hooks.acme.com/amp }",
  "type: slack, metadata: { url: https://hooks.slack.com/services/T/B/x }",
);

type Faults = NonNullable<FaultScript["faults"]>;

/** A place whose routing is applied, and whose file then names another type. */
async function changed(faults: Faults = [], script: Omit<FaultScript, "faults"> = {}) {
  const sandbox = createFaultySandbox({ script, state: UNROUTED });
  const place = placeWith(sandbox);
  expect((await place.notify(APPLY)).code).toBe(0);
  place.write("routing.yaml", OTHER_TYPE);
  sandbox.follow(faults);
  const before = sandbox.world.destinations.find(({ name }) => name === "ops")?.id;
  return { ...place, faulty: sandbox, before };
}

/** What the project has: destinations by name, and how many routes lead to each. */
function routed({ destinations, destinationRoutes, projects }: World) {
  const projectId = projects.find(({ name }) => name === "acme")?.id;
  return destinations
    .filter((one) => one.projectId === projectId)
    .map(({ id, name, type }) => {
      const routes = destinationRoutes.filter(({ destinationId }) => destinationId === id);
      return `${name} ${type} ${routes.length}`;
    });
}

const planned = (run: Outcome) =>
  run.json() as { items: { address: string; action: string }[]; counts: object };

describe("--replace", () => {
  it("creates the new one and its routes first, then deletes the old ones", async () => {
    const place = await changed();
    const plan = await place.notify(`plan -f routing.yaml --json --replace ${OPS}`);
    expect(planned(plan).counts).toMatchObject({ replace: 2, in_place: 3, create: 0, delete: 0 });
    const run = await place.notify(REPLACE);
    expect(run.code).toBe(0);
    expect(writesOf(run).map((line) => line.split("/")[0])).toEqual([
      "PATCH destinations",
      "POST destinations",
      "POST topic-destination-routes",
      "DELETE topic-destination-routes",
      "DELETE destinations",
    ]);
    expect(run.json()).toMatchObject({ counts: { created: 2, deleted: 2, in_place: 3 } });
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
    const after = await place.notify(APPLY);
    expect(after.json()).toMatchObject({ counts: { in_place: 5 } });
    expect(writesOf(after)).toEqual([]);
  });

  it("is not done again for what matches the file, and says so", async () => {
    const place = await changed();
    expect((await place.notify(REPLACE)).code).toBe(0);
    const says = `--replace ${OPS} is not needed: it matches the file.`;
    for (const words of ["plan -f routing.yaml", "apply -f routing.yaml --yes"]) {
      const again = await place.notify(`${words} --replace ${OPS}`);
      expect([again.code, writesOf(again)]).toEqual([0, []]);
      expect(again.stderr.replaceAll(/\s+/gu, " ")).toContain(says);
    }
    expect((await place.notify(REPLACE)).json()).toMatchObject({ counts: { in_place: 5 } });
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
  });

  it("is never done without it, and asks as a prune does", async () => {
    const place = await changed();
    const refused = await place.notify(APPLY);
    expect([refused.code, writesOf(refused)]).toEqual([5, []]);
    const asked = await place.notify(
      `apply -f routing.yaml --replace ${OPS}`,
      operator([["Apply these changes?", ENTER]]),
    );
    expect([asked.code, writesOf(asked)]).toEqual([130, []]);
    expect(asked.stderr).toContain("± ");
  });

  it("refuses routes, what the file does not declare, and what other routes use", async () => {
    const place = await changed();
    for (const [address, says] of [
      ["destination-route/lifecycle/ops", "routes cannot be replaced"],
      ["destination/opps", "Did you mean destination/ops?"],
      ["nonsense", "is not a valid address"],
    ]) {
      const refused = await place.notify(`plan -f routing.yaml --replace ${address}`);
      expect([refused.code, refused.stderr.includes(says ?? "")], address).toEqual([2, true]);
    }
    await place.notify("topics create --name other");
    const topic = place.sandbox.world.topics.find(({ name }) => name === "other")?.id;
    const make = `--topic-id ${topic} --destination-id ${place.before}`;
    expect((await place.notify(`destination-routes create ${make}`)).code).toBe(0);
    const used = await place.notify(REPLACE);
    expect(used.code).toBe(5);
    expect(used.error()).toMatchObject({ conflicts: [{ address: OPS, reason: "in_use" }] });
    expect(writesOf(used)).toEqual([]);
  });

  it.each<[string, Faults, Omit<FaultScript, "faults">]>([
    ["lists", [404, 405, 501].map((status) => noUpdates(status))[1] ?? [], { uniqueNames: false }],
    ["no lists", noUpdates(405), { uniqueNames: false, lists: false }],
    ["404 for updates", noUpdates(404), { uniqueNames: false }],
  ])("works where the service has no updates: %s", async (_, faults, script) => {
    const place = await changed(faults, script);
    const run = await place.notify(REPLACE);
    expect(run.code).toBe(0);
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });

  it.each(
    [
      "PATCH destinations/*",
      "POST destinations",
      "POST topic-destination-routes",
      "DELETE *",
    ].flatMap((on) => [true, false].map((commit) => [on, commit] as const)),
  )("ends once whatever is lost: %s, committed: %s", async (on, commit) => {
    const place = await changed([{ on, do: "reset", nth: 1, times: 9, commit }]);
    const lost = await place.notify(`${REPLACE} --commit-horizon 50ms`);
    expect([0, 7, 9]).toContain(lost.code);
    place.faulty.follow([]);
    const again = await place.notify(`${REPLACE} --commit-horizon 50ms`);
    expect(again.code).toBe(0);
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
    const status = await place.notify("status -f routing.yaml --json");
    expect(status.json()).toHaveLength(ADDRESSES.length);
  });

  it("tells what an unfinished one has left, and deletes it only when asked to", async () => {
    const place = await changed([{ on: "DELETE *", do: "status", status: 403, commit: false }]);
    expect((await place.notify(REPLACE)).code).toBe(9);
    place.faulty.follow([]);
    const plain = await place.notify(APPLY);
    expect([plain.code, writesOf(plain)]).toEqual([0, []]);
    expect(routed(place.sandbox.world)).toHaveLength(2);
    const plan = await place.notify("plan -f routing.yaml");
    expect(plan.stderr.replaceAll(/\s+/gu, " ")).toMatch(
      /destination\/ops-replaced-\w{6} should have been replaced, but still exists: --replace destination\/ops deletes it/u,
    );
    const done = await place.notify(REPLACE);
    expect(writesOf(done).map((line) => line.split(" ")[0])).toEqual(["DELETE", "DELETE"]);
    expect(done.stderr).not.toContain("is not needed");
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
  });
});

function noUpdates(status: number): Faults {
  return [{ on: "PATCH *", do: "status", status, commit: false }];
}
