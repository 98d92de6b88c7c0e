import { describe, expect, it } from "vitest";
import { apply, failedApply, newWorld, stateOf, worldWith } from "./engine-world.ts";
import { EIGHT } from "./routings.ts";

/** The clean-up of a listener: nobody waits a minute for it. */
const CLEANING = {
  prune: true,
  accept: ["takeover"],
  patienceMs: 5_000,
  parallel: 1,
  model: { ...EIGHT, name: "own", destinations: new Map(), topics: new Map() },
} as const;
const OWN = { ...EIGHT, name: "own" };

describe("a run that has little patience", () => {
  it("counts a delete as not done after it, and the next run deletes at once", async () => {
    const world = newWorld();
    await apply(world, { model: OWN });
    world.service.options = { ...world.service.options, lose: () => ({ doneAfter: undefined }) };
    const began = world.clock.elapsed();
    const { error } = await failedApply(world, CLEANING);
    expect(world.clock.elapsed() - began).toBeLessThan(6_000);
    expect(error.message).toContain("still listed after 5 s");
    world.service.options = { ...world.service.options, lose: () => undefined };
    const again = world.clock.elapsed();
    await apply(world, CLEANING);
    expect(world.clock.elapsed() - again).toBeLessThan(1_000);
    expect(world.service.records.size).toBe(0);
    expect(stateOf(world).entries.size).toBe(0);
  });

  it("keeps a create as unknown, which may still come, and a later run deletes it", async () => {
    const world = worldWith({ 8: { do: "reset", commit: 30_000 } });
    await failedApply(world, { model: OWN, patienceMs: 0, parallel: 1 });
    const began = world.clock.elapsed();
    const { error } = await failedApply(world, CLEANING);
    expect(world.clock.elapsed() - began).toBeLessThan(6_000);
    expect(error.exit).toBe("partial");
    await world.clock.sleep(30_000);
    await apply(world, CLEANING);
    expect(world.service.records.size).toBe(0);
    expect(stateOf(world).entries.size).toBe(0);
  });

  it("does not wait longer for a list that is behind", async () => {
    const world = newWorld({ lag: () => 20_000 });
    await apply(world, { model: OWN, parallel: 1 });
    const began = world.clock.elapsed();
    const { error } = await failedApply(world, CLEANING);
    expect(world.clock.elapsed() - began).toBeLessThan(7_000);
    expect(error).toMatchObject({ message: "The service does not list yet what amp did" });
    await world.clock.sleep(20_000);
    await apply(world, CLEANING);
    expect(world.service.records.size).toBe(0);
  });
});
