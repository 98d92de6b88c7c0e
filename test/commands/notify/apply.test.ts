import { describe, expect, it } from "vitest";
import type { Receipt } from "../../../src/notify/engine/types.ts";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { NOW, run, sandboxAt } from "../../harness.ts";
import { CTRL_C, ENTER, operator } from "../../scripted-prompter.ts";
import { UNROUTED } from "../../unrouted.ts";
import {
  ADDRESSES,
  listingNoRoutes,
  named,
  placeWith,
  ROUTING,
  writesOf,
} from "./notify-fixture.ts";

const QUESTION = "Apply these changes?";
const APPLY = "apply -f routing.yaml --yes";
const OTHER_TYPE = ROUTING.replace("type: webhook", "type: pigeon");
const OTHER_URL = ROUTING.replace("hooks.acme.com/amp", "hooks.acme.com/other");
const NOTHING = "version: 1\nname: routing\ndestinations: {}\ntopics: {}\n";
/** Prunes all that was applied under the name of a file that declares none of it any more. */
const EMPTIED = "--prune --accept takeover";
const ONE_EVENT = ROUTING.replace(", connection.error", "");

describe("plan", () => {
  it("tells what would be done, and sends nothing that changes anything", async () => {
    const place = placeWith();
    const plan = await place.notify("plan -f routing.yaml --json");
    expect(plan).toMatchObject({ code: 0, stderr: "" });
    expect(plan.json()).toMatchObject({
      pending: true,
      counts: { create: 5 },
      items: ADDRESSES.map((address) => ({ address, action: "create" })),
    });
    expect(writesOf(plan)).toEqual([]);
    expect(place.has(".local")).toBe(false);
  });

  it("prints each address on a line of its own with --output id", async () => {
    const { stdout } = await placeWith().notify("plan -f routing.yaml -o id");
    expect(stdout).toBe(ADDRESSES.map((address) => `${address}\n`).join(""));
  });

  it("exits 8 with --exit-code while changes are pending, and 0 when none are", async () => {
    const place = placeWith();
    expect((await place.notify("plan -f routing.yaml --exit-code")).code).toBe(8);
    await place.notify(APPLY);
    const done = await place.notify("plan -f routing.yaml --exit-code");
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain("In sync: 5 resources");
    place.write("routing.yaml", OTHER_URL);
    const changed = await place.notify("plan -f routing.yaml --exit-code");
    expect(changed.code).toBe(8);
    expect(changed.stderr).toContain("hooks.acme.com/other");
    place.write("routing.yaml", OTHER_TYPE);
    expect((await place.notify("plan -f routing.yaml --exit-code")).code).toBe(5);
  });

  it("is kept with --out and applied without a question", async () => {
    const place = placeWith();
    const kept = await place.notify("plan -f routing.yaml --out plan.json");
    expect(kept.stderr).toContain("amp notify apply -f routing.yaml --plan plan.json");
    for (const [yes, why] of [
      ["", "add --overwrite to replace it"],
      [" --yes", "--yes has no effect on amp notify plan"],
    ]) {
      const refused = await place.notify(`plan -f routing.yaml --out plan.json${yes}`);
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(why);
    }
    const again = await place.notify("plan -f routing.yaml --out plan.json --overwrite");
    expect(again.code).toBe(0);
    const applied = await place.notify("apply -f routing.yaml --plan plan.json");
    expect(applied.code).toBe(0);
    expect(writesOf(applied)).toHaveLength(5);
  });

  it.each([
    [
      "the routing file",
      "the routing file has changed",
      (p: Place) => p.write("routing.yaml", ONE_EVENT),
    ],
    [
      "the state",
      "the state has changed",
      async (p: Place) => {
        const made = (await p.notify("topics create other --json")).json() as { id: string };
        await p.notify(`state import topic/other ${made.id}`);
      },
    ],
  ] as const)("is refused when %s has moved since", async (_, why, move) => {
    const place = placeWith();
    await place.notify("plan -f routing.yaml --out plan.json");
    await move(place);
    const refused = await place.notify("apply -f routing.yaml --plan plan.json");
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain(why);
    expect(refused.stderr).toContain("Try: amp notify plan -f routing.yaml --out plan.json");
    // Without a state, the service is asked for the project that it would belong to.
    expect(refused.requests.filter(({ path }) => path !== "/projects")).toEqual([]);
  });

  it("names the file and the choices of an outdated plan in the command that makes it anew", async () => {
    const place = placeWith();
    place.write("my.yaml", ROUTING);
    await place.notify("plan -f my.yaml --prune --out my.plan");
    place.write("my.yaml", ONE_EVENT);
    const refused = await place.notify("apply -f my.yaml --prune --plan my.plan");
    expect(refused.stderr).toContain("Try: amp notify plan -f my.yaml --prune --out my.plan");
  });

  it.each([
    ["plan -f nope.yaml", "nope.yaml", "amp notify setup --save nope.yaml"],
    ["apply -f nope.yaml --yes", "nope.yaml", "amp notify setup --save nope.yaml"],
    [
      "apply -f routing.yaml --plan nope.plan",
      "nope.plan",
      "amp notify plan -f routing.yaml --out nope.plan",
    ],
  ])("%s says that the file was not found, and how to make one", async (words, file, command) => {
    const missing = await placeWith().notify(words);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain(`Cannot read ${file}: file not found`);
    expect(missing.stderr).toContain(`Try: ${command}`);
    expect(missing.requests).toEqual([]);
  });
});

