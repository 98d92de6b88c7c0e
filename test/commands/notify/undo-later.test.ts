import { describe, expect, it } from "vitest";
import { type Place, placeWith, writesOf } from "./notify-fixture.ts";

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

async function undo(place: Place, run: string) {
  const outcome = await place.notify(`undo ${run} --yes --json`);
  const { warnings = [] } = JSON.parse(outcome.stdout || "{}") as { warnings?: string[] };
  return { code: outcome.code, stderr: outcome.stderr, warnings, writes: writesOf(outcome) };
}

/** The addresses that the state has. */
async function left(place: Place): Promise<string[]> {
  const rows = (await place.notify("state list --json")).json() as { address: string }[];
  return rows.flatMap(({ address }) => (/\b(?:uax|ubx|utx)\b/u.test(address) ? address : []));
}

describe("an undo deletes what its run created, or names it", () => {
  it("after the undo of a prune that deleted a part of it", async () => {
    const place = await applied();
    await apply(place, ONE, " --prune");
    expect(await undo(place, "r2")).toMatchObject({ code: 0 });
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
    expect(await left(place)).toEqual([]);
    expect((await place.notify("undo r1 --yes")).stderr).toContain("already undone");
  });

  it("after a prune of everything that was undone twice, and one more undo", async () => {
    const place = await applied();
    const nothing = "version: 1\nname: w\ndestinations: {}\ntopics: {}\n";
    await apply(place, nothing, " --prune");
    expect(await undo(place, "r2")).toMatchObject({ code: 0 });
    // Takes the undo itself back, and that back again.
    expect(await undo(place, "r3")).toMatchObject({ code: 0 });
    expect(await left(place)).toEqual([]);
    expect(await undo(place, "r4")).toMatchObject({ code: 0 });
    expect(await left(place)).toHaveLength(5);
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
    expect(await left(place)).toEqual([]);
  });

  it("and gives back the values of what a prune deleted and its undo created again", async () => {
    const place = await applied();
    await apply(place, BOTH.replace("/a }", "/b }"));
    const without = ONE.replace(/ {2}uax:.*\n/u, "").replace("[uax]", "[]");
    await apply(place, without, " --prune");
    expect(await undo(place, "r3")).toMatchObject({ code: 0 });
    expect(await undo(place, "r2")).toMatchObject({
      code: 0,
      writes: [expect.stringMatching(/PATCH/u)],
    });
    expect(place.sandbox.world.destinations.find(({ name }) => name === "uax")?.metadata.url).toBe(
      "https://hooks.acme.com/a",
    );
    expect(await undo(place, "r1")).toMatchObject({ code: 0 });
    expect(await left(place)).toEqual([]);
  });

  it("after a new name and the undo of it", async () => {
    const place = await applied();
    await apply(place, BOTH.replace("utx: {", "new-utx: { renamed-from: utx,"));
    const refused = await undo(place, "r1");
    expect([refused.code, refused.writes]).toEqual([5, []]);
    expect(refused.stderr).toContain("r2");
    expect(await undo(place, "r2")).toMatchObject({ code: 0 });
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
    expect(await left(place)).toEqual([]);
  });

  it("where a later prune deleted a part of it: not before that one is undone", async () => {
    const place = await applied();
    await apply(place, ONE, " --prune");
    const refused = await undo(place, "r1");
    expect([refused.code, refused.writes]).toEqual([5, []]);
    expect(refused.stderr).toContain("amp notify undo r2");
  });

  it("where it was forgotten since", async () => {
    const place = await applied();
    await place.notify("state forget event-route/utx/connection.error");
    const undone = await undo(place, "r1");
    expect(undone.code).toBe(9);
    expect(undone.warnings.join("\n")).toMatch(
      /event-route\/utx\/connection\.error \(\S+\) is kept: it is no longer in the state/u,
    );
    expect(undone.warnings.join("\n")).toMatch(/topic\/utx is kept: other routes use it/u);
    expect(await undo(place, "r1")).toMatchObject({ code: 9 });
  });

  it("where it was forgotten and deleted elsewhere, it is gone", async () => {
    const place = await applied();
    await place.notify("state forget event-route/utx/connection.error");
    await place.notify("event-routes delete utx/connection.error --yes --state other.json");
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
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
      expect.stringMatching(/^destination\/uax is kept: .*imported/u),
    ]);
    expect(await left(place)).toEqual(["destination/uax"]);
  });

  it("where another file contains it since", async () => {
    const place = await applied();
    place.write("other.yaml", ONE.replace("name: w", "name: other"));
    expect(await place.notify("apply -f other.yaml --yes")).toMatchObject({ code: 0 });
    const undone = await undo(place, "r1");
    expect(undone.code).toBe(9);
    expect(undone.warnings).toContainEqual("destination/uax is kept: other contains it, too.");
    expect(await left(place)).toHaveLength(4);
    expect((await place.notify("plan -f other.yaml --json")).json()).toMatchObject({
      pending: false,
    });
  });

  it("where routes of others use all that is left of it: nothing is sent", async () => {
    const place = placeWith();
    await apply(place, "version: 1\nname: w\ndestinations: {}\ntopics: { utx: {} }\n");
    await place.notify("event-routes create --topic-id utx --event connection.error");
    const undone = await undo(place, "r1");
    expect([undone.code, undone.writes]).toEqual([5, []]);
    expect(undone.stderr).toContain("topic/utx is kept: other routes use it");
    expect(undone.stderr).not.toContain("nothing to undo");
    expect((await place.notify("undo r1 --dry-run")).stderr).not.toContain("nothing to undo");
  });
});

