import { describe, expect, it } from "vitest";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { changedState, withIntent } from "../../../src/notify/state/change.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { apply, changeState, errorOf, failedApply, newWorld, stateOf } from "./engine-world.ts";
import { EIGHT, webhook } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** What is left of {@link EIGHT}: one destination. */
const ONE: RoutingModel = {
  name: "routing",
  destinations: new Map([["ops", webhook()]]),
  topics: new Map(),
};

describe("prune", () => {
  it("deletes routes before topics before destinations, once it was asked for", async () => {
    const world = newWorld();
    await apply(world);
    await apply(world, { model: ONE });
    expect(world.service.deleted).toEqual([]);
    const process = new SimulatedProcess(world, {}, { prune: true });
    const { deleted } = await process.engine.apply(ONE);
    const kinds = world.service.deleted.map((id) => id.replace(/-\d+$/, ""));
    expect(kinds.slice(0, 4).every((kind) => kind.endsWith("route"))).toBe(true);
    expect(kinds.slice(4)).toEqual(["topic", "topic", "destination"]);
    expect(deleted.map(({ id }) => id).toSorted()).toEqual(world.service.deleted.toSorted());
    expect(process.events.filter(({ type }) => type === "deleted")).toHaveLength(7);
    expect([...stateOf(world).records.keys()]).toEqual(["destination/ops"]);
    expect([...world.service.records.keys()]).toEqual(["destination-2"]);
  });

  it("treats a missing resource as deleted", async () => {
    const world = newWorld();
    await apply(world);
    for (const { id } of world.service.ofKind("event-route")) world.service.remove(id);
    const { deleted } = await apply(world, { model: ONE, prune: true });
    expect(deleted).toHaveLength(7);
    expect(stateOf(world).records.size).toBe(1);
  });

  it("keeps resources that existed before the state", async () => {
    const world = newWorld();
    world.service.add("topic", { name: "health" });
    await apply(world);
    await apply(world, { model: ONE, prune: true });
    expect(world.service.ofKind("topic")).toMatchObject([{ id: "topic-1" }]);
  });

  it("leaves what its plan did not show, such as an unknown outcome of the state", async () => {
    const world = newWorld();
    await apply(world, { model: ONE });
    world.service.add("topic", { name: "billing" });
    changeState(world, (state) =>
      changedState(
        state,
        withIntent("topic/billing", {
          ...{ fingerprint: "", key: "k", attempt: 1, idsBefore: [], phase: "unknown" },
          ...{
            owners: ["routing"],
            started: "2026-09-01T00:00:00.000Z",
            horizon: "2026-09-01T00:00:01.000Z",
          },
        }),
      ),
    );
    await apply(world, { model: ONE, prune: true });
    expect(stateOf(world).records.get("topic/billing")).toMatchObject({ origin: "reconciled" });
    expect(world.service.deleted).toEqual([]);
    await apply(world, { model: ONE, prune: true });
    expect(world.service.deleted).toHaveLength(1);
  });

  it("says so where the service deletes nothing, and forgets nothing", async () => {
    const world = newWorld({ deletes: false });
    await apply(world);
    const { error } = await failedApply(world, { model: ONE, prune: true, parallel: 1 });
    expect(error.exit).toBe("rejected");
    expect(error.message).toBe("This service does not delete destination routes");
    expect(suggestedLines(error.facts.suggestion).join("\n")).toBe(
      "amp notify state forget destination-route/health/ops",
    );
    expect(error.facts.data?.notTried).toHaveLength(6);
    expect(stateOf(world).records.size).toBe(8);
  });

  it("does not treat a 404 as deleted without other evidence", async () => {
    const world = newWorld({ lists: false });
    await apply(world);
    const [route] = world.service.ofKind("destination-route");
    world.service.remove(route?.id ?? "");
    const { error } = await failedApply(world, { model: ONE, prune: true });
    expect(error.exit).toBe("not-found");
    expect(error.message).toBe(
      `Could not delete the destination route ${route?.id}: not found, or the service cannot delete it`,
    );
    expect(stateOf(world).records.size).toBe(8);
  });

  it("takes a 404 for deleted once a list that is late shows it", async () => {
    const world = newWorld({ lag: () => 1_000 });
    await apply(world);
    await world.clock.sleep(60_000);
    const [route] = world.service.ofKind("destination-route");
    world.service.remove(route?.id ?? "");
    const { deleted } = await apply(world, { model: ONE, prune: true });
    expect(deleted).toHaveLength(7);
    expect(stateOf(world).records.size).toBe(1);
  });

  it("deletes nothing once the lock was taken away", async () => {
    const world = newWorld();
    await apply(world);
    const process = new SimulatedProcess(
      world,
      {
        atStep: () => {
          const isPlanned = process.events.some(({ type }) => type === "planned");
          if (isPlanned) world.disk.holder = undefined;
          if (isPlanned && world.disk.generation === 2) world.disk.generation = 3;
        },
      },
      { prune: true },
    );
    const error = await errorOf(process.engine.apply(ONE));
    expect(error.message).toBe("the lock is lost");
    expect(error.facts.done).toMatch(
      /^Nothing was deleted\.\nNot deleted:\n {2}destination-route/u,
    );
    expect(error.facts.done).not.toContain("Not created:");
    expect(world.service.deleted).toEqual([]);
  });

  it("reports the deleted and the remaining resources after a failure", async () => {
    const world = newWorld();
    await apply(world);
    world.service.options = { ...world.service.options, undeletable: "topic" };
    const { error } = await failedApply(world, { model: ONE, prune: true, parallel: 1 });
    expect(error.exit).toBe("partial");
    expect(error.facts.data?.settled).toEqual(
      expect.arrayContaining([expect.objectContaining({ outcome: "deleted" })]),
    );
    expect(error.facts.done).toContain("Deleted:\n");
    expect(error.facts.done).toContain("Not deleted:\n  topic/health: in use (422)\nNot tried:\n");
    expect(error.facts.remedy).toBe(
      "Correct what the service refused, then run the command again to continue.",
    );
    await world.clock.sleep(60_000);
    world.service.options = { ...world.service.options, undeletable: undefined };
    await apply(world, { model: ONE, prune: true });
    expect(world.service.records.size).toBe(1);
  });

  it("stops at a signal", async () => {
    const world = newWorld();
    await apply(world);
    const process: SimulatedProcess = new SimulatedProcess(
      world,
      { atStep: () => world.service.deleted.length === 2 && process.interrupt.abort("SIGINT") },
      { prune: true, parallel: 1 },
    );
    const error = await process.engine.apply(ONE).catch((thrown) => thrown);
    expect(error.exit).toBe("interrupted");
    expect(world.service.deleted.length).toBeLessThan(4);
    await apply(world, { model: ONE, prune: true });
    expect(world.service.records.size).toBe(1);
  });
});
