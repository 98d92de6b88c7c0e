import { describe, expect, it } from "vitest";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { apply, type EngineWorld, errorOf, newWorld, stateOf, worldWith } from "./engine-world.ts";
import { EIGHT, webhook } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

const ROUTE = "event-route/health/connection.error";

/** A world in which a run was killed while the fifth create, a route's, was on its way. */
async function killedAtRoute(
  lists: boolean,
  arrives: boolean,
  model: RoutingModel = EIGHT,
): Promise<EngineWorld> {
  const world = newWorld({ lists, uniqueNames: false });
  // Before anything is answered the process is gone.
  world.service.options = {
    ...world.service.options,
    faults: new Map([[5, arrives ? { do: "reset", commit: 3_000 } : { do: "reset" }]]),
  };
  let victim: SimulatedProcess | undefined;
  const atCreate = (nth: number) => {
    if (nth === 5) victim?.kill();
  };
  world.service.options = { ...world.service.options, atCreate };
  victim = new SimulatedProcess(world, {}, { parallel: 1 });
  expect(await victim.outcomeOf(victim.engine.apply(model))).toBe("killed");
  expect([...stateOf(world).pending]).toMatchObject([[ROUTE, { phase: "intent" }]]);
  return world;
}

describe("a write that a killed run has left pending", () => {
  it.each([true, false])("is settled first by the next one; arrived: %s", async (arrives) => {
    const world = await killedAtRoute(true, arrives);
    const process = new SimulatedProcess(world);
    const { settled } = await process.engine.apply(EIGHT);
    expect(settled.find(({ address }) => address === ROUTE)).toMatchObject(
      arrives ? { outcome: "reconciled", sent: false } : { outcome: "created", sent: true },
    );
    const [first] = process.events.filter((event) =>
      event.type === "settled" ? event.settled.outcome !== "in-place" : event.type === "intent",
    );
    if (arrives) expect(first).toMatchObject({ settled: { address: ROUTE } });
    expect(world.service.creates).toHaveLength(arrives ? 8 : 9);
    expect(world.service.records.size).toBe(8);
    const [, , , , fifth, sixth] = world.service.creates;
    if (!arrives) expect(sixth).toEqual(fifth);
  });

  it("a create of unknown outcome is planned as reconcile", async () => {
    const world = await killedAtRoute(true, true);
    const { plan } = await new SimulatedProcess(world).engine.plan(EIGHT);
    expect(plan.items.filter(({ action }) => action === "unknown")).toMatchObject([
      { address: ROUTE },
    ]);
  });

  it("ends a run without lists, before it sends anything", async () => {
    const world = await killedAtRoute(false, true);
    const process = new SimulatedProcess(world);
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error.exit).toBe("partial");
    expect(error.message).toBe("4 of 8 in place, 1 outcome unknown: an earlier run did not finish");
    expect(error.facts.data?.unknown).toMatchObject([{ address: ROUTE }]);
    expect(error.facts.data?.notTried).toHaveLength(3);
    expect(stateOf(world).pending.get(ROUTE)).toMatchObject({ phase: "unknown" });
    expect(world.service.creates).toHaveLength(5);
  });

  it.each<readonly [string, (() => number) | undefined]>([
    ["has no dates", undefined],
    ["has set its clock back", () => -7_200_000],
  ])("is decided a commit horizon after the first look where the service %s", async (_, dates) => {
    const world = await killedAtRoute(true, false);
    await world.clock.sleep(3_700_000);
    world.clock.jump(3_700_000);
    world.service.options = { ...world.service.options, dates };
    expect(await timeToDecide(world)).toBeGreaterThanOrEqual(60_000);
  });

  it("is decided at once where both clocks say that its commit horizon has passed", async () => {
    const world = await killedAtRoute(true, false);
    await world.clock.sleep(200_000);
    expect(await timeToDecide(world)).toBeLessThan(2_000);
  });

  it("is decided a commit horizon after the first look where this clock was set back", async () => {
    const world = await killedAtRoute(true, false);
    await world.clock.sleep(200_000);
    world.clock.jump(-3_600_000);
    const time = await timeToDecide(world);
    expect(time).toBeGreaterThanOrEqual(60_000);
    expect(time).toBeLessThan(65_000);
  });

  it("is decided when its commit horizon, which began before this run, has passed", async () => {
    const world = await killedAtRoute(true, false);
    // It may have waited for 60 s, and then for an answer for 30 s; that it waits for others is
    // allowed for 30 s.
    await world.clock.sleep(150_000);
    const time = await timeToDecide(world);
    expect(time).toBeGreaterThanOrEqual(30_000);
    expect(time).toBeLessThan(35_000);
  });

  it("of a run that was stopped is decided a commit horizon after its end", async () => {
    const world = worldWith({ 5: { do: "time-out" } }, { uniqueNames: false });
    const { service, clock } = world;
    const first = new SimulatedProcess(world, {}, { parallel: 1 });
    service.options = {
      ...service.options,
      atCreate: (count) => {
        if (count === 5) first.interrupt.abort("SIGTERM");
      },
    };
    await first.outcomeOf(first.engine.apply(EIGHT));
    service.options = { ...service.options, atCreate: () => {} };
    await clock.sleep(40_000);
    const time = await timeToDecide(world);
    expect(time).toBeGreaterThanOrEqual(20_000);
    expect(time).toBeLessThan(25_000);
  });

  it("is settled and not made anew where the routing no longer names it", async () => {
    const without: RoutingModel = {
      ...EIGHT,
      topics: new Map(EIGHT.topics).set("health", { events: [], destinations: ["ops"] }),
    };
    const gone = await killedAtRoute(true, false);
    const { settled } = await apply(gone, { model: without });
    expect(settled.find(({ address }) => address === ROUTE)).toMatchObject({ outcome: "absent" });
    expect(stateOf(gone).pending.size).toBe(0);
    expect(gone.service.ofKind("event-route")).toHaveLength(1);

    const there = await killedAtRoute(true, true);
    await apply(there, { model: without });
    expect(stateOf(there).records.get(ROUTE)).toMatchObject({ origin: "reconciled" });
  });
});

