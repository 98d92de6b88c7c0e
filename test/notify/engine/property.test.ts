import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmpError } from "../../../src/errors.ts";
import { type Address, destinationAddress, topicAddress } from "../../../src/notify/address.ts";
import type { EngineOptions } from "../../../src/notify/engine/engine.ts";
import { stepAt } from "../../../src/notify/engine/step-at.ts";
import type { RoutingModel } from "../../../src/notify/model.ts";
import { importRecord, resolvePending } from "../../../src/notify/state/commands.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import type { RoutingState } from "../../../src/notify/state/state.ts";
import { type Step, type StepKind, stepsOf } from "../../../src/notify/steps.ts";
import { type Clock, createClock } from "./clock.ts";
import { type Disk, emptyDisk, type Fate, type Outcome, Process } from "./process.ts";
import { models } from "./routings.ts";
import { type Fault, naturalKey, Service } from "./service.ts";

const RUNS = Number(process.env.AMP_PROPERTY_RUNS ?? 400);
/** Shorter than what a run waits for a list that is behind. */
const LAG_MS = 5_000;

interface World {
  readonly clock: Clock;
  readonly service: Service;
  readonly disk: Disk;
}

const upTo = (most: number) => fc.option(fc.integer({ min: 0, max: most }), { nil: undefined });

const faults: fc.Arbitrary<Fault> = fc.oneof(
  upTo(9_000).map(
    (commit): Fault => ({ do: "reset", ...(commit === undefined ? {} : { commit }) }),
  ),
  // A run that is killed knows nothing of when it was sent: the next one waits for 60 s.
  upTo(54_000).map(
    (commit): Fault => ({ do: "time-out", ...(commit === undefined ? {} : { commit }) }),
  ),
  fc.tuple(fc.constantFrom(302, 408, 500, 502, 503, 504), upTo(9_000)).map(
    ([status, commit]): Fault => ({
      do: "status",
      status,
      ...(commit === undefined ? {} : { commit }),
    }),
  ),
  fc.constantFrom<Fault>({ do: "no-id" }, { do: "odd" }, { do: "unsent" }),
  fc.record({
    do: fc.constant("ask-to-wait" as const),
    status: fc.constantFrom(425 as const, 429 as const),
    seconds: fc.integer({ min: 0, max: 90 }),
  }),
  fc.constantFrom(400, 401, 403, 409, 422).map((status): Fault => ({ do: "refuse", status })),
  fc.integer({ min: 1, max: 20_000 }).map((ms): Fault => ({ do: "slow", ms })),
);

const scripts = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 10 }), faults), { maxLength: 4 })
  .map((entries) => new Map(entries));

/** How far behind the lists are, one after the other; then again from the first. */
const lags = fc.array(
  fc.oneof(fc.constant(0), fc.constant(LAG_MS), fc.integer({ min: 0, max: LAG_MS })),
  { minLength: 1, maxLength: 8 },
);

const fates: fc.Arbitrary<Fate & { readonly interruptAt?: number; readonly overtaken?: number }> =
  fc.oneof(
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

const scenarios = fc.record({
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
type Scenario = typeof scenarios extends fc.Arbitrary<infer Of> ? Of : never;

describe("whatever goes wrong", () => {
  it("a further run brings everything about, once each, where the service has lists", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const world = await faultyRuns(scenario, true);
        const { outcome } = await cleanRun(world, scenario);
        expect(outcome).toHaveProperty("result");
        expectSound(world, scenario.model);
      }),
      { numRuns: RUNS },
    );
  });

  it("nothing is doubled or lost where it has none: amp stops, and a person says what is", async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const world = await faultyRuns({ ...scenario, existing: [], gone: [] }, false);
        for (let runs = 0; ; runs++) {
          const { outcome } = await cleanRun(world, scenario);
          if (outcome !== "killed" && "result" in outcome) break;
          expect(exitOf(outcome)).toBe("partial");
          expect(runs).toBeLessThan(20);
          await answerForPerson(world, outcome);
        }
        expectSound(world, scenario.model);
      }),
      { numRuns: RUNS },
    );
  });
});

async function faultyRuns(scenario: Scenario, lists: boolean): Promise<World> {
  const clock = createClock();
  const { uniqueNames, lags, model, parallel } = scenario;
  let looks = 0;
  const lag = () => lags[looks++ % lags.length] ?? 0;
  const service = new Service(clock, { lists, uniqueNames, lag });
  const world: World = { clock, service, disk: emptyDisk() };
  for (const at of scenario.existing) make(world, stepsOf(model)[at]);
  await clock.sleep(LAG_MS);
  for (const { fate: befalls, faults } of scenario.runs) {
    const { interruptAt, overtaken, ...fate } = befalls;
    const before = service.creates.length;
    service.options = {
      ...service.options,
      faults: new Map([...faults].map(([nth, fault]) => [before + nth, fault])),
    };
    const victim: Process = new Process(
      world,
      {
        ...fate,
        ...(interruptAt === undefined
          ? {}
          : {
              atStep: (step: number) => {
                if (step === interruptAt) victim.interrupt.abort("SIGINT");
              },
            }),
        ...(overtaken === undefined
          ? {}
          : {
              sleepAfter: {
                save: overtaken,
                meanwhile: async () => {
                  await runOf(world, model, { parallel });
                },
              },
            }),
      },
      { parallel },
    );
    const outcome = await victim.outcomeOf(victim.engine.apply(model));
    if (outcome !== "killed") {
      if ("error" in outcome && !(outcome.error instanceof AmpError)) throw outcome.error;
      if (!lists) await answerForPerson(world, outcome);
    }
    expectTrue(world, victim);
    await removeByHand(world, scenario);
  }
  return world;
}

