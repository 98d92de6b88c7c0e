import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { apply, type EngineWorld, newWorld, stateOf } from "./engine-world.ts";
import { webhook } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** A routing with topics of these names, and their routes to a destination that all have. */
function routing(name: string, ...topics: string[]): RoutingModel {
  return {
    name,
    destinations: new Map([["ops", webhook()]]),
    topics: new Map(topics.map((topic) => [topic, { events: [], destinations: ["ops"] }])),
  };
}

function ownersOf(world: EngineWorld, address: Address): readonly string[] | undefined {
  return stateOf(world).records.get(address)?.owners;
}

function topicsAt({ service }: EngineWorld): unknown[] {
  return service
    .ofKind("topic")
    .map(({ fields }) => fields.name)
    .toSorted();
}

const PRUNE = { prune: true };

describe("two routings of one state", () => {
  it("never delete each other's resources, however they take turns", async () => {
    const world = newWorld();
    const [a, b] = [routing("a", "one", "both"), routing("b", "two", "both")];
    for (const model of [a, b, a, b]) await apply(world, { model, ...PRUNE });
    expect(world.service.deleted).toEqual([]);
    expect(ownersOf(world, "destination/ops")).toEqual(["a", "b"]);
    expect(ownersOf(world, "topic/one")).toEqual(["a"]);
    expect(ownersOf(world, "destination-route/two/ops")).toEqual(["b"]);
  });

  it("delete what both wanted only when the last of them drops it", async () => {
    const world = newWorld();
    await apply(world, { model: routing("a", "one", "both") });
    await apply(world, { model: routing("b", "two", "both") });
    await apply(world, { model: routing("a", "one"), ...PRUNE });
    expect(world.service.deleted).toEqual([]);
    expect(ownersOf(world, "topic/both")).toEqual(["b"]);
    await apply(world, { model: routing("b", "two"), ...PRUNE });
    expect(topicsAt(world)).toEqual(["one", "two"]);
    expect(stateOf(world).records.has("topic/both")).toBe(false);
  });

  it("keep what is dropped without --prune, with its owner, until it is pruned", async () => {
    const world = newWorld();
    await apply(world, { model: routing("a", "one", "both") });
    await apply(world, { model: routing("a", "one") });
    expect(ownersOf(world, "topic/both")).toEqual(["a"]);
    await apply(world, { model: routing("a", "one"), ...PRUNE });
    expect(topicsAt(world)).toEqual(["one"]);
  });

  it("own what they name by the ID of the other", async () => {
    const world = newWorld();
    await apply(world, { model: routing("a", "one") });
    const id = stateOf(world).records.get("destination/ops")?.id ?? "";
    const byId: RoutingModel = {
      ...{ name: "b", topics: new Map() },
      destinations: new Map([["theirs", { kind: "existing", id }]]),
    };
    await apply(world, { model: byId });
    const empty: RoutingModel = { name: "a", destinations: new Map(), topics: new Map() };
    await apply(world, { model: empty, ...PRUNE });
    expect(topicsAt(world)).toEqual([]);
    expect(ownersOf(world, "destination/ops")).toEqual(["b"]);
    await apply(world, { model: { ...empty, name: "b" }, ...PRUNE });
    expect(world.service.records.size).toBe(0);
  });

  it("keep what a killed run of the other began, under its owner's name", async () => {
    let found = 0;
    for (let crashAt = 1, killed = true; killed; crashAt += 1) {
      const world = newWorld();
      const options = { parallel: 1 };
      const process = new SimulatedProcess(world, { crashAt }, options);
      const [a, b] = [routing("a", "one"), routing("b", "two")];
      killed = (await process.outcomeOf(process.engine.apply(a))) === "killed";
      await apply(world, { model: b, ...PRUNE });
      if (stateOf(world).records.has("topic/one")) {
        expect(ownersOf(world, "topic/one")).toEqual(["a"]);
        found += 1;
      }
      await apply(world, { model: a, ...PRUNE });
      expect(topicsAt(world)).toEqual(["one", "two"]);
      expect(world.service.deleted).toEqual([]);
    }
    expect(found).toBeGreaterThan(3);
  });

  it("keep their owners where a resource is created again", async () => {
    const world = newWorld();
    await apply(world, { model: routing("a", "both") });
    await apply(world, { model: routing("b", "both") });
    for (const { id } of world.service.ofKind("topic")) world.service.remove(id);
    await apply(world, { model: routing("b", "both"), recreate: true });
    expect(ownersOf(world, "topic/both")).toEqual(["a", "b"]);
  });

  it("save nothing where they own all that they name", async () => {
    const world = newWorld();
    await apply(world, { model: routing("a", "one") });
    const { serial } = stateOf(world);
    await apply(world, { model: routing("a", "one"), ...PRUNE });
    expect(stateOf(world).serial).toBe(serial);
  });

  it("lose no owner and delete nothing of the other's, wherever a run is killed", async () => {
    let crashAt = 1;
    for (let killed = true; killed; crashAt += 1) {
      const world = newWorld();
      await apply(world, { model: routing("a", "one", "both") });
      await apply(world, { model: routing("b", "two", "both", "dropped") });
      const model = routing("b", "new");
      const process = new SimulatedProcess(world, { crashAt }, PRUNE);
      killed = (await process.outcomeOf(process.engine.apply(model))) === "killed";
      expect(ownersOf(world, "topic/one")).toEqual(["a"]);
      await apply(world, { model, ...PRUNE });
      expect(topicsAt(world)).toEqual(["both", "new", "one"]);
      expect(ownersOf(world, "topic/both")).toEqual(["a"]);
      expect(ownersOf(world, "destination/ops")).toEqual(["a", "b"]);
    }
    expect(crashAt).toBeGreaterThan(20);
  });
});
