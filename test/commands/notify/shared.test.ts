import { describe, expect, it } from "vitest";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import type { Outcome } from "../../harness.ts";
import { UNROUTED } from "../../unrouted.ts";
import { named, type Place, placeWith, ROUTING, writesOf } from "./notify-fixture.ts";

const OPS = "destination/ops";
const MOVED = ROUTING.replace("hooks.acme.com/amp", "hooks.acme.com/moved");
const WITH_TEAM = ROUTING.replace("/amp }", "/amp, headers: { X-Team: ops } }");

const SCREEN = { tty: true, columns: 140, env: { NO_COLOR: "1" } };

const applied = (file: string, more = "") => `apply -f ${file}.yaml --yes --json${more}`;
const items = (run: Outcome) => (run.json() as { items: object[] }).items;
const textOf = ({ stdout, stderr }: Outcome) => (stdout + stderr).replaceAll(/\s+/gu, " ");

function opsOf({ sandbox }: Place) {
  return sandbox.world.destinations.find(({ name }) => name === "ops");
}

/** Whose a resource is, and which other files declare it. */
function ownersOf(place: Place, address: string = OPS) {
  const { entries } = JSON.parse(place.read("s.json")) as {
    entries: Record<string, { owner: string; alsoIn?: string[] }>;
  };
  const { owner, alsoIn = [] } = entries[address] ?? {};
  return [owner, ...alsoIn];
}

/** A place with two files; `routing.yaml` is applied. The state is in `s.json`. */
async function twoFiles(other: string, { lists = true, first = ROUTING } = {}): Promise<Place> {
  const place = placeWith(createFaultySandbox({ script: { lists }, state: UNROUTED }));
  const env = { AMP_STATE: "s.json" };
  const own: Place = {
    ...place,
    notify: (words, world = {}) => place.notify(words, { ...world, env: { ...env, ...world.env } }),
  };
  own.write("routing.yaml", first);
  own.write("other.yaml", named("other", other));
  expect((await own.notify(applied("routing"))).code).toBe(0);
  return own;
}

