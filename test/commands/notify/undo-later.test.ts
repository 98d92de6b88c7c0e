import { describe, expect, it } from "vitest";
import type { RunInput } from "../../harness.ts";
import { later, type Place, placeWith, writesOf } from "./notify-fixture.ts";

const topic = (events: string) => `version: 1
name: w
destinations:
  uax: { type: webhook, metadata: { url: https://hooks.acme.com/a } }
topics:
  utx: { events: [${events}], destinations: [uax] }
`;
const BOTH = topic("connection.error, installation.created");
const ONE = topic("connection.error");

/** A place where run r1 has created all of {@link BOTH}. */
async function applied(): Promise<Place> {
  const place = placeWith();
  await apply(place, BOTH);
  return place;
}

async function apply(place: Place, text: string, more = "") {
  place.write("w.yaml", text);
  const outcome = await place.notify(`apply -f w.yaml --yes${more}`);
  expect(outcome).toMatchObject({ code: 0 });
}

async function undo(place: Place, run: string, world?: RunInput) {
  const outcome = await place.notify(`undo ${run} --yes --json`, world);
  const { warnings = [] } = JSON.parse(outcome.stdout || "{}") as { warnings?: string[] };
  return { code: outcome.code, stderr: outcome.stderr, warnings, writes: writesOf(outcome) };
}

/** The addresses that the state has. */
async function left(place: Place): Promise<string[]> {
  const rows = (await place.notify("state list --json")).json() as { address: string }[];
  return rows.flatMap(({ address }) => (/\b(?:uax|ubx|utx)\b/u.test(address) ? address : []));
}

describe("an undo deletes what its run created, or names it", () => {
  it("after a prune that deleted a part of it", async () => {
    const place = await applied();
    await apply(place, ONE, " --prune");
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
    expect(await left(place)).toEqual([]);
    expect((await place.notify("undo r1 --yes")).stderr).toContain("already undone");
  });

  it("after a new name", async () => {
    const place = await applied();
    await apply(place, BOTH.replace("utx: {", "new-utx: { renamed-from: utx,"));
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
    expect(await left(place)).toEqual([]);
  });

  it("where it was forgotten since", async () => {
    const place = await applied();
    await place.notify("state forget event-route/utx/connection.error");
    const undone = await undo(place, "r1");
    expect(undone.code).toBe(9);
    expect(undone.warnings.join("\n")).toMatch(
      /Route connection\.error → utx \(\S+\) is kept: it is no longer in the state/u,
    );
    expect(undone.warnings.join("\n")).toMatch(/Topic utx is kept: other routes use it/u);
    expect(await undo(place, "r1")).toMatchObject({ code: 9 });
  });

  it("where it was forgotten a moment ago and deleted elsewhere, no list says yet that it is gone", async () => {
    const place = await applied();
    await place.notify("state forget event-route/utx/connection.error");
    await place.notify(
      "routes delete --topic utx --event connection.error --yes --state other.json",
    );
    // Within the horizon, the list may be older than the resource.
    expect(await undo(place, "r1")).toMatchObject({ code: 9 });
    expect(await undo(place, "r1", later(place.sandbox.fetch))).toMatchObject({
      code: 0,
      warnings: [],
    });
    expect(await left(place)).toEqual([]);
  });

  it("where it was added to the state by hand since", async () => {
    const place = await applied();
    const id = place.sandbox.world.destinations.find(({ name }) => name === "uax")?.id;
    await place.notify("state forget destination/uax");
    await place.notify(`state import destination/uax ${id}`);
    const undone = await undo(place, "r1");
    expect(undone.code).toBe(9);
    expect(undone.warnings).toEqual([
      expect.stringMatching(/^Destination uax is kept: .*imported/u),
    ]);
    expect(await left(place)).toEqual(["destination/uax"]);
  });

  it("where another file contains it since", async () => {
    const place = await applied();
    place.write("other.yaml", ONE.replace("name: w", "name: other"));
    expect(await place.notify("apply -f other.yaml --yes")).toMatchObject({ code: 0 });
    const undone = await undo(place, "r1");
    expect(undone.code).toBe(9);
    expect(undone.warnings).toContainEqual('Destination uax is kept: "other" declares it.');
    // The other file owns them from now on; the topic's other route was of this run alone.
    expect(await left(place)).toHaveLength(4);
    expect((await place.notify("plan -f other.yaml --json")).json()).toMatchObject({
      pending: false,
    });
  });

  it("where another file contains all of it: nothing is deleted, and the owners stay", async () => {
    const place = await applied();
    place.write("other.yaml", BOTH.replace("name: w", "name: other"));
    expect(await place.notify("apply -f other.yaml --yes")).toMatchObject({ code: 0 });
    const state = (await place.notify("state pull")).json();
    const undone = await undo(place, "r1");
    expect([undone.code, undone.writes]).toEqual([5, []]);
    expect(undone.stderr).toContain("Nothing was deleted.");
    expect((await place.notify("state pull")).json()).toEqual(state);
    await apply(place, BOTH.replace("/a }", "/b }"));
  });

  it("names no history where there is none", async () => {
    const outcome = await placeWith().notify("undo --yes");
    expect(outcome).toMatchObject({ code: 3 });
    expect(outcome.stderr).toContain("no run that could be undone");
    expect(outcome.stderr).not.toContain("state history");
  });

  it("where routes of others use all that is left of it: nothing is sent", async () => {
    const place = placeWith();
    await apply(place, "version: 1\nname: w\ndestinations: {}\ntopics: { utx: {} }\n");
    await place.notify("routes create --topic utx --event connection.error");
    const undone = await undo(place, "r1");
    expect([undone.code, undone.writes]).toEqual([5, []]);
    expect(undone.stderr).toContain("Topic utx is kept: other routes use it");
    expect(undone.stderr).not.toContain("nothing to undo");
    expect((await place.notify("undo r1 --dry-run")).stderr).not.toContain("nothing to undo");
  });
});