/**
 * Somebody deletes routes at the service; the list goes on showing them for a while. Only such as
 * amp knows: of others nobody could tell a deleted one in a list from one that is there.
 */
async function removeByHand(
  { service, clock, disk }: World,
  { gone, goneFor }: Scenario,
): Promise<void> {
  if (gone.length === 0) return;
  await clock.sleep(16_000);
  const known = disk.text === undefined ? [] : [...stateOf(disk).records.values()];
  const routes = known.filter(({ id }) => id.includes("route") && service.records.has(id));
  for (const at of gone) {
    const route = routes[at % Math.max(1, routes.length)];
    if (route) service.remove(route.id);
  }
  await clock.sleep(goneFor);
}

async function runOf(world: World, model: RoutingModel, options: Partial<EngineOptions>) {
  const run = new Process(world, {}, options);
  return { run, outcome: await run.outcomeOf(run.engine.apply(model)) };
}

/** Runs as a person would once all is well; a list has caught up with what happened before. */
async function cleanRun(world: World, { model, parallel }: Scenario) {
  const { clock, service } = world;
  service.options = { ...service.options, faults: new Map() };
  await clock.sleep(LAG_MS);
  return runOf(world, model, { parallel });
}

/** What a run says that it created, or found again, is there. */
function expectTrue({ service }: World, { events }: Process): void {
  for (const event of events) {
    if (event.type !== "settled") continue;
    const { outcome, id = "" } = event.settled;
    if (outcome !== "created" && outcome !== "reconciled") continue;
    expect([id, service.records.has(id)]).toEqual([id, true]);
  }
}

/** What is in place, judged by the service itself. */
function expectSound({ service, disk }: World, model: RoutingModel): void {
  expect(service.duplicates()).toEqual([]);
  const state = stateOf(disk);
  const known = new Set([...state.records.values()].map(({ id }) => id));
  const lost = [...service.records.keys()].filter((id) => !known.has(id));
  expect(lost).toEqual([]);
  for (const { address } of stepsOf(model)) {
    expect(service.records.has(state.records.get(address)?.id ?? "")).toBe(true);
  }
  expect(state.pending.size).toBe(0);
}

/** Creates something as somebody else would have. */
function make({ service }: World, step: Step | undefined): void {
  if (step === undefined) return;
  const idOf = (kind: StepKind, name: string) =>
    service.ofKind(kind).find(({ fields }) => fields.name === name)?.id;
  if (step.kind === "destination") {
    const { type, metadata } = step.part;
    service.add(step.kind, { name: step.name, type, metadata });
  } else if (step.kind === "topic") service.add(step.kind, { name: step.name });
  else {
    const topicId = idOf("topic", step.topic);
    if (topicId === undefined) return;
    if ("event" in step) service.add(step.kind, { topicId, eventType: step.event });
  }
}

/** The natural key of what an address stands for. */
function wantedKey({ records }: RoutingState, step: Step): string {
  const topicId = "topic" in step ? records.get(topicAddress(step.topic))?.id : undefined;
  const destinationId =
    "destination" in step ? records.get(destinationAddress(step.destination))?.id : undefined;
  const fields = {
    name: "name" in step ? step.name : undefined,
    eventType: "event" in step ? step.event : undefined,
    topicId,
    destinationId,
  };
  return naturalKey({ kind: step.kind, fields });
}

function stateOf(disk: Disk): RoutingState {
  return parseState(disk.text ?? "", "memory");
}

function exitOf(outcome: Outcome<unknown>): string | undefined {
  if (outcome === "killed" || "result" in outcome) return undefined;
  if (!(outcome.error instanceof AmpError)) throw outcome.error;
  return outcome.error.exit;
}

/** Follows what the error says: looks at the service, not too early, and tells the state. */
async function answerForPerson(world: World, outcome: Outcome<unknown>): Promise<void> {
  const { service, disk, clock } = world;
  await clock.sleep(90_000);
  if (outcome === "killed" || "result" in outcome || disk.text === undefined) return;
  const { data } = (outcome.error as AmpError).facts;
  const unknown = (data?.unknown ?? []) as { address: Address; commands: string[] }[];
  const rescued = (data?.rescued ?? []) as { address: Address; id: string }[];
  let state = stateOf(disk);
  for (const { address, id } of rescued) state = importRecord(state, address, id, clock.now());
  for (const { address } of unknown) {
    if (!state.pending.has(address)) continue;
    const wanted = wantedKey(state, stepAt(address));
    const found = [...service.records.values()].find((one) => naturalKey(one) === wanted);
    const word = found ? { id: found.id } : "not-created";
    state = resolvePending(state, address, word, clock.now());
  }
  disk.text = stateText({ ...state, serial: state.serial + 1 });
}
