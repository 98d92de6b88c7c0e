import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AmpError } from "../../../src/errors.ts";
import type { EngineOptions } from "../../../src/notify/engine/types.ts";
import {
  ownResources,
  type Resource,
  type RoutingModel,
} from "../../../src/notify/model/routing.ts";
import { type EngineWorld, newWorld, stateOf } from "./engine-world.ts";
import { answerAsOperator } from "./operator.ts";
import { LAG_MS, type Scenario, scenarios } from "./scenarios.ts";
import { type Outcome, SimulatedProcess } from "./simulated-process.ts";

const RUNS = Number(process.env.AMP_PROPERTY_RUNS ?? 200);

describe("whatever goes wrong", () => {
  // Two cores that others use too may need more than the usual time for it.
  const timeout = 300_000;

  it("a further run brings everything about, once each, where the service has lists", {
    timeout,
  }, async () => {
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

  it("nothing is doubled or lost where it has none: amp stops, and a person says what is", {
    timeout,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const world = await faultyRuns({ ...scenario, existing: [], gone: [] }, false);
        for (let runs = 0; ; runs++) {
          const { outcome } = await cleanRun(world, scenario);
          if (outcome !== "killed" && "result" in outcome) break;
          expect(exitOf(outcome)).toBe("partial");
          expect(runs).toBeLessThan(20);
          await answerAsOperator(world, outcome);
        }
        expectSound(world, scenario.model);
      }),
      { numRuns: RUNS },
    );
  });
});

async function faultyRuns(scenario: Scenario, lists: boolean): Promise<EngineWorld> {
  const { uniqueNames, lags, model } = scenario;
  const options = optionsOf(scenario);
  let looks = 0;
  const lag = () => lags[looks++ % lags.length] ?? 0;
  const world = newWorld({ lists, uniqueNames, lag });
  const { service, clock } = world;
  for (const at of scenario.existing) make(world, ownResources(model)[at]);
  await clock.sleep(LAG_MS);
  for (const { fate: befalls, faults } of scenario.runs) {
    const { interruptAt, overtaken, ...fate } = befalls;
    const before = service.creates.length;
    service.options = {
      ...service.options,
      faults: new Map([...faults].map(([nth, fault]) => [before + nth, fault])),
    };
    const victim: SimulatedProcess = new SimulatedProcess(
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
                  await runOf(world, model, options);
                },
              },
            }),
      },
      options,
    );
    const outcome = await victim.outcomeOf(victim.engine.apply(model));
    if (outcome !== "killed") {
      if ("error" in outcome && !(outcome.error instanceof AmpError)) throw outcome.error;
      if (!lists) await answerAsOperator(world, outcome);
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
  { service, clock, disk }: EngineWorld,
  { gone, goneFor }: Scenario,
): Promise<void> {
  if (gone.length === 0) return;
  await clock.sleep(16_000);
  const known = disk.text === undefined ? [] : [...stateOf({ disk }).records.values()];
  const routes = known.filter(({ id }) => id.includes("route") && service.records.has(id));
  for (const at of gone) {
    const route = routes[at % Math.max(1, routes.length)];
    if (route) service.remove(route.id);
  }
  await clock.sleep(goneFor);
}

/** Who deletes something and wants it back has to say so. */
function optionsOf({ parallel, gone }: Scenario): Partial<EngineOptions> {
  return { parallel, recreate: gone.length > 0 };
}

async function runOf(world: EngineWorld, model: RoutingModel, options: Partial<EngineOptions>) {
  const run = new SimulatedProcess(world, {}, options);
  return { run, outcome: await run.outcomeOf(run.engine.apply(model)) };
}

/** Runs as a person would once all is well; a list has caught up with what happened before. */
async function cleanRun(world: EngineWorld, scenario: Scenario) {
  const { clock, service } = world;
  service.options = { ...service.options, faults: new Map() };
  await clock.sleep(LAG_MS);
  return runOf(world, scenario.model, optionsOf(scenario));
}

/** What a run says that it created, or found again, is there. */
function expectTrue({ service }: EngineWorld, { events }: SimulatedProcess): void {
  for (const event of events) {
    if (event.type !== "settled") continue;
    const { outcome, id = "" } = event.settled;
    if (outcome !== "created" && outcome !== "reconciled") continue;
    expect([id, service.records.has(id)]).toEqual([id, true]);
  }
}

/** What is in place, judged by the service itself. */
function expectSound({ service, disk }: EngineWorld, model: RoutingModel): void {
  expect(service.duplicates()).toEqual([]);
  const state = stateOf({ disk });
  const known = new Set([...state.records.values()].map(({ id }) => id));
  const lost = [...service.records.keys()].filter((id) => !known.has(id));
  expect(lost).toEqual([]);
  for (const { address } of ownResources(model)) {
    expect(service.records.has(state.records.get(address)?.id ?? "")).toBe(true);
  }
  expect(state.pending.size).toBe(0);
}

/** Creates something as somebody else would have. */
function make({ service }: EngineWorld, resource: Resource | undefined): void {
  if (resource === undefined) return;
  const { kind, names, content } = resource;
  const [first = "", second] = names;
  if (kind === "destination") service.add(kind, { name: first, ...content });
  else if (kind === "topic") service.add(kind, { name: first });
  else {
    const topicId = service.ofKind("topic").find(({ fields }) => fields.name === first)?.id;
    if (topicId === undefined) return;
    if (kind === "event-route") service.add(kind, { topicId, eventType: second });
  }
}

function exitOf(outcome: Outcome<unknown>): string | undefined {
  if (outcome === "killed" || "result" in outcome) return undefined;
  if (!(outcome.error instanceof AmpError)) throw outcome.error;
  return outcome.error.exit;
}
