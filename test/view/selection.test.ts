import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../src/errors.ts";
import { createSelection, type ListQuery } from "../../src/view/selection.ts";
import { table, time } from "../../src/view/view.ts";

interface Fruit {
  readonly name: string;
  readonly size?: number | null;
  readonly picked?: string;
  readonly state?: { readonly ripe: boolean } | string;
}

const NOW = new Date("2026-09-02T08:30:00Z");
const FRUIT: readonly Fruit[] = [
  { name: "pear 10", size: 3, picked: "2026-09-01T00:00:00Z", state: { ripe: true } },
  { name: "Apple", size: 12, picked: "2026-09-02T08:00:00+02:00", state: { ripe: false } },
  { name: "pear 9", size: null, picked: "2026-08-01T00:00:00Z" },
  { name: "fig", size: 3, state: { ripe: true } },
];
const LIST = {
  view: table<Fruit>(["fruit", "fruits"], {
    Name: "name",
    "How big": ({ size }) => (size ? { text: `${size} cm`, raw: String(size) } : undefined),
    Picked: ({ picked }) => time(picked),
    State: ({ state }) =>
      typeof state === "object"
        ? { text: state.ripe ? "is ripe" : "is hard", raw: state.ripe ? "ripe" : "hard" }
        : undefined,
  }),
  fields: ["name", "size", "picked", "state"],
};

function select(query: Partial<ListQuery>, told: string[] = []) {
  return createSelection(
    LIST,
    { filters: [], sortBy: [], limit: undefined, ...query },
    { now: NOW, onLongSort: () => told.push("long") },
  );
}

function names(query: Partial<ListQuery>, items: readonly Fruit[] = FRUIT): string[] {
  return (select(query).of(items) as Fruit[]).map(({ name }) => name);
}

async function* inBatches(items: readonly Fruit[], size: number, taken: number[] = []) {
  for (let at = 0; at < items.length; at += size) {
    taken.push(at);
    yield items.slice(at, at + size);
  }
}

async function collected(result: unknown): Promise<string[]> {
  const all: string[] = [];
  for await (const batch of result as AsyncIterable<readonly Fruit[]>) {
    all.push(...batch.map(({ name }) => name));
  }
  return all;
}