type Place = ReturnType<typeof placeWith>;

describe("apply", () => {
  it("shows the plan, asks, and creates", async () => {
    const place = placeWith();
    const answering = (yes: boolean) => operator([["Create these?", yes]]);
    const no = await place.notify("apply -f routing.yaml", answering(false));
    expect(no.code).toBe(130);
    expect(no.stderr).toContain("Nothing was created.");
    expect(writesOf(no)).toEqual([]);
    const yes = await place.notify("apply -f routing.yaml", answering(true));
    expect(yes.code).toBe(0);
    expect(yes.stderr).toContain("5 to create");
    expect(yes.stdout).toContain("Apply complete: 5 created");
  });

  it("needs --yes where nobody can be asked", async () => {
    const refused = await placeWith().notify("apply -f routing.yaml");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("Add --yes");
    expect(writesOf(refused)).toEqual([]);
  });

  it("says only the result with --quiet", async () => {
    const quiet = await placeWith().notify(`${APPLY} --quiet`);
    expect(quiet).toMatchObject({ code: 0, stderr: "" });
    for (const address of ADDRESSES) expect(quiet.stdout).toContain(address);
  });

  it("sends nothing with --dry-run", async () => {
    const dry = await placeWith().notify("apply -f routing.yaml --dry-run");
    expect(dry.code).toBe(0);
    expect(writesOf(dry)).toEqual([]);
    expect(dry.stderr).toContain("5 to create");
    expect(dry.stderr).toContain("Nothing was sent.");
  });

  it("does nothing the second time", async () => {
    const place = placeWith();
    expect((await place.notify(`${APPLY} --json`)).json()).toMatchObject({
      settled: ADDRESSES.map((address) => ({
        address,
        outcome: "created",
        id: expect.any(String),
      })),
    });
    const second = await place.notify("apply -f routing.yaml");
    expect(second.code).toBe(0);
    expect(second.stderr).toContain("In sync: 5 resources");
    expect(writesOf(second)).toEqual([]);
  });

  it("says beside the answer that routes which the file does not name deliver, too", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    const route = "routes create --topic lifecycle --event installation.deleted";
    expect((await place.notify(`${route} --state other.json`)).code).toBe(0);
    const { stderr } = await place.notify("apply -f routing.yaml");
    expect(stderr).toContain("In sync: 5 resources, 1 unmanaged\n");
    expect(stderr).toContain("1 unmanaged route also delivers from topic lifecycle");
  });

  it("adopts what exists and is as wanted", async () => {
    const place = placeWith();
    await place.notify(`${APPLY} --state first.json`);
    const again = await place.notify(`${APPLY} --state second.json --json`);
    expect(again.code).toBe(0);
    expect(writesOf(again)).toEqual([]);
    expect(again.json()).toMatchObject({ settled: ADDRESSES.map(() => ({ outcome: "adopted" })) });
  });

  it("shows as a diff what exists, differs and is not its own, and creates nothing", async () => {
    const place = placeWith();
    await place.notify(`${APPLY} --state first.json`);
    place.write("routing.yaml", OTHER_URL.replace("lifecycle:", "another:"));
    const refused = await place.notify(`${APPLY} --state second.json`);
    expect(refused.code).toBe(5);
    const told = refused.stderr.replaceAll(/\s+/gu, " ");
    expect(told).toContain("Conflict: destination/ops");
    expect(told).toContain(
      'metadata.url: "https://hooks.acme.com/amp" → "https://hooks.acme.com/other"',
    );
    expect(told).toContain("Nothing was created.");
    expect(told).toContain("Add --accept adopt");
    expect(writesOf(refused)).toEqual([]);
  });

  it("asks nobody about what cannot be applied", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    place.write("routing.yaml", OTHER_TYPE);
    // A question fails the test.
    expect((await place.notify("apply -f routing.yaml", { tty: true })).code).toBe(5);
  });

  it("is refused where the service has one thing twice, and deleting one resolves it", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    const route = place.sandbox.world.eventRoutes.at(-1);
    if (route === undefined) throw new Error("no route");
    const make = `routes create --topic ${route.topicId} --event ${route.eventType} --state third.json`;
    expect((await place.notify(make, listingNoRoutes(place.sandbox))).code).toBe(0);
    const refused = await place.notify(`${APPLY} --state other.json`);
    expect(refused.code).toBe(5);
    const address = `event-route/lifecycle/${route.eventType}`;
    expect(refused.stderr).toContain(`${address} exists 2 times`);
    expect(writesOf(refused)).toEqual([]);
    const [, command = ""] = /Try: amp notify (.*)\n/u.exec(refused.stderr) ?? [];
    expect((await place.notify(`${command} --yes`)).code).toBe(0);
    expect((await place.notify(`${APPLY} --state other.json`)).code).toBe(0);
  });

  it("tells duplicates on stderr, and ends with 8, or 9 where something is missing too", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    const route = place.sandbox.world.eventRoutes.at(-1);
    if (route === undefined) throw new Error("no route");
    const make = `routes create --topic ${route.topicId} --event ${route.eventType} --state third.json`;
    await place.notify(make, listingNoRoutes(place.sandbox));
    const told = `event-route/lifecycle/${route.eventType} exists 2 times: `;
    for (const words of [
      "plan -f routing.yaml",
      "plan -f routing.yaml --json",
      "plan -f routing.yaml --exit-code",
      APPLY,
      `${APPLY} --json`,
      `${APPLY} --dry-run`,
    ]) {
      const outcome = await place.notify(words);
      expect(outcome, words).toMatchObject({ code: 8 });
      expect(outcome.stderr, words).toContain(told);
      expect(outcome.stdout, words).not.toMatch(/Everything is in place|No changes/u);
    }
    const plan = await place.notify("plan -f routing.yaml --json");
    expect(plan.json()).toMatchObject({
      duplicates: [{ ids: expect.arrayContaining([route.id]) }],
    });
    place.write(
      "routing.yaml",
      ROUTING.replace("[installation", "[installation.updated, installation"),
    );
    const outcome = await place.notify("plan -f routing.yaml");
    expect(outcome).toMatchObject({ code: 9 });
    expect(outcome.stderr).toContain(told);
  });

  it("is refused for another project, and with another target's state", async () => {
    const place = placeWith();
    place.write("routing.yaml", ROUTING.replace("version: 1", "version: 1\nproject: other"));
    const refused = await place.notify(APPLY);
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stderr).toContain("belongs to project other");
    expect(refused.stderr).toMatch(/The project acme is set by: .+\./u);
    place.write("routing.yaml", ROUTING);
    await place.notify(`${APPLY} --state state.json`);
    const state = await place.notify(`${APPLY} --state state.json --project globex-staging`);
    expect(state).toMatchObject({ code: 5 });
    expect(writesOf(state)).toEqual([]);
  });

  it("says of a delete that the time was over for that it may be done, not that it was not tried", async () => {
    const sandbox = createFaultySandbox({ script: {}, state: UNROUTED });
    const place = placeWith(sandbox);
    await place.notify(APPLY);
    place.write("routing.yaml", NOTHING);
    sandbox.follow([{ on: "DELETE *", nth: 2, do: "slow", ms: 10_000 }]);
    const run = await place.notify(`${APPLY} ${EMPTIED} AMP_PARALLEL=1 --deadline 2s --json`);
    expect(run.code).toBe(124);
    const { settled, unknown, notTried, done } = run.error() as unknown as {
      settled: { address: string }[];
      unknown: { address: string }[];
      notTried: string[];
      done: string;
    };
    const [open] = unknown;
    expect(settled).toHaveLength(1);
    expect(unknown).toEqual([{ address: expect.any(String), outcome: "unknown", commands: [] }]);
    expect(notTried).not.toContain(open?.address);
    expect(notTried).toHaveLength(3);
    expect(done).toContain(`May be deleted; the next run checks:\n  ${open?.address}`);
    sandbox.follow([]);
    const again = await place.notify(`${APPLY} ${EMPTIED} AMP_COMMIT_HORIZON=100ms`);
    expect(again.code).toBe(0);
  });

  it("deletes with --prune only what its state made, routes first", async () => {
    const place = placeWith();
    await place.notify("destinations create --name mine --type webhook --url https://a.example");
    await place.notify(APPLY);
    place.write("routing.yaml", NOTHING);
    const left = await place.notify(APPLY);
    expect(writesOf(left)).toEqual([]);
    const plan = await place.notify(`plan -f routing.yaml ${EMPTIED} --exit-code`);
    expect(plan.code).toBe(8);
    const pruned = await place.notify(`${APPLY} ${EMPTIED}`);
    expect(pruned.code).toBe(0);
    const kinds = writesOf(pruned).map((line) => line.split("/").at(-2));
    // Routes go at once, in any order.
    expect([...kinds.slice(0, 3).toSorted(), ...kinds.slice(3)]).toEqual([
      ...["DELETE notification-event-topic-routes", "DELETE notification-event-topic-routes"],
      ...["DELETE topic-destination-routes", "DELETE topics", "DELETE destinations"],
    ]);
    expect(place.sandbox.world.destinations.map(({ name }) => name)).toContain("mine");
    expect(place.sandbox.world.destinations.map(({ name }) => name)).not.toContain("ops");
  });

  it("shows what it deletes by ID, name and type, and asks with No as default, also quietly", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    place.write("routing.yaml", NOTHING);
    const [ops] = place.sandbox.world.destinations.filter(({ name }) => name === "ops");
    const plan = await place.notify(`plan -f routing.yaml ${EMPTIED} --json`);
    expect(plan.json()).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ id: ops?.id, listed: { name: "ops", type: "webhook" } }),
      ]),
    });
    const number = "This deletes 5 resources. Type 5 to apply the plan";
    for (const typed of ["", "y", "4", CTRL_C] as const) {
      const no = await place.notify(
        `apply -f routing.yaml ${EMPTIED} -q`,
        operator([[number, typed]]),
      );
      expect(no.code).toBe(130);
      expect(no.stderr).toContain("Nothing was created or deleted.");
      expect(writesOf(no)).toEqual([]);
    }
    const pruned = await place.notify(`${APPLY} ${EMPTIED} -q`);
    expect(pruned.stderr).toMatch(new RegExp(`- +destination +ops +webhook, ${ops?.id}`, "u"));
  });

  it("asks with No as default before a few deletions, and for their number before more", async () => {
    const place = placeWith();
    await place.notify(APPLY);
    place.write("routing.yaml", ONE_EVENT);
    const no = await place.notify("apply -f routing.yaml --prune", operator([[QUESTION, ENTER]]));
    expect(no).toMatchObject({ code: 130 });
    expect(no.stderr).toMatch(/1 to delete, 4 unchanged\n/u);
    place.write("routing.yaml", NOTHING);
    const yes = await place.notify(
      `apply -f routing.yaml ${EMPTIED}`,
      operator([["This deletes 5 resources. Type 5 to apply the plan", "5"]]),
    );
    expect(yes.code).toBe(0);
    expect(yes.stderr).toMatch(/5 to delete\n/u);
    expect(writesOf(yes)).toHaveLength(5);
  });

  it("deletes nothing that another file of the project wants, whatever their turns", async () => {
    const place = placeWith();
    place.write(
      "other.yaml",
      "version: 1\nname: other\ntopics: { billing: { events: [connection.error] } }\n",
    );
    for (const file of ["routing.yaml", "other.yaml", "routing.yaml", "other.yaml"]) {
      const applied = await place.notify(`apply -f ${file} --prune --yes`);
      expect(applied.code).toBe(0);
      expect(writesOf(applied).filter((line) => line.startsWith("DELETE"))).toEqual([]);
    }
    const plan = await place.notify("plan -f other.yaml");
    expect(plan.stderr).toContain("5 other resources in this state (--all lists them)");
    expect(plan.stdout).not.toContain("destination/ops");
    const all = await place.notify("plan -f other.yaml --all");
    expect(all.stderr).toMatch(/destination\/ops +routing +dst_/u);
    const json = (await place.notify("plan -f other.yaml --json")).json() as { others: unknown[] };
    expect(json.others).toContainEqual(
      expect.objectContaining({ address: "topic/lifecycle", owners: ["routing"] }),
    );
    // The name goes with the routing, whatever its file is called.
    place.write("moved.yaml", "version: 1\nname: other\n");
    const moved = await place.notify(`apply -f moved.yaml ${EMPTIED} --yes`);
    expect(writesOf(moved).filter((line) => line.startsWith("DELETE"))).toHaveLength(2);
  });

  it("goes on with the file of a setup, under the name of its topic", async () => {
    const place = placeWith();
    await place.notify(
      "setup --destination-name hook --destination-type webhook --url https://a.example.com " +
        "--topic lifecycle --event connection.error --yes --save saved.yaml",
    );
    expect(place.read("saved.yaml")).toContain("\nname: lifecycle\n");
    place.write("saved.yaml", named("lifecycle", NOTHING));
    const own = await place.notify(`apply -f saved.yaml ${EMPTIED} --yes`);
    expect(own.code).toBe(0);
    expect(writesOf(own)).toHaveLength(4);
  });

  it.each([
    ["routing.yaml", "routing.yaml", "name: routing"],
    ["ops, prod.yml", "ops, prod.yml", 'name: "ops, prod"'],
    ["-", "standard input", "name: lifecycle"],
  ])("prunes %s only with a name in it, and says which line to add", async (path, file, line) => {
    const place = placeWith();
    const nameless = ROUTING.replace("name: routing\n", "");
    place.write(file, nameless);
    for (const words of [["plan"], ["apply", "--yes"], ["apply", "--dry-run"]]) {
      const argv = ["notify", ...words, "-f", path, "--prune"];
      const refused = await run(argv, { ...place, stdin: nameless });
      expect(refused).toMatchObject({ code: 2, requests: [] });
      expect(refused.stderr.split("\n").slice(-4)).toEqual([
        `✗ --prune needs a name, and ${file} has none`,
        "  Nothing was sent.",
        `  Add a line such as this to the file: ${line}`,
        "",
      ]);
      const stdin = `${line}\n${nameless}`;
      place.write(file, stdin);
      expect((await run(argv, { ...place, stdin })).code).toBe(0);
      place.write(file, nameless);
    }
  });

  it("deletes no other resource that its state names by ID", async () => {
    const place = placeWith();
    await place.notify("topics create billing");
    const { settled } = (await place.notify(`${APPLY} --state own.json --json`)).json() as Receipt;
    const own = settled.find(({ address }) => address === "topic/lifecycle")?.id ?? "";
    const other = place.sandbox.world.topics.find(({ name }) => name === "billing")?.id ?? "";
    place.write("crafted.json", place.read("own.json").replaceAll(own, other));
    place.write("routing.yaml", NOTHING);
    const outcome = await place.notify(
      `${APPLY} ${EMPTIED} --state crafted.json AMP_COMMIT_HORIZON=100ms`,
    );
    expect(outcome.stderr).toContain(
      `Topic lifecycle is kept: the service lists ${other} as billing.`,
    );
    expect(outcome.stderr).toContain("amp notify state forget topic/lifecycle");
    expect(place.sandbox.world.topics.map(({ name }) => name)).toContain("billing");
  });

  it("works where the service does no more than the specification says", async () => {
    const place = placeWith(sandboxAt(NOW, { specOnly: true }));
    const first = await place.notify(APPLY);
    expect(first.code).toBe(0);
    expect(first.stderr).toContain("only the state has the IDs");
    expect(writesOf(await place.notify(APPLY))).toEqual([]);
  });

  it("finds by itself what was made although no answer came, where there are lists", async () => {
    const faults = [{ on: "POST topics", nth: 1, do: "reset" as const }];
    const place = placeWith(
      createFaultySandbox({ now: () => NOW, state: UNROUTED, script: { faults } }),
    );
    const before = place.sandbox.world.topics.length;
    const outcome = await place.notify(`${APPLY} --json`);
    expect(outcome.code).toBe(0);
    expect(outcome.json()).toMatchObject({
      settled: ADDRESSES.map((address) => ({
        address,
        outcome: "created",
        ...(address === "topic/lifecycle" ? { earlier: true } : {}),
      })),
      duplicates: [],
    });
    expect(place.sandbox.world.topics).toHaveLength(before + 1);
  });
});
