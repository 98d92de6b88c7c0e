import { describe, expect, it } from "vitest";
import { createSingle } from "../../../src/notify/engine/single.ts";
import { type RoutingModel, resourceAt } from "../../../src/notify/model/routing.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { apply, errorOf, failedApply, newWorld, stateOf, worldWith } from "./engine-world.ts";
import { EIGHT } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** The numbers from `first` on. */
const from = (first: number) => new Set(Array.from({ length: 200 }, (_, at) => first + at));

describe("a state that cannot be saved", () => {
  it.each([1, 2])("at save %i, before the first create: nothing is sent", async (save) => {
    const world = newWorld();
    const { error } = await failedApply(world, { parallel: 1 }, { failedSaves: from(save) });
    expect(error.message).toBe("the disk is full");
    expect(error.exit).toBe("service");
    expect(world.service.creates).toEqual([]);
  });

  it("with the third intent: two are in place, and nothing more is sent", async () => {
    const world = newWorld();
    // That of the lists, of the first intent, and of each result together with the next intent.
    const { error } = await failedApply(world, { parallel: 1 }, { failedSaves: new Set([4]) });
    expect(error.exit).toBe("partial");
    expect(error.message).toBe("2 of 8 in place, then the run stopped: the disk is full");
    expect(error.facts.data?.failed).toMatchObject([{ address: "topic/health" }]);
    expect(world.service.creates).toHaveLength(2);
  });

  it("with a result: its id is reported, with the command that brings it in", async () => {
    const world = newWorld();
    const { error, process } = await failedApply(world, { parallel: 1 }, { failedSaves: from(3) });
    expect(error.exit).toBe("partial");
    expect(error.message).toBe("1 of 8 in place, 1 not saved: the disk is full");
    expect(error.facts.done).toContain(
      "Not saved in the state:\n  destination/archive  destination-1",
    );
    const command = "amp notify state import destination/archive destination-1";
    expect(suggestedLines(error.facts.suggestion)).toEqual([command]);
    expect(JSON.parse(JSON.stringify(error.facts.data?.rescued))).toEqual([
      { address: "destination/archive", id: "destination-1", command },
    ]);
    expect(process.events).toContainEqual({
      type: "rescued",
      address: "destination/archive",
      id: "destination-1",
    });
    expect(world.service.creates).toHaveLength(1);
    // Nobody has typed the command: the intent is there, and the next run finds it.
    await apply(world);
    expect(world.service.creates).toHaveLength(8);
  });

  it("with a result, and then it can: nothing is to be typed", async () => {
    const world = newWorld();
    const { error } = await failedApply(world, { parallel: 1 }, { failedSaves: new Set([3, 4]) });
    expect(error.message).toBe("1 of 8 in place, then the run stopped: the disk is full");
    expect(error.facts.data).not.toHaveProperty("rescued");
    expect(stateOf(world).entries.get("destination/archive")).toMatchObject({
      id: "destination-1",
      made: "amp",
    });
  });

  it("with a result, while others are in flight: those that wait are not sent", async () => {
    const slow = { do: "slow", ms: 1_000 } as const;
    const world = worldWith({ 1: { do: "slow", ms: 10 }, 2: slow, 3: slow });
    // That of the lists, of the intents of the first four, and of the first result.
    const failedSaves = new Set([3]);
    const process = new SimulatedProcess(world, { failedSaves }, { parallel: 2 });
    failedSaves.has = (save) => {
      if (save === 3) void standStill();
      return save === 3;
    };
    /** To rescue is work of the real disk, for which this clock would not wait. */
    async function standStill() {
      while (!process.events.some(({ type }) => type === "rescued")) await world.clock.sleep(0);
    }
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error.message).toBe("3 of 8 in place, then the run stopped: the disk is full");
    expect(world.service.creates).toHaveLength(3);
    const entries = [...stateOf(world).entries.values()];
    expect(entries.map(({ pending }) => pending)).toEqual([undefined, undefined, undefined]);
  });

  it("where the lock was taken away meanwhile: nothing is sent", async () => {
    const world = newWorld();
    const process = new SimulatedProcess(
      world,
      {
        sleepAfter: {
          save: 4,
          meanwhile: async () => {
            await apply(world);
          },
        },
      },
      { parallel: 1 },
    );
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error.exit).toBe("partial");
    expect(error.message).toBe("2 of 8 in place, then the run stopped: the lock is lost");
    expect(world.service.records.size).toBe(8);
    expect(world.service.duplicates()).toEqual([]);
  });
});

it("sends again what was refused of a destination that it takes over", async () => {
  const world = newWorld({ updates: false });
  const metadata = { url: "https://x.example/2" };
  const { id } = world.service.add("destination", { name: "a", type: "webhook", metadata });
  const wanted = { url: "https://x.example/1" };
  const part = { kind: "new", type: "webhook", metadata: wanted, secrets: {} } as const;
  const model = { name: "one", destinations: new Map([["a", part]]), topics: new Map() };
  await failedApply(world, { model, accept: ["adopt"] });
  world.service.options = { ...world.service.options, updates: true };
  await apply(world, { model });
  expect(world.service.records.get(id)?.fields.metadata).toEqual(wanted);
});

it("a resource that the service lists after it confirmed the delete is told by each plan, until a file has it", async () => {
  const world = newWorld({ dates: () => 0 });
  const topics = (...names: readonly string[]): RoutingModel => ({
    name: "one",
    destinations: new Map(),
    topics: new Map(names.map((name) => [name, { events: [], destinations: [] }])),
  });
  const warnings = async (model: RoutingModel) => {
    await world.clock.sleep(120_000);
    return (await new SimulatedProcess(world).engine.plan(model)).nameWarnings;
  };
  const told = [
    "topic/t: amp deleted it, and the service still lists it (topic-1); if it should be gone, delete it again",
  ];
  await apply(world, { model: topics("t", "u") });
  Object.assign(world.service, { remove: () => {} });
  await apply(world, { model: topics("u"), prune: true });
  expect(await warnings(topics("u"))).toEqual(told);
  // A save that drops what is past its horizon keeps it.
  await apply(world, { model: topics("u", "v") });
  expect(await warnings(topics("t", "u", "v"))).toEqual(told);
  await apply(world, { model: topics("t", "u", "v") });
  expect(await warnings(topics("t", "u", "v"))).toEqual([]);
});

it("a create by command beside an entry of its address is to be checked one horizon after it was sent", async () => {
  const world = worldWith({ 2: { do: "time-out" } }, { lists: false, uniqueNames: false });
  const topics = new Map([["t", { events: [], destinations: [] }]]);
  await apply(world, { model: { name: "one", destinations: new Map(), topics } });
  const { ports } = new SimulatedProcess(world);
  const error = await errorOf(createSingle(ports, resourceAt("topic/t"), new Map()));
  const unknown = (error.facts.data?.unknown ?? []) as readonly { readonly horizon: string }[];
  const left = unknown.map((one) => Date.parse(one.horizon) - world.clock.now().getTime());
  expect(left.map((ms) => Math.round(ms / 1_000))).toEqual([60]);
});
