import { describe, expect, it } from "vitest";
import type { RecordedRun, RunChange } from "../../../src/notify/state/history.ts";
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
    const history = (await place.notify("history --json")).json() as readonly RecordedRun[];
    const deleted = history.flatMap(({ changes }) => changes).filter(isDelete);
    expect(deleted.map(({ replaced }) => replaced)).toEqual([true, true]);
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

  const REFUSED: Faults = [{ on: "POST destinations", do: "status", status: 422, commit: false }];

  it("gives the old one its name back where the new one is refused, and says so", async () => {
    const place = await changed(REFUSED);
    const refused = await place.notify(REPLACE);
    expect(refused.code).toBe(6);
    expect(writesOf(refused).map((line) => line.split("/")[0])).toEqual([
      "PATCH destinations",
      "POST destinations",
      "PATCH destinations",
    ]);
    const { done } = refused.error() as { done: string };
    expect(done).toMatch(
      /^Nothing was created\.\ndestination\/ops was renamed to ops-replaced-\w{6}, and then back\.$/u,
    );
    expect(routed(place.sandbox.world)).toEqual(["ops webhook 1"]);
    place.faulty.follow([]);
    expect((await place.notify("undo r2 --yes")).stderr).toContain("Run r2 has nothing to undo");
    place.write("routing.yaml", ROUTING);
    expect((await place.notify(APPLY)).json()).toMatchObject({ counts: { in_place: 5 } });
    expect(routed(place.sandbox.world)).toEqual(["ops webhook 1"]);
    // It changed nothing in the end, so it is not in the way of an earlier run.
    expect((await place.notify("undo r1 --yes")).code).toBe(0);
    expect(routed(place.sandbox.world)).toEqual([]);
  });

  /** A place where the new one is refused, and the old one keeps its other name. */
  async function leftAside() {
    const on = "PATCH destinations/*";
    const place = await changed([
      ...REFUSED,
      { on, do: "status", status: 403, nth: 2, commit: false },
    ]);
    const refused = await place.notify(REPLACE);
    place.faulty.follow([]);
    const [only = ""] = routed(place.sandbox.world);
    expect(only).toMatch(/^ops-replaced-\w{6} webhook 1$/u);
    return { ...place, refused, name: only.split(" ")[0] ?? "" };
  }

  it("names the rename and the command for it where the name cannot be restored", async () => {
    const { refused, name, before, notify, sandbox } = await leftAside();
    expect(refused.code).toBe(9);
    const receipt = refused.json() as { counts: object; notTried: readonly string[] };
    expect(refused.error()).toMatchObject({
      done: expect.stringContaining(`destination/ops is now named ${name}  dst_`),
      suggestion: `amp notify destinations update ${before} --name ops`,
    });
    expect(receipt.counts).toMatchObject({ updated: 1, failed: 1 });
    expect(receipt.notTried).not.toContain(`destination/${name}`);
    expect((await notify(`destinations update ${before} --name ops --yes`)).code).toBe(0);
    expect(routed(sandbox.world)).toEqual(["ops webhook 1"]);
  });

  it.each(["ROUTING", "OTHER_URL"])("is taken back by an apply of %s", async (file) => {
    const place = await leftAside();
    const text = file === "ROUTING" ? ROUTING : ROUTING.replace("acme.com/amp", "acme.com/moved");
    place.write("routing.yaml", text);
    const plan = await place.notify("plan -f routing.yaml --json");
    expect(planned(plan).counts).toMatchObject({ update: 1, in_place: 4, create: 0 });
    const back = await place.notify(APPLY);
    expect(writesOf(back).map((line) => line.split(" ")[0])).toEqual(["PATCH"]);
    expect(routed(place.sandbox.world)).toEqual(["ops webhook 1"]);
    const after = await place.notify(APPLY);
    expect([writesOf(after), after.json()]).toMatchObject([[], { counts: { in_place: 5 } }]);
    place.write("routing.yaml", OTHER_TYPE);
    expect((await place.notify(REPLACE)).code).toBe(0);
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
  });

  it("is taken back by an undo of its run", async () => {
    const place = await leftAside();
    const undone = await place.notify("undo r2 --yes");
    expect([undone.code, undone.stderr]).toEqual([0, expect.not.stringContaining("unchanged")]);
    expect(routed(place.sandbox.world)).toEqual(["ops webhook 1"]);
    place.write("routing.yaml", ROUTING);
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });

  it.each([true, false])("waits for a delete that is only accepted, done: %s", async (commit) => {
    const place = await changed([{ on: "DELETE *", do: "empty", status: 202, commit }]);
    const run = await place.notify(`${REPLACE} --commit-horizon 50ms`);
    expect(run.code).toBe(commit ? 0 : 9);
    const { counts } = run.json() as { counts: object };
    expect(counts).toMatchObject(commit ? { deleted: 2 } : { deleted: 0, unknown: 1 });
    place.faulty.follow([]);
    expect((await place.notify(`${REPLACE} --commit-horizon 50ms`)).code).toBe(0);
    expect(routed(place.sandbox.world)).toEqual(["ops slack 1"]);
  });

  it("says that nothing was deleted or updated, where that was refused", async () => {
    const on = "PATCH destinations/*";
    const place = await changed([{ on, do: "status", status: 504, commit: false }]);
    place.write("routing.yaml", ROUTING.replace("acme.com/amp", "acme.com/moved"));
    const updated = await place.notify("apply -f routing.yaml --yes --commit-horizon 50ms");
    expect(updated.stderr).not.toContain("not created");
    expect(updated.stderr).toContain("Nothing was changed.");
    const refused = [{ on: "DELETE *", do: "status", status: 403, commit: false } as const];
    place.faulty.follow(refused);
    place.write("routing.yaml", ROUTING.slice(0, ROUTING.indexOf("topics:")));
    const pruned = await place.notify(`${APPLY} --prune --parallel 1`);
    expect(pruned.error().done).toMatch(/^Nothing was deleted\./u);
  });

  it("says in the plan that the old one is renamed first", async () => {
    const place = await changed();
    const { stderr, stdout } = await place.notify(`plan -f routing.yaml --replace ${OPS}`);
    const said = `${stdout}${stderr}`.replaceAll(/\s+/gu, " ");
    expect(said).toMatch(
      /It is renamed to ops-replaced-\w{6}, another ops is created with its routes, then the old routes and it are deleted\./u,
    );
  });
});

const isDelete = ({ action }: RunChange) => action === "deleted";

function noUpdates(status: number): Faults {
  return [{ on: "PATCH *", do: "status", status, commit: false }];
}