describe("an undo of some fields of a destination", () => {
  const full = BOTH.replace("/a }", "/a, headers: { X-A: one } }");
  const kinesis = BOTH.replace(
    "type: webhook, metadata: { url: https://hooks.acme.com/a }",
    "type: kinesis, metadata: { streamName: s, region: us-east-1 }, secrets: { awsKeyId: env:K1, awsSecretKey: env:K2 }",
  );
  const renamed = (text: string) =>
    text.replace("uax: {", "new-uax: { renamed-from: uax,").replace("[uax]", "[new-uax]");
  const cases = {
    "the name": [full, renamed(full)],
    "the name, where it has secrets": [kinesis, renamed(kinesis)],
    "the URL, which the service spells otherwise": [
      full.replace("hooks.acme.com/a", "HOOKS.acme.com/a"),
      full.replace("/a,", "/b,"),
    ],
    "the stream, where it has secrets": [kinesis, kinesis.replace("Name: s,", "Name: s2,")],
  } as const;
  for (const [what, [before, after]] of Object.entries(cases)) {
    it(`${what}: the state has all of them, and the file before has nothing to adopt`, async () => {
      const env = { K1: "AKIAIOSFODNN7EXAMPLE", K2: "wJalrXUtnFEMI" };
      const place = placeWith();
      const notify = (words: string) => place.notify(words, { env });
      for (const text of [before, after]) {
        place.write("w.yaml", text);
        expect(await notify("apply -f w.yaml --yes")).toMatchObject({ code: 0 });
      }
      expect(await notify("undo r2 --yes")).toMatchObject({ code: 0 });
      place.write("w.yaml", before);
      expect((await notify("plan -f w.yaml --json")).json()).toMatchObject({
        counts: { in_place: 5, adopt: 0, update: 0 },
      });
      place.write("w.yaml", after.replace(" renamed-from: uax,", ""));
      const again = (await notify("plan -f w.yaml --json")).json() as { pending: boolean };
      expect(again.pending).toBe(true);
    });
  }
});

describe("an undo of a prune", () => {
  it("knows a name that looks like that of a replaced resource", async () => {
    const place = placeWith();
    const lookalike = BOTH.replace("utx:", "utx-replaced-abc123:");
    await apply(place, lookalike);
    await apply(place, "version: 1\nname: w\ndestinations: {}\ntopics: {}\n", " --prune");
    expect(await undo(place, "r2")).toMatchObject({ code: 0, warnings: [] });
    expect((await place.notify("topics list --json")).stdout).toContain("utx-replaced-abc123");
  });
});

