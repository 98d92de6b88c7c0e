import { describe, expect, it } from "vitest";
import { ConflictError } from "../../../src/errors.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { apply, created, errorOf, failedApply, newWorld, stateOf } from "./engine-world.ts";
import { EIGHT, EIGHT_STEPS } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

const ADDRESSES = [
  "destination/archive",
  "destination/ops",
  "topic/health",
  "topic/lifecycle",
  "event-route/health/connection.error",
  "event-route/lifecycle/installation.created",
  "destination-route/health/ops",
  "destination-route/lifecycle/archive",
];

describe("apply", () => {
  it("creates ends before routes, and remembers each with the service's request", async () => {
    const world = newWorld();
    const process = new SimulatedProcess(world);
    const receipt = await process.engine.apply(EIGHT);
    expect(receipt.settled.map(({ address }) => address)).toEqual(ADDRESSES);
    for (const { address, id, requestId, outcome, sent } of receipt.settled) {
      expect({ outcome, sent }).toEqual({ outcome: "created", sent: true });
      expect(requestId).toMatch(/^req#\d$/);
      expect(stateOf(world).records.get(address)).toMatchObject({ id, requestId });
    }
    expect(receipt).toMatchObject({ duplicates: [], verified: true, hasLists: true, deleted: [] });
    expect(receipt.state).toMatchObject({ location: "memory", serial: stateOf(world).serial });
    expect(stateOf(world)).toMatchObject({ lists: true, pending: new Map() });
    expect(
      created(world)
        .slice(4)
        .every((kind) => kind.endsWith("route")),
    ).toBe(true);
    expect(world.clock.alarms).toBe(0);
  });

  it("reports an intent before each result, with the key that was sent", async () => {
    const world = newWorld();
    const process = new SimulatedProcess(world, {}, { parallel: 1 });
    await process.engine.apply(EIGHT);
    const told = process.events.map((event) =>
      event.type === "settled" ? `settled ${event.settled.address}` : event.type,
    );
    expect(told).toEqual(["planned", ...ADDRESSES.flatMap((one) => ["intent", `settled ${one}`])]);
    const keys = process.events.flatMap((event) => (event.type === "intent" ? [event.key] : []));
    expect(world.service.creates.map(({ key }) => key)).toEqual(keys);
    expect(new Set(keys).size).toBe(8);
  });

  it("sends no request when run a second time", async () => {
    const world = newWorld();
    const { state } = await apply(world);
    const again = await apply(world);
    expect(world.service.creates).toHaveLength(8);
    expect(again.settled.map(({ outcome }) => outcome)).toEqual(ADDRESSES.map(() => "in-place"));
    expect(again.state).toEqual(state);
  });

  it("reads the lists once where all is in place, and still finds duplicates in them", async () => {
    const world = newWorld();
    await apply(world);
    const [{ fields } = { fields: {} }] = world.service.ofKind("event-route");
    world.service.add("event-route", fields);
    let reads = 0;
    const lag = () => {
      reads += 1;
      return 0;
    };
    world.service.options = { ...world.service.options, lag };
    const { duplicates, verified } = await apply(world);
    expect({ reads, verified, found: duplicates.map(({ ids }) => ids.length) }).toEqual({
      reads: 4,
      verified: true,
      found: [2],
    });
  });

  it.each([
    [1, 1],
    [3, 3],
    [9, 4],
  ])("with parallel %i has %i creates in flight", async (parallel, most) => {
    const world = newWorld();
    world.service.options = {
      ...world.service.options,
      faults: new Map([1, 2, 3, 4, 5, 6, 7, 8].map((nth) => [nth, { do: "slow", ms: 50 }])),
    };
    await apply(world, { parallel });
    expect(world.service.mostInFlight).toBe(most);
  });

  it("creates one at a time where the service has no lists", async () => {
    const world = newWorld({ lists: false });
    const receipt = await apply(world, { parallel: 4 });
    expect(world.service.mostInFlight).toBe(1);
    expect(receipt).toMatchObject({ hasLists: false, verified: false });
    expect(stateOf(world).lists).toBe(false);
  });

  it("adopts existing resources with their routes", async () => {
    const world = newWorld();
    const topic = world.service.add("topic", { name: "health" });
    const route = world.service.add("event-route", {
      topicId: topic.id,
      eventType: "connection.error",
    });
    const receipt = await apply(world);
    const adopted = receipt.settled.filter(({ outcome }) => outcome === "adopted");
    expect(adopted.map(({ id, sent }) => [id, sent])).toEqual([
      [topic.id, false],
      [route.id, false],
    ]);
    expect(created(world)).toHaveLength(6);
    expect((await apply(world)).state.serial).toBe(receipt.state.serial);
  });

  it("keeps as its own a resource that was changed elsewhere to match the file", async () => {
    const world = newWorld();
    await apply(world);
    const address = "destination/ops";
    const { id } = stateOf(world).records.get(address) ?? {};
    const ops = world.service.records.get(id ?? "");
    const metadata = { url: "https://hooks.example.com/moved" };
    Object.assign(ops?.fields ?? {}, { metadata });
    const part = EIGHT.destinations.get("ops");
    const destinations = new Map(EIGHT.destinations);
    if (part?.kind === "new") destinations.set("ops", { ...part, metadata });
    const { settled } = await apply(world, { model: { ...EIGHT, destinations } });
    expect(settled.find((one) => one.address === address)).toMatchObject({ id, sent: false });
    expect(stateOf(world).records.get(address)).toMatchObject({ id, origin: "created" });
    expect(created(world)).toHaveLength(8);
  });

  it("creates a state that was lost anew from the lists, and nothing else", async () => {
    const world = newWorld();
    await apply(world);
    world.disk.text = undefined;
    const { settled } = await apply(world);
    expect(new Set(settled.map(({ outcome }) => outcome))).toEqual(new Set(["adopted"]));
    expect(created(world)).toHaveLength(8);
  });

  it("reports a resource that is no longer listed as a conflict", async () => {
    const world = newWorld({ uniqueNames: false });
    await apply(world);
    const before = world.service.records.size;
    await world.clock.sleep(60_000);
    world.service.options = { ...world.service.options, lag: () => 90_000 };
    const { error } = await failedApply(world);
    expect(error).toBeInstanceOf(ConflictError);
    expect(suggestedLines(error.facts.suggestion)).toEqual([
      "amp notify apply -f <file> --accept recreate",
    ]);
    expect(world.service.records.size).toBe(before);
    await world.clock.sleep(90_000);
    const { settled } = await apply(world);
    expect(new Set(settled.map(({ outcome }) => outcome))).toEqual(new Set(["in-place"]));
  });

  it("recreates a resource that was deleted elsewhere, and its routes", async () => {
    const world = newWorld();
    await apply(world);
    const topic = stateOf(world).records.get("topic/health")?.id ?? "";
    const routes = [...world.service.records.values()].filter(
      ({ fields }) => fields.topicId === topic,
    );
    for (const { id } of [...routes, { id: topic }]) world.service.remove(id);
    await world.clock.sleep(20_000);
    const { settled } = await apply(world, { recreate: true });
    expect(settled.filter(({ outcome }) => outcome === "created").map((s) => s.address)).toEqual([
      "topic/health",
      "event-route/health/connection.error",
      "destination-route/health/ops",
    ]);
    expect(world.service.records.size).toBe(8);
  });

  describe.each<readonly [string, (() => number) | undefined]>([
    ["has dates", () => 0],
    ["has no dates", undefined],
  ])("where the service %s", (_, dates) => {
    it.each([0, 7_200_000, -3_600_000])(
      "does not create anew what a list that is behind does not show: the clock jumps by %i ms",
      async (jump) => {
        const world = newWorld({ uniqueNames: false, dates });
        await apply(world);
        world.clock.jump(jump);
        world.service.options = { ...world.service.options, lag: () => 50_000 };
        const { settled } = await apply(world, { recreate: true });
        expect(new Set(settled.map(({ outcome }) => outcome))).toEqual(new Set(["in-place"]));
        expect(world.service.creates).toHaveLength(EIGHT_STEPS);
        expect(world.service.duplicates()).toEqual([]);
      },
    );
  });

  it("creates anew at once what was in place longer ago than a list can be behind", async () => {
    const world = newWorld();
    await apply(world);
    const route = stateOf(world).records.get("event-route/health/connection.error")?.id ?? "";
    await world.clock.sleep(70_000);
    world.service.remove(route);
    const began = world.clock.elapsed();
    await apply(world, { recreate: true });
    expect(world.clock.elapsed() - began).toBeLessThan(2_000);
    expect(world.service.records.size).toBe(8);
  });

  it("waits for a list that is behind, and creates nothing a second time", async () => {
    const world = newWorld({ uniqueNames: false });
    await apply(world);
    world.service.options = { ...world.service.options, lag: () => 4_000 };
    const process = new SimulatedProcess(world);
    const { settled } = await process.engine.apply(EIGHT);
    expect(settled.every(({ outcome }) => outcome === "in-place")).toBe(true);
    expect(process.events.filter(({ type }) => type === "waiting")).toHaveLength(8);
    expect(created(world)).toHaveLength(8);
  });

  it("reports several records of one resource that it did not create", async () => {
    const world = newWorld();
    const process = new SimulatedProcess(world, {
      atStep: () => {
        const known = process.events.filter(({ type }) => type === "settled").length;
        if (known < 8 || world.service.records.size > 8) return;
        const topicId = stateOf(world).records.get("topic/health")?.id;
        world.service.add("event-route", { topicId, eventType: "connection.error" });
      },
    });
    const { duplicates } = await process.engine.apply(EIGHT);
    expect(duplicates).toEqual([
      {
        address: "event-route/health/connection.error",
        ids: [expect.stringMatching(/^event-route-/), "event-route-9"],
      },
    ]);
  });

  it("asks before it creates, and leaves all as it is where the answer is no", async () => {
    const world = newWorld();
    const process = new SimulatedProcess(world);
    const no = new ConflictError("no");
    const asked = process.engine.apply(EIGHT, async ({ items }) => {
      expect(items.map(({ action }) => action)).toEqual(ADDRESSES.map(() => "create"));
      throw no;
    });
    expect(await errorOf(asked)).toBe(no);
    expect(world.service.creates).toEqual([]);
    expect(world.disk).toMatchObject({ text: undefined, holder: undefined });
  });
});

describe("plan", () => {
  it("reads without a lock and saves nothing", async () => {
    const world = newWorld();
    const { engine } = new SimulatedProcess(world);
    const { plan, live } = await engine.plan(EIGHT);
    expect(plan.items.map(({ address }) => address)).toEqual(ADDRESSES);
    expect(live?.topic).toEqual([]);
    expect(world.disk).toEqual({ text: undefined, holder: undefined, generation: 0 });
  });
});
