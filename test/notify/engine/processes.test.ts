import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmpError } from "../../../src/errors.ts";
import type { RoutingModel, TopicPart } from "../../../src/notify/model/routing.ts";
import { listRouting } from "../../../src/notify/plan/live.ts";
import { modelOfAnswers } from "../../../src/notify/setup/answers.ts";
import { type EngineWorld, newWorld, stateOf } from "./engine-world.ts";
import { webhook } from "./routings.ts";
import { type Outcome, type ProcessFate, SimulatedProcess } from "./simulated-process.ts";

const { AMP_PROPERTY_RUNS = 50, AMP_PROPERTY_SEED = 1 } = process.env;
/** The same orders in each run of all tests; others where more are asked for. */
const CHOICE = { numRuns: Number(AMP_PROPERTY_RUNS), seed: Number(AMP_PROPERTY_SEED) };

const QUESTIONS_MS = 3_000;
const HORIZON_MS = 60_000;
const LAG_MS = 15_000;

/** Two files that share a destination; the setup has the topic of the second one. */
const FILES: readonly RoutingModel[] = ["lifecycle", "health"].map((name) => ({
  name,
  destinations: new Map([["ops", webhook()]]),
  topics: new Map<string, TopicPart>([
    [name, { events: ["connection.error"], destinations: ["ops"] }],
  ]),
}));

const lags = fc.constantFrom(0, 3_000, LAG_MS);
/** How a world is, and what befalls its processes: the step at which each is killed. */
const worlds = fc.record({
  lists: fc.boolean(),
  lag: fc.record({ created: lags, deleted: lags, values: lags }),
  wait: fc.constantFrom(0, 10 * HORIZON_MS),
  crashes: fc.array(fc.option(fc.integer({ min: 1, max: 120 }), { nil: undefined, freq: 2 }), {
    minLength: 3,
    maxLength: 3,
  }),
});

/** What befalls one process. */
interface Process {
  readonly world: EngineWorld;
  readonly fate: ProcessFate;
  readonly wait: number;
}

/** An apply of a file. */
function apply(model: RoutingModel, { world, fate, wait }: Process) {
  const process = new SimulatedProcess(world, fate, { lockWaitMs: wait });
  return process.outcomeOf(process.engine.apply(model));
}

/** The wizard: it looks, asks, and applies the answers, one create after the other; it asks for consent. */
function setup({ world, fate, wait }: Process) {
  const process = new SimulatedProcess(world, fate, { lockWaitMs: wait, parallel: 1 });
  const { ports } = process;
  const pause = () => ports.sleep(QUESTIONS_MS, ports.signal);
  const work = async () => {
    const live = await listRouting(ports);
    const text = await ports.backend.read();
    await pause();
    const topic = live?.topic.find(({ name }) => name === "health");
    const model = modelOfAnswers(
      {
        destination: { ...webhook(), name: "ops" } as never,
        topic: topic
          ? { kind: "existing", id: topic.id, name: "health" }
          : { kind: "new", name: "health" },
        events: ["connection.error", "installation.created"],
      },
      text === undefined ? undefined : stateOf(world),
    );
    return process.engine.apply(model, pause);
  };
  return process.outcomeOf(work());
}

/** What became of a process, in a word. */
function wordOf(outcome: Outcome<unknown>): string {
  if (outcome === "killed") return outcome;
  if ("result" in outcome) return "done";
  const { error } = outcome;
  if (!(error instanceof AmpError)) throw error;
  return error.message === "locked" ? "locked" : `${error.exit}: ${error.message}`;
}

/** The IDs that are at the service and in no entry, or in several; those of what exists twice. */
function wrong(world: EngineWorld): readonly string[] {
  const { entries, left } = stateOf(world);
  const known = [...entries.values(), ...left.values()].flatMap(({ id }) => id ?? []);
  const made = [...world.service.records.keys()];
  return [
    ...made.filter((id) => !known.includes(id)).map((id) => `lost: ${id}`),
    ...known.filter((id, at) => known.indexOf(id) !== at).map((id) => `at two addresses: ${id}`),
    ...world.service.duplicates().map((key) => `twice: ${key}`),
  ];
}

describe("an apply, another apply and a setup at the same time on one state", () => {
  it("in any order: one goes first, the others wait or end with the lock; nothing twice, nothing lost", async () => {
    const property = fc.asyncProperty(
      fc.scheduler(),
      worlds,
      async (scheduler, { lists, lag, wait, crashes }) => {
        const world = newWorld({ lists, uniqueNames: false, lag: () => lag });
        const turn = () => scheduler.schedule(Promise.resolve());
        const of = (at: number): Process => {
          const crashAt = crashes[at];
          return { world, wait, fate: { turn, ...(crashAt === undefined ? {} : { crashAt }) } };
        };
        const [one, two] = FILES as [RoutingModel, RoutingModel];
        const works = [apply(one, of(0)), apply(two, of(1)), setup(of(2))];
        const words = (await scheduler.waitFor(Promise.all(works))).map(wordOf);
        // Without lists, what a killed run has begun only the user can settle.
        const isOpen = !lists && words.includes("killed");
        const others = wait === 0 ? ["locked"] : [];
        const odd = words.filter(
          (word) =>
            !["done", "killed", ...others].includes(word) &&
            !(isOpen && word.startsWith("partial")),
        );
        expect(odd).toEqual([]);
        if (!words.includes("killed")) expect(words).toContain("done");
        if (isOpen) return;
        // Each runs again once the others have ended.
        for (const model of FILES) {
          await world.clock.sleep(2 * HORIZON_MS);
          expect(wordOf(await apply(model, { world, fate: {}, wait: 0 }))).toBe("done");
        }
        expect(wrong(world)).toEqual([]);
      },
    );
    await fc.assert(property, CHOICE);
  });
});