/** How long a run takes that has nothing to wait for but a create of an earlier run. */
async function timeToDecide(world: EngineWorld): Promise<number> {
  const began = world.clock.elapsed();
  await apply(world);
  expect(world.service.records.size).toBe(8);
  expect(world.service.duplicates()).toEqual([]);
  return world.clock.elapsed() - began;
}

describe("resume", () => {
  it("records a create that arrived, without sending it again", async () => {
    const world = await killedAtRoute(true, true);
    expect(await new SimulatedProcess(world).engine.resume()).toMatchObject([
      { address: ROUTE, outcome: "reconciled", id: "event-route-5", sent: false },
    ]);
    expect(world.service.creates).toHaveLength(5);
    expect(await new SimulatedProcess(world).engine.resume()).toEqual([]);
  });

  it("removes the intent of a resource that was never created", async () => {
    const world = await killedAtRoute(true, false);
    expect(await new SimulatedProcess(world).engine.resume()).toMatchObject([
      { address: ROUTE, outcome: "absent" },
    ]);
    expect(stateOf(world).pending.size).toBe(0);
    expect(world.service.creates).toHaveLength(5);
  });

  it("knows the ends of a route that the state does not know", async () => {
    const model: RoutingModel = {
      destinations: new Map([
        ["a", webhook("https://x.example/a")],
        ["b", webhook("https://x.example/b")],
        ["c", webhook("https://x.example/c")],
        ["d", webhook("https://x.example/d")],
      ]),
      topics: new Map([
        ["health", { id: "topic-1", events: ["connection.error"], destinations: [] }],
      ]),
    };
    const world = newWorld({ uniqueNames: false });
    world.service.add("topic", { name: "health" });
    let victim: SimulatedProcess | undefined;
    world.service.options = {
      ...world.service.options,
      faults: new Map([[5, { do: "reset", commit: 100 }]]),
      atCreate: (nth) => {
        if (nth === 5) victim?.kill();
      },
    };
    victim = new SimulatedProcess(world, {}, { parallel: 1 });
    await victim.outcomeOf(victim.engine.apply(model));
    expect(await new SimulatedProcess(world).engine.resume()).toMatchObject([
      { address: ROUTE, outcome: "reconciled" },
    ]);
  });

  it("ends with the commands that resolve it where there are no lists", async () => {
    const world = await killedAtRoute(false, false);
    const error = await errorOf(new SimulatedProcess(world).engine.resume());
    expect(error.exit).toBe("partial");
    expect(suggestedLines(error.facts.suggestion)).toContain(
      `amp notify state resolve ${ROUTE} --not-created`,
    );
  });
});