describe("a selection", () => {
  it.each<[Partial<ListQuery>, string[]]>([
    [{}, ["pear 10", "Apple", "pear 9", "fig"]],
    [{ filters: ["name~pear"] }, ["pear 10", "pear 9"]],
    [{ filters: ["name~pear", "size=3"] }, ["pear 10"]],
    [{ filters: ["name=APPLE", "Name=fig"] }, ["Apple", "fig"]],
    [{ filters: ["name~pear", "name=fig", "size=3"] }, ["pear 10", "fig"]],
    [{ filters: ["size>2", "size<4"] }, ["pear 10", "fig"]],
    [{ filters: ["name!=fig", "name!=Apple"] }, ["pear 10", "pear 9"]],
    [{ filters: ["state.ripe=true"] }, ["pear 10", "fig"]],
    // A column, by what programs get and by what a terminal shows; its object is not meant.
    [{ filters: ["state=ripe"] }, ["pear 10", "fig"]],
    [{ filters: ["State=is ripe"] }, ["pear 10", "fig"]],
    [{ filters: ["state!=ripe"] }, ["Apple", "pear 9"]],
    [{ filters: ["How big=12 cm"] }, ["Apple"]],
    [{ filters: ["how-big=12"] }, ["Apple"]],
    [{ filters: ["howBig="] }, ["pear 9"]],
    [{ filters: ["picked>12h"] }, ["Apple"]],
    [{ filters: ["picked="] }, ["fig"]],
    [{ filters: ['"size">3'] }, ["Apple"]],
    [{ filters: ['"colour"='] }, ["pear 10", "Apple", "pear 9", "fig"]],
    [{ sortBy: ["name"] }, ["Apple", "fig", "pear 9", "pear 10"]],
    [{ sortBy: ["-name"] }, ["pear 10", "pear 9", "fig", "Apple"]],
    // What has no value comes last in either order; equal ones keep theirs.
    [{ sortBy: ["size"] }, ["pear 10", "fig", "Apple", "pear 9"]],
    [{ sortBy: ["-size"] }, ["Apple", "pear 10", "fig", "pear 9"]],
    [{ sortBy: ["size", "-name"] }, ["pear 10", "fig", "Apple", "pear 9"]],
    [{ sortBy: ["size", "name"] }, ["fig", "pear 10", "Apple", "pear 9"]],
    [{ sortBy: ["-picked"] }, ["Apple", "pear 10", "pear 9", "fig"]],
    [{ sortBy: ["state"] }, ["Apple", "pear 10", "fig", "pear 9"]],
    [{ limit: 2 }, ["pear 10", "Apple"]],
    [{ limit: 9 }, ["pear 10", "Apple", "pear 9", "fig"]],
    [{ sortBy: ["name"], limit: 2 }, ["Apple", "fig"]],
    [{ filters: ["size=3"], sortBy: ["name"], limit: 1 }, ["fig"]],
  ])("of %j is %j", async (query, expected) => {
    expect(names(query)).toEqual(expected);
    for (const size of [1, 2, 9]) {
      expect(await collected(select(query).of(inBatches(FRUIT, size)))).toEqual(expected);
    }
  });

  it("selects the same of a list that is read again, as while it is watched", async () => {
    const selection = select({ limit: 3 });
    for (const _ of [1, 2]) {
      expect(await collected(selection.of(inBatches(FRUIT, 2)))).toHaveLength(3);
    }
  });

  it("asks for nothing more once the limit is reached", async () => {
    for (const [limit, batches] of [
      [1, [0]],
      [2, [0]],
      [3, [0, 2]],
    ] as const) {
      const taken: number[] = [];
      const selection = select({ limit });
      expect(await collected(selection.of(inBatches(FRUIT, 2, taken)))).toHaveLength(limit);
      expect(taken).toEqual(batches);
      expect(selection.isCut()).toBe(true);
    }
    const selection = select({ limit: 5 });
    await collected(selection.of(inBatches(FRUIT, 2)));
    expect(selection.isCut()).toBe(false);
  });

  it("says that it holds a long list to sort it, once, and holds no more than the limit needs", async () => {
    const many = Array.from({ length: 30_000 }, (_, at) => ({ name: `f${at}` }));
    const told: string[] = [];
    await collected(select({ sortBy: ["name"] }, told).of(inBatches(many, 1000)));
    expect(told).toEqual(["long"]);
    const none: string[] = [];
    const last = select({ sortBy: ["-name"], limit: 2 }, none).of(inBatches(many, 1000));
    expect(await collected(last)).toEqual(["f29999", "f29998"]);
    expect(none).toEqual([]);
  });

  it("refuses an unknown name with those that exist, the nearest first", () => {
    for (const query of [{ filters: ["sise=3"] }, { sortBy: ["-sise"] }]) {
      expect(() => select(query)).toThrow(UsageError);
      try {
        select(query);
      } catch (error) {
        const { message, facts } = error as UsageError;
        expect(message).toContain('"sise" is not a field or column of this list');
        expect(facts.remedy).toMatch(/^Did you mean size\? Choose one of: size, .*how-big/u);
      }
    }
    expect(() => select({ filters: ["size.big=3"] })).not.toThrow();
  });

  it("warns of a field that no item has, and of values that cannot be compared", () => {
    const warningsOf = (filter: string, items: readonly Fruit[] = FRUIT) => {
      const selection = select({ filters: [filter] });
      selection.of(items);
      return selection
        .doubts()
        .map(({ text }) => text)
        .join("\n");
    };
    expect(warningsOf("state.rip=true")).toContain("no item has a field state.rip");
    expect(() => warningsOf("picked<soon")).toThrow('"soon" is not a time');
    expect(() => warningsOf("picked>5")).toThrow(UsageError);
    expect(warningsOf("size>soon")).toContain('compared with "soon"');
    expect(warningsOf("picked<2d")).toBe("");
    expect(warningsOf("state.rip=true", [])).toBe("");
  });

  it("names the few values that are there where no item has the wanted one", () => {
    const notes = (filter: string, items: readonly Fruit[] = FRUIT) => {
      const selection = select({ filters: [filter] });
      selection.of(items);
      return selection.doubts().map(({ text }) => text);
    };
    expect(notes("state=rip")).toEqual(["No item has state=rip; seen: hard, ripe."]);
    for (const filter of ["state=ripe", "state!=rip", "state~rip", "name=kiwi"]) {
      expect(notes(filter)).toEqual([]);
    }
    expect(notes("state=rip", [])).toEqual([]);
    const both = select({ filters: ["size>2", "state=rip"] });
    both.of([...FRUIT, ...FRUIT]);
    const left = "No item that meets the earlier filters has state=rip; seen: hard, ripe.";
    expect(both.doubts().map(({ text }) => text)).toEqual([left]);
  });

  it("names the nearest value where each item has its own", () => {
    const names = ["Northwind Traders", "Initech", "Café Müller", "ada@acme.example"];
    const items = names.map((name) => ({ name }));
    const note = (wanted: string) => {
      const selection = select({ filters: [`name=${wanted}`] });
      selection.of(items);
      return selection
        .doubts()
        .map(({ text }) => text)
        .join();
    };
    expect(note("initec")).toBe('No item has name=initec. Did you mean "Initech"?');
    for (const wanted of ["northwnd", "Northwind", "northwind tradrs"])
      expect(note(wanted)).toContain('Did you mean "Northwind Traders"?');
    expect(note("cafe muller")).toContain('"Café Müller"');
    expect(note("ada")).toContain('"ada@acme.example"');
    for (const wanted of ["Initech", "zzz", "i", "5"]) expect(note(wanted)).toBe("");
  });

  it("knows how many items it searched, and which columns it uses", () => {
    const selection = select({ filters: ["size=3"], sortBy: ["howBig"] });
    selection.of(FRUIT);
    expect(selection.searched()).toBe(4);
    expect([selection.uses("How big"), selection.uses("Picked")]).toEqual([true, false]);
    expect(select({ limit: 1 }).searched()).toBeUndefined();
  });

  it("is the same for a list at hand and for its batches, whatever is asked", async () => {
    const fruit = fc.record({
      name: fc.string({ maxLength: 3 }),
      size: fc.option(fc.integer({ min: 0, max: 5 }), { nil: null }),
    });
    const query = fc.record({
      filters: fc.subarray(["size>1", "name~a", "size!="]),
      sortBy: fc.subarray(["-size", "name"]),
      limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fruit),
        query,
        fc.integer({ min: 1, max: 7 }),
        async (items, asked, size) => {
          const whole = names(asked, items);
          expect(await collected(select(asked).of(inBatches(items, size)))).toEqual(whole);
          expect(whole.length).toBeLessThanOrEqual(asked.limit ?? items.length);
        },
      ),
    );
  });
});

describe("the limit of a list that grows at its end", () => {
  const growing = { ...LIST, view: { ...LIST.view, growing: true as const } };
  const newest = (query: Partial<ListQuery>) =>
    createSelection(growing, { filters: [], sortBy: [], limit: 2, ...query }, { now: NOW });

  it("shows the newest, and the first by another order", async () => {
    const names = (items: unknown) => (items as Fruit[]).map(({ name }) => name);
    expect(names(newest({}).of(FRUIT))).toEqual(["pear 9", "fig"]);
    expect(names(newest({ limit: 9 }).of(FRUIT))).toHaveLength(4);
    expect(names(newest({ sortBy: ["name"] }).of(FRUIT))).toEqual(["Apple", "fig"]);
    expect(await collected(newest({}).of(inBatches(FRUIT, 4)))).toEqual(["pear 9", "fig"]);
    expect(await collected(newest({}).of(inBatches(FRUIT, 1)))).toEqual(["pear 10", "Apple"]);
  });
});
