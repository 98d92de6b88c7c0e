import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { ACCEPT_WORDS } from "../../../src/notify/plan/choices.ts";
import { type ApplyStep, type Sequence, sequences } from "./sequences.ts";
import { Simulation } from "./simulation.ts";

const { AMP_PROPERTY_RUNS } = process.env;
/** The same sequences in each run of all tests; others where more are asked for. */
const CHOICE = AMP_PROPERTY_RUNS
  ? { numRuns: Number(AMP_PROPERTY_RUNS) }
  : { numRuns: 100, seed: 1 };

describe("whatever is applied, killed, lost, listed late and changed by others", () => {
  it.each([
    ["with lists", true],
    ["without lists", false],
  ])("nothing is doubled, lost, or taken from others, %s", async (_, lists) => {
    await fc.assert(
      fc.asyncProperty(sequences({ lists }), async (sequence) => {
        expect(await brokenBy(sequence)).toEqual([]);
      }),
      CHOICE,
    );
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

async function brokenBy(sequence: Sequence): Promise<readonly string[]> {
  const simulation = new Simulation(sequence);
  await simulation.run();
  return simulation.broken;
}

async function played(steps: Sequence["steps"]): Promise<Simulation> {
  const simulation = new Simulation({
    ...{ lists: true, updates: true, uniqueNames: false, dates: true, headers: "shown" },
    lags: [{ created: 0, deleted: 0, values: 0 }],
    steps,
  });
  await simulation.run();
  return simulation;
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