describe("a destination that two files want with different values", () => {
  it("is a conflict for the second one, which sends nothing and does not own it", async () => {
    const place = await twoFiles(MOVED);
    const plan = await place.notify("plan -f other.yaml --json");
    expect(plan.code).toBe(5);
    expect(items(plan)[0]).toMatchObject({
      action: "conflict",
      reason: "shared",
      owners: ["routing"],
      differences: [{ field: "metadata.url", wanted: "https://hooks.acme.com/moved" }],
    });
    const refused = await place.notify(applied("other"));
    expect([refused.code, writesOf(refused)]).toEqual([5, []]);
    expect(refused.error()).toMatchObject({
      done: "Nothing was changed.",
      detail: expect.stringContaining('is owned by "routing":'),
      remedy: expect.stringContaining("add --accept shared"),
    });
    expect(ownersOf(place)).toEqual(["file:routing"]);
  });

  it("is marked in the plan, by the name of the other", async () => {
    const place = await twoFiles(MOVED);
    const refused = await place.notify("plan -f other.yaml", SCREEN);
    expect(textOf(refused)).toContain('! destination ops is owned by "routing"');
    const allowed = await place.notify("plan -f other.yaml --accept shared", SCREEN);
    expect(allowed.code).toBe(0);
    expect(textOf(allowed)).toContain('~ destination ops also declared by "routing"');
  });

  it.each([true, false])(
    "changes with --accept shared, not in turns (lists: %s)",
    async (lists) => {
      const place = await twoFiles(MOVED, { lists });
      const changed = await place.notify(applied("other", " --accept shared"));
      expect([changed.code, opsOf(place)?.metadata.url]).toEqual([
        0,
        "https://hooks.acme.com/moved",
      ]);
      const back = await place.notify(applied("routing"));
      expect([back.code, writesOf(back)]).toEqual([5, []]);
      place.write("routing.yaml", MOVED);
      for (const file of ["routing", "other"]) {
        const run = await place.notify(applied(file));
        expect([run.code, writesOf(run)]).toEqual([0, []]);
      }
      expect(ownersOf(place)).toEqual(["file:other", "routing"]);
    },
  );

  it.each([true, false])(
    "stays for a file that found it in place with --accept shared (lists: %s)",
    async (lists) => {
      const place = await twoFiles(ROUTING, { lists });
      await place.notify(applied("other", " --accept shared"));
      expect(ownersOf(place)).toEqual(["file:routing", "other"]);
      place.write("routing.yaml", ROUTING.replace("installation.created, ", ""));
      const pruned = await place.notify(applied("routing", " --prune"));
      expect([pruned.code, writesOf(pruned)]).toEqual([0, []]);
    },
  );

  it("is of the file that takes it with --accept shared after it was renamed at the service", async () => {
    const place = await twoFiles(ROUTING.replace("lifecycle", "changed"));
    const { topics } = place.sandbox.world;
    Object.assign(topics.findLast(({ name }) => name === "lifecycle") ?? {}, { name: "changed" });
    const more = " AMP_COMMIT_HORIZON=50ms";
    expect((await place.notify(applied("other", more))).code).toBe(5);
    const taken = await place.notify(applied("other", ` --accept shared${more}`));
    expect([taken.code, writesOf(taken)]).toEqual([0, []]);
    expect(ownersOf(place, "topic/changed")).toEqual(["file:other", "routing"]);
  });

  it.each([true, false])("is in place for a file with fewer fields (lists: %s)", async (lists) => {
    const place = await twoFiles(ROUTING, { lists, first: WITH_TEAM });
    for (const file of ["other", "routing", "other", "routing"]) {
      const run = await place.notify(applied(file));
      expect([run.code, writesOf(run)]).toEqual([0, []]);
    }
    expect(opsOf(place)?.metadata.headers).toEqual({ "X-Team": "ops" });
  });

  it("gets its values back after a change at the service, by either of them", async () => {
    const place = await twoFiles(ROUTING);
    expect((await place.notify(applied("other"))).code).toBe(0);
    Object.assign(opsOf(place)?.metadata ?? {}, { url: "https://elsewhere.example" });
    expect((await place.notify(applied("other", " AMP_COMMIT_HORIZON=50ms"))).code).toBe(0);
    expect(opsOf(place)?.metadata.url).toBe("https://hooks.acme.com/amp");
  });

  it("is not renamed without the option", async () => {
    const renamed = ROUTING.replace("  ops: {", "  alerts: { renamed-from: ops,").replace(
      "[ops]",
      "[alerts]",
    );
    const place = await twoFiles(renamed);
    const refused = await place.notify(applied("other"));
    expect([refused.code, writesOf(refused)]).toEqual([5, []]);
  });

  it("is a conflict for a routing without a name", async () => {
    const place = await twoFiles(MOVED);
    const piped = await place.notify("apply -f - --yes --json", {
      stdin: MOVED.replace("name: routing\n", ""),
    });
    expect([piped.code, writesOf(piped)]).toEqual([5, []]);
  });

  it("is changed by a plan that was saved with the option", async () => {
    const place = await twoFiles(MOVED);
    await place.notify("plan -f other.yaml --accept shared --out plan.json");
    expect((await place.notify("apply -f other.yaml --accept shared --plan plan.json")).code).toBe(
      0,
    );
    expect(opsOf(place)?.metadata.url).toBe("https://hooks.acme.com/moved");
  });

  it("is changed by its own command, which says who puts it back", async () => {
    const place = await twoFiles(ROUTING);
    const run = await place.notify(
      "destinations update ops --url https://x.example/a --yes",
      SCREEN,
    );
    expect(run.code).toBe(0);
    expect(textOf(run)).toContain("The next apply of routing puts it back.");
  });
});

describe("amp notify setup for a destination of a file", () => {
  const SETUP =
    "setup --destination-name ops --destination-type webhook --topic more --event connection.error --yes --json";

  it("is a conflict where its URL differs, and so is the next apply of the file", async () => {
    const place = await twoFiles(ROUTING);
    const refused = await place.notify(`${SETUP} --url https://x.example/a`);
    expect([refused.code, writesOf(refused)]).toEqual([5, []]);
    expect(refused.error().conflicts).toMatchObject([{ address: OPS, owners: ["routing"] }]);
    const run = await place.notify(`${SETUP} --url https://x.example/a --accept shared`);
    expect([run.code, opsOf(place)?.metadata.url]).toEqual([0, "https://x.example/a"]);
    // The file does not change it back without a word either.
    expect((await place.notify(applied("routing"))).code).toBe(5);
  });

  it("suggests no option that setup does not have where it cannot be changed", async () => {
    const place = await twoFiles(ROUTING);
    const slack = SETUP.replace("webhook", "slack");
    const url = "--url https://hooks.slack.com/services/T/B/x";
    const refused = await place.notify(`${slack} ${url} --accept shared`);
    expect(refused.code).toBe(5);
    expect(refused.error()).toMatchObject({
      conflicts: [{ address: OPS, reason: "cannot_change" }],
      remedy: "Give it another name, and prune or delete the old one.",
    });
    expect(refused.error().remedy).not.toContain("in the file");
  });

  it("adopts the destination if the settings agree", async () => {
    const place = await twoFiles(ROUTING);
    const run = await place.notify(`${SETUP} --url https://hooks.acme.com/amp`);
    expect(run.code).toBe(0);
    expect(ownersOf(place)).toEqual(["file:routing", "more"]);
  });
});