describe("an undo of a run that also updated or deleted", () => {
  const MOVED = `${BOTH.replace("/a }", "/b }")}  utz: { events: [connection.error], destinations: [uax] }\n`;

  it("ends with 0 once all is as it was before the run, and names the run before", async () => {
    const place = await applied();
    await apply(place, MOVED);
    const undone = await undo(place, "r2");
    expect(undone.warnings).toEqual([
      "Run r2 updated destination uax. Apply the earlier file to restore.",
    ]);
    expect(undone.code).toBe(9);
    const again = await place.notify("undo --yes");
    expect(again.code).toBe(9);
    expect(again.stderr).toMatch(/undo the run before it:\s+Try: amp notify undo r1/u);
    await apply(place, BOTH);
    const done = await place.notify("undo r2 --yes");
    expect(done).toMatchObject({ code: 0 });
    expect(done.stderr).toContain("Run r2 is already undone. To undo the run before it:");
    expect(done.stderr).toContain("amp notify undo r1");
    expect((await place.notify("undo r1 --yes")).code).toBe(0);
    expect((await place.notify("undo r1 --yes")).stderr).not.toContain("the run before");
  });

  it("ends with 9 where the service shows another value than before", async () => {
    const place = await applied();
    await apply(place, MOVED);
    await place.notify("destinations update uax --url https://hooks.acme.com/c --yes");
    expect(await undo(place, "r2")).toMatchObject({ code: 9 });
  });

  it("ends with 0 where what it deleted is there again", async () => {
    const place = await applied();
    const pruned = `${ONE}  utz: { events: [connection.error] }\n`;
    await apply(place, pruned, " --prune");
    expect((await undo(place, "r2")).warnings).toEqual([
      expect.stringContaining("Run r2 deleted route installation.created → utx."),
    ]);
    await apply(place, BOTH);
    expect(await undo(place, "r2")).toMatchObject({ code: 0, warnings: [] });
  });
});

describe("an undo of what later runs build on", () => {
  const start = "version: 1\nname: w\ndestinations: {}\ntopics: { utx: {} }\n";
  const further = ONE.replace("[connection.error], destinations: [uax]", "[connection.error]");

  it("leaves what their routes use, and names it", async () => {
    const place = placeWith();
    for (const text of [start, further]) await apply(place, text);
    const undone = await undo(place, "r1");
    expect([undone.code, undone.writes]).toEqual([5, []]);
    expect(undone.stderr).toContain("Topic utx is kept: other routes use it");
    for (const run of ["r2", "r1"]) {
      expect(await undo(place, run)).toMatchObject({ code: 0, warnings: [] });
    }
    expect(await left(place)).toEqual([]);
  });

  it("and once it is done in part, a dry run says just that", async () => {
    const place = await applied();
    await place.notify("state forget event-route/utx/connection.error");
    expect(await undo(place, "r1")).toMatchObject({ code: 9 });
    for (const option of ["", " --dry-run"]) {
      const again = await place.notify(`undo r1 --yes${option}`);
      expect([again.code, again.stdout, writesOf(again)]).toEqual([9, "", []]);
      expect(again.stderr).toContain("The run was undone only in part");
      expect(again.stderr).not.toMatch(/already undone|in place|No changes/u);
      expect(again.stderr.match(/Topic utx is kept/gu)).toHaveLength(1);
    }
  });
});

describe("an undo after a run whose only write has an unknown outcome", () => {
  const env = { AMP_COMMIT_HORIZON: "50ms" };

  /** A place where run r1 is complete, and the answer to the first create of r2 was lost. */
  async function begun(isDone: boolean): Promise<Place> {
    const place = placeWith();
    await apply(place, ONE);
    place.write("w.yaml", BOTH);
    const stop = new AbortController();
    await place.notify("apply -f w.yaml --yes", {
      env,
      signal: stop.signal,
      fetch: async (request) => {
        if (request.method !== "POST") return place.sandbox.fetch(request);
        if (isDone) await place.sandbox.fetch(request);
        stop.abort("SIGTERM");
        throw new TypeError("fetch failed", { cause: { code: "ECONNRESET", syscall: "read" } });
      },
    });
    return place;
  }

  it.each([true, false])("does not take the run before it: done %s", async (isDone) => {
    const place = await begun(isDone);
    const undone = await place.notify("undo --yes --json", { env });
    expect([undone.code, writesOf(undone)]).toEqual([5, []]);
    expect(undone.error()).toMatchObject({
      name: "undo_of_begun_run",
      suggestion: "amp notify undo r2",
    });
    const ended = [];
    for (const _ of [1, 2]) ended.push(await place.notify("undo r2 --yes", { env }));
    expect(ended.map(({ code }) => code)).toEqual(isDone ? [5, 0] : [5, 3]);
    expect(ended.flatMap(writesOf)).toHaveLength(isDone ? 1 : 0);
    expect(await left(place)).toHaveLength(4);
  });
});
