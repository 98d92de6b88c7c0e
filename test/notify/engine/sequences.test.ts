import { describe, expect, it } from "vitest";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { KNOWN, playKnown, simulated, single, topics } from "./known.ts";
import { playAll } from "./played.ts";
import { sequences } from "./sequences.ts";

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

  it("loses no ID of a single create beside an entry of its address, wherever it is killed", async () => {
    for (let at = 1; at <= 30; at += 1) {
      const steps = [topics(["t"]), topics([]), single("create", "topic/t", at)];
      expect([at, ...(await playKnown({ about: "", steps }))]).toEqual([at]);
    }
  });

  it.each(KNOWN)("$about", async (known) => {
    expect(await playKnown(known)).toEqual([]);
  });

  it("an update that was settled past its horizon is not waited for again", async () => {
    const simulation = simulated({ steps: [] });
    const { clock, service } = simulation.world;
    const choices = { prune: false, accept: [] };
    const next = applied("https://x.example/2");
    await simulation.apply(applied("https://x.example/1"), choices);
    await simulation.apply(next, choices, { lost: new Map([[1, { doneAfter: 0 }]]) });
    service.change("destination-1", { metadata: { url: "https://x.example/3" } });
    const began = clock.elapsed();
    await simulation.apply(next, choices);
    expect(clock.elapsed() - began).toBeLessThan(5_000);
    expect(service.records.get("destination-1")?.fields.metadata).toEqual({
      url: "https://x.example/2",
    });
  });

  it.each(["killed", "not answered"])(
    "a topic whose create was %s, and that a person renamed, is told",
    async (fate) => {
      const lags = [{ created: 15_000, deleted: 0, values: 0 }];
      const simulation = simulated({ steps: [], service: { lags } });
      const { clock, service } = simulation.world;
      const { model, ...choices } = topics(["t"]);
      const lost = { lost: new Map([[1, { doneAfter: 0 }]]) };
      const renamed = clock.sleep(5_000).then(() => service.change("topic-1", { name: "u" }));
      await simulation.apply(model, choices, fate === "killed" ? { crashAt: 20 } : lost);
      await renamed;
      await simulation.apply(model, choices);
      expect([...simulation.told]).toEqual(["topic-1"]);
      expect(simulation.ends).toMatchObject({ done: 1 });
    },
  );
});

/** An apply of a file with one webhook. */
function applied(url: string): RoutingModel {
  const part = { kind: "new", type: "webhook", metadata: { url }, secrets: {} } as const;
  return { name: "one", destinations: new Map([["a", part]]), topics: new Map() };
}