describe("an undo of what later runs build on", () => {
  const start = "version: 1\nname: w\ndestinations: {}\ntopics: { utx: {} }\n";
  const further = ONE.replace("[connection.error], destinations: [uax]", "[connection.error]");

  it("is refused before the first delete, and names the latest run first", async () => {
    const place = placeWith();
    for (const text of [start, further, ONE]) await apply(place, text);
    for (const option of ["", " --dry-run"]) {
      const refused = await place.notify(`undo r1 --yes --json${option}`);
      expect([refused.code, writesOf(refused)]).toEqual([5, []]);
      const { error } = JSON.parse(refused.stderr);
      const runs = ["r2", "r3"];
      expect(error).toMatchObject({ message: "Runs r2, r3 build on r1", runs });
      expect([error.suggestion, error.warnings]).toEqual(["amp notify undo r3", undefined]);
    }
    expect((await undo(place, "r2")).stderr).toContain("Run r3 builds on r2");
    for (const run of ["r3", "r2", "r1"]) {
      expect(await undo(place, run)).toMatchObject({ code: 0, warnings: [] });
    }
    expect(await left(place)).toEqual([]);
  });

  it("is refused for a route that an undo created again, too", async () => {
    const place = placeWith();
    for (const text of [start, further]) await apply(place, text);
    await apply(place, further.replace("connection.error", ""), " --prune");
    expect(await undo(place, "r3")).toMatchObject({ code: 0 });
    expect((await undo(place, "r1")).stderr).toContain("Run r2 builds on r1");
    expect(await undo(place, "r2")).toMatchObject({ code: 0, warnings: [] });
    expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
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
      expect(again.stderr.match(/topic\/utx is kept/gu)).toHaveLength(1);
    }
  });
});

describe("an undo of a run that gave new names and pruned", () => {
  const TWO = `version: 1
name: w
destinations:
  uax: { type: webhook, metadata: { url: https://hooks.acme.com/a } }
  ubx: { type: webhook, metadata: { url: https://hooks.acme.com/b } }
topics:
  utx: { events: [connection.error, installation.created], destinations: [uax, ubx] }
`;
  const prunes = {
    "one of the topic's event routes": (text: string) => text.replace("connection.error, ", ""),
    "a destination with its route": (text: string) =>
      text.replace(/ {2}ubx:.*\n/u, "").replace(/(?:, )?ubx\]/u, "]"),
  };
  const names = {
    "the topic": (text: string) => text.replace("utx: {", "new-utx: { renamed-from: utx,"),
    "the topic and a destination": (text: string) =>
      text
        .replace("utx: {", "new-utx: { renamed-from: utx,")
        .replace("uax: {", "new-uax: { renamed-from: uax,")
        .replace("[uax", "[new-uax"),
    "a destination whose route is pruned": (text: string) =>
      text.replace("uax: {", "new-uax: { renamed-from: uax,").replace("[uax, ubx]", "[ubx]"),
  };
  for (const [pruned, prune] of Object.entries(prunes)) {
    for (const [renamed, rename] of Object.entries(names)) {
      it(`${renamed}; ${pruned}: all is as before, and can be taken back itself`, async () => {
        const place = placeWith();
        await apply(place, TWO);
        const before = await left(place);
        await apply(place, prune(rename(TWO)), " --prune");
        const after = await left(place);
        expect(await undo(place, "r2")).toMatchObject({ code: 0, warnings: [] });
        expect(await left(place)).toEqual(before);
        expect(await undo(place, "r3")).toMatchObject({ code: 0, warnings: [] });
        expect(await left(place)).toEqual(after);
        expect(await undo(place, "r4")).toMatchObject({ code: 0, warnings: [] });
        expect(await left(place)).toEqual(before);
        expect(await undo(place, "r1")).toMatchObject({ code: 0, warnings: [] });
        expect(await left(place)).toEqual([]);
      });
    }
  }
});
