import fc from "fast-check";
import type { CreateFault } from "./create-faults.ts";
import { models } from "./routings.ts";
import type { ProcessFate } from "./simulated-process.ts";

/** Shorter than what a run waits for a list that is behind. */
export const LAG_MS = 5_000;

const upTo = (most: number) => fc.option(fc.integer({ min: 0, max: most }), { nil: undefined });

const faults: fc.Arbitrary<CreateFault> = fc.oneof(
  upTo(9_000).map(
    (commit): CreateFault => ({ do: "reset", ...(commit === undefined ? {} : { commit }) }),
  ),
  // A run that is killed knows nothing of when it was sent: the next one waits for 60 s.
  upTo(54_000).map(
    (commit): CreateFault => ({ do: "time-out", ...(commit === undefined ? {} : { commit }) }),
  ),
  fc.tuple(fc.constantFrom(302, 408, 500, 502, 503, 504), upTo(9_000)).map(
    ([status, commit]): CreateFault => ({
      do: "status",
      status,
      ...(commit === undefined ? {} : { commit }),
    }),
  ),
  fc.constantFrom<CreateFault>({ do: "no-id" }, { do: "odd" }, { do: "unsent" }),
  fc.record({
    do: fc.constant("ask-to-wait" as const),
    status: fc.constantFrom(425 as const, 429 as const),
    seconds: fc.integer({ min: 0, max: 90 }),
  }),
  fc.constantFrom(400, 401, 403, 409, 422).map((status): CreateFault => ({ do: "refuse", status })),
  fc.integer({ min: 1, max: 20_000 }).map((ms): CreateFault => ({ do: "slow", ms })),
);

const scripts = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 10 }), faults), { maxLength: 4 })
  .map((entries) => new Map(entries));

/** How far behind the lists are, one after the other; then again from the first. */
const lags = fc.array(
  fc.oneof(fc.constant(0), fc.constant(LAG_MS), fc.integer({ min: 0, max: LAG_MS })),
  { minLength: 1, maxLength: 8 },
);

const fates: fc.Arbitrary<
  ProcessFate & { readonly interruptAt?: number; readonly overtaken?: number }
> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 160 }).map((crashAt) => ({ crashAt })) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 1, max: 100 }).map((interruptAt) => ({ interruptAt })),
  },
  { weight: 2, arbitrary: fc.integer({ min: 1, max: 16 }).map((overtaken) => ({ overtaken })) },
  {
    weight: 1,
    arbitrary: fc
      .uniqueArray(fc.integer({ min: 1, max: 16 }), { maxLength: 5 })
      .map((saves) => ({ failedSaves: new Set(saves) })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
);

const anything = fc.record({
  model: models,
  uniqueNames: fc.boolean(),
  lags,
  /** Each with what befalls it, and its creates by their number. */
  runs: fc.array(fc.record({ fate: fates, faults: scripts }), { minLength: 1, maxLength: 3 }),
  parallel: fc.integer({ min: 1, max: 5 }),
  /** Which of the things of the routing exist before, and which are deleted by hand between runs. */
  existing: fc.uniqueArray(fc.nat(20), { maxLength: 3 }),
  gone: fc.array(fc.nat(20), { maxLength: 2 }),
  goneFor: fc.integer({ min: 0, max: LAG_MS }),
});
/** A world in which several runs go wrong. */
export type Scenario = typeof anything extends fc.Arbitrary<infer Of> ? Of : never;

/** A route is deleted by hand, its next create fails, and the list shows the old one again. */
const drifting: fc.Arbitrary<Scenario> = fc
  .tuple(anything, scripts, fc.integer({ min: 0, max: 500 }), fc.nat(20))
  .map(([scenario, more, goneFor, gone]) => ({
    ...scenario,
    runs: [
      { fate: {}, faults: new Map() },
      { fate: {}, faults: new Map<number, CreateFault>([...more, [1, { do: "reset" }]]) },
    ],
    gone: [gone, ...scenario.gone],
    goneFor,
  }));

/** Worlds in which anything may go wrong. */
export const scenarios = fc.oneof(
  { weight: 4, arbitrary: anything },
  { weight: 1, arbitrary: drifting },
);
