import { describe, expect, it } from "vitest";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { ACCEPT_WORDS } from "../../../src/notify/plan/table.ts";
import { playAll } from "./played.ts";
import { type ApplyStep, type Sequence, type SingleStep, sequences } from "./sequences.ts";
import { Simulation } from "./simulation.ts";

const { AMP_PROPERTY_RUNS = 100, AMP_PROPERTY_SEED = 1 } = process.env;
/** The same sequences in each run of all tests; others where more are asked for. */
const CHOICE = { numRuns: Number(AMP_PROPERTY_RUNS), seed: Number(AMP_PROPERTY_SEED) };

describe("whatever is applied, killed, lost, listed late and changed by others", () => {
  it.each([
    ["with lists", true],
    ["without lists", false],
  ])("nothing is doubled, lost, or taken from others, %s", async (_, lists) => {
    await playAll(sequences({ lists }), CHOICE);
  });

  // Sequences that chance has found.
  it("a person's change before a list shows a destination is told beside an update, too", async () => {
    const { broken } = await played([
      applied(
        { name: "one", destinations: { b: { url: "https://x.example/1" } } },
        { crashAt: 22 },
      ),
      { do: "person", act: "change", which: 0, name: "a" },
      applied(
        { destinations: { b: { url: "https://x.example/1", headers: { team: "1" } } } },
        { accept: ACCEPT_WORDS, crashAt: 1 },
      ),
    ]);
    expect(broken).toEqual([]);
  });

  it("an undo tells what its run has begun, and what no list shows", async () => {
    const killed = applied(
      { name: "one", destinations: { a: {}, b: {} } },
      { crashAt: 28, lost: new Map([[1, { doneAfter: 40_000 }]]) },
    );
    const undo = { do: "undo", crashAt: undefined, lost: new Map() } as const;
    const begun = await played([killed, undo, undo]);
    expect(begun).toMatchObject({ broken: [], ends: { undone: 1 } });
    const url = "https://x.example/1";
    const steps = [
      applied({ name: "one", destinations: { b: { url } } }),
      applied({ name: "one", destinations: { b: { url, headers: { team: "1" } } } }),
      undo,
    ];
    expect(await played(steps, { headers: "left out" })).toMatchObject({
      broken: [],
      ends: { undone: 0 },
    });
  });

  it("an update that was settled past its horizon is not waited for again", async () => {
    const simulation = simulated([]);
    const { clock, service } = simulation.world;
    const choices = { prune: false, accept: [] };
    const { model } = applied({ name: "one", destinations: { a: { url: "https://x.example/1" } } });
    const next = applied({ name: "one", destinations: { a: { url: "https://x.example/2" } } });
    await simulation.apply(model, choices);
    await simulation.apply(next.model, choices, { lost: new Map([[1, { doneAfter: 0 }]]) });
    service.change("destination-1", { metadata: { url: "https://x.example/3" } });
    const began = clock.elapsed();
    await simulation.apply(next.model, choices);
    expect(clock.elapsed() - began).toBeLessThan(5_000);
    expect(service.records.get("destination-1")?.fields.metadata).toEqual({
      url: "https://x.example/2",
    });
  });

  it("a topic that a person renamed is at one address after a refused create, lists behind", async () => {
    const { broken } = await played([topics("t"), RENAME_TO_U, topics("u"), RENAME_TO_U], {
      uniqueNames: true,
      lags: [LATE_VALUES, NO_LAG, NO_LAG],
    });
    expect(broken).toEqual([]);
  });

  it("an undo tells what was removed from the state and no list shows yet", async () => {
    const undo = { do: "undo", crashAt: undefined, lost: new Map() } as const;
    const { broken, ends } = await played([topics("t"), FORGET_T, undo], {
      lags: [{ ...NO_LAG, created: 15_000 }],
    });
    expect({ broken, undone: ends.undone }).toEqual({ broken: [], undone: 0 });
  });

  it.each(["killed", "not answered"])(
    "a topic whose create was %s, and that a person renamed, is told",
    async (fate) => {
      const lags = [{ created: 15_000, deleted: 0, values: 0 }];
      const simulation = simulated([], { lags });
      const { clock, service } = simulation.world;
      const { model, ...choices } = topics("t");
      const lost = { lost: new Map([[1, { doneAfter: 0 }]]) };
      const renamed = clock.sleep(5_000).then(() => service.change("topic-1", { name: "u" }));
      await simulation.apply(model, choices, fate === "killed" ? { crashAt: 20 } : lost);
      await renamed;
      await simulation.apply(model, choices);
      expect([...simulation.told]).toEqual(["topic-1"]);
      expect(simulation.ends).toMatchObject({ done: 1 });
    },
  );

  it("a destination that came late, was changed by a person and left the file is told", async () => {
    const { broken, told } = await played([
      applied(
        { name: "two", destinations: { b: { url: "https://x.example/1" } } },
        { crashAt: 112, lost: new Map([[1, { doneAfter: 40_000 }]]) },
      ),
      { do: "person", act: "create", which: 0, name: "u" },
      { do: "person", act: "change", which: 3, name: "a" },
      applied({ name: "two", destinations: {} }),
    ]);
    expect({ broken, told: told.size }).toEqual({ broken: [], told: 1 });
  });
});

async function played(...sequence: Parameters<typeof simulated>): Promise<Simulation> {
  const simulation = simulated(...sequence);
  await simulation.run();
  return simulation;
}

const NO_LAG = { created: 0, deleted: 0, values: 0 };
const LATE_VALUES = { ...NO_LAG, values: 15_000 };

function simulated(steps: Sequence["steps"], service: Partial<Sequence> = {}): Simulation {
  return new Simulation({
    ...{ lists: true, updates: true, uniqueNames: false, dates: true, headers: "shown" },
    lags: [NO_LAG],
    ...service,
    steps,
  });
}

const RENAME_TO_U = { do: "person", act: "rename", which: 0, name: "u" } as const;

const FORGET_T: SingleStep = {
  ...{ do: "single", op: "forget", address: "topic/t", url: "", name: undefined },
  ...{ references: false, which: undefined, crashAt: undefined, lost: new Map() },
};

/** An apply of a file with topics alone. */
function topics(...names: readonly string[]): ApplyStep {
  const parts = names.map((name) => [name, { events: [], destinations: [] }] as const);
  const model = { name: "one", destinations: new Map(), topics: new Map(parts) };
  return { do: "apply", model, prune: false, accept: [], crashAt: undefined, lost: new Map() };
}

/** An apply of a file with webhooks alone. */
function applied(
  file: { readonly name?: string; readonly destinations: Readonly<Record<string, object>> },
  { crashAt, lost = new Map(), accept = [] }: Partial<ApplyStep> = {},
): ApplyStep {
  const parts = Object.entries(file.destinations).map(
    ([name, metadata]) => [name, { kind: "new", type: "webhook", metadata, secrets: {} }] as const,
  );
  const model = { ...file, destinations: new Map(parts), topics: new Map() } as RoutingModel;
  return { do: "apply", model, prune: false, accept, crashAt, lost };
}
