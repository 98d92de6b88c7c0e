import { describe, expect, it } from "vitest";
import { InterruptedError, TerminatedError } from "../../../src/errors.ts";
import type { CreateFault } from "./create-faults.ts";
import {
  apply,
  type EngineWorld,
  errorOf,
  newWorld,
  pendingOf,
  worldWith,
} from "./engine-world.ts";
import { EIGHT } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

/** A process that gets a signal when so many creates have come to the service. */
function interrupted(
  { service, ...world }: EngineWorld,
  creates: number,
  { reason = "SIGINT", parallel = 1 } = {},
): SimulatedProcess {
  const process = new SimulatedProcess({ service, ...world }, {}, { parallel });
  const atCreate = (nth: number) => {
    if (nth !== creates) return;
    process.interrupt.abort(reason);
  };
  service.options = { ...service.options, atCreate };
  return process;
}

describe("a signal", () => {
  it.each([
    ["SIGINT", InterruptedError, "Interrupted"],
    ["SIGTERM", TerminatedError, "Terminated"],
    ["SIGHUP", TerminatedError, "Terminated"],
  ] as const)(
    "%s lets no further create start, and tells what is in place",
    async (reason, kind, message) => {
      const world = newWorld();
      const { engine } = interrupted(world, 3, { reason });
      const error = await errorOf(engine.apply(EIGHT));
      expect(error).toBeInstanceOf(kind);
      expect(error.message).toBe(message);
      expect(world.service.creates).toHaveLength(3);
      expect(error.facts.data).toMatchObject({
        settled: [{ id: "destination-1" }, { id: "destination-2" }, { id: "topic-3" }],
        failed: [],
        unknown: [],
      });
      expect(error.facts.data?.notTried).toHaveLength(5);
      expect(error.facts.done).toContain("Not tried:\n  topic/lifecycle");
      expect(error.facts.remedy).toBe("Run the same command again to continue.");
      expect(pendingOf(world)).toEqual([]);
      expect(world.disk.holder).toBeUndefined();
      expect(world.clock.alarms).toBe(0);
      await apply(world);
      expect(world.service.creates).toHaveLength(8);
    },
  );

  it("gives those in flight five seconds, and leaves the others unknown", async () => {
    const faults: Record<number, CreateFault> = {
      1: { do: "slow", ms: 4_900 },
      2: { do: "slow", ms: 5_100 },
    };
    const world = worldWith(faults, { uniqueNames: false });
    const { engine } = interrupted(world, 2, { parallel: 2 });
    const error = await errorOf(engine.apply(EIGHT));
    expect(error).toBeInstanceOf(InterruptedError);
    const { settled, unknown } = error.facts.data as Record<string, object[]>;
    expect(settled).toMatchObject([{ address: "destination/archive", outcome: "created" }]);
    expect(unknown).toMatchObject([{ address: "destination/ops" }]);
    expect(pendingOf(world)).toMatchObject([{ op: "create" }]);
    expect(world.service.creates).toHaveLength(2);
    expect(world.clock.alarms).toBeLessThanOrEqual(1);
    const { settled: after } = await apply(world);
    expect(after.find(({ address }) => address === "destination/ops")).toMatchObject({
      outcome: "created",
      earlier: true,
      id: "destination-2",
    });
    expect(world.service.duplicates()).toEqual([]);
  });

  it("that is repeated ends those in flight at once, and their outcomes are saved as unknown", async () => {
    const world = worldWith({ 1: { do: "slow", ms: 4_900 } }, { uniqueNames: false });
    const process = interrupted(world, 1);
    process.interrupt.signal.addEventListener("abort", () => process.urge.abort("SIGINT"));
    const began = world.clock.elapsed();
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(world.clock.elapsed() - began).toBeLessThan(4_900);
    expect(pendingOf(world)).toMatchObject([{ op: "create" }]);
    expect(world.disk.holder).toBeUndefined();
    await apply(world);
    expect(world.service.duplicates()).toEqual([]);
  });

  it("ends the wait for a service that asked for one, and nothing is left of the create", async () => {
    const world = worldWith({ 1: { do: "ask-to-wait", status: 429, seconds: 50 } });
    const process: SimulatedProcess = new SimulatedProcess(world, {
      atStep: () => {
        const waits = process.events.some(({ type }) => type === "waiting");
        if (waits) setImmediate(() => process.interrupt.abort("SIGINT"));
      },
    });
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(pendingOf(world)).toEqual([]);
    expect(error.facts.data?.notTried).toContain("destination/archive");
  });

  it("ends the search for what is unknown, which stays so", async () => {
    const world = worldWith({ 1: { do: "time-out", commit: 40_000 } }, { uniqueNames: false });
    const process: SimulatedProcess = new SimulatedProcess(
      world,
      {
        atStep: () => {
          const waits = process.events.some(({ type }) => type === "waiting");
          if (waits) setImmediate(() => process.interrupt.abort("SIGTERM"));
        },
      },
      { parallel: 1 },
    );
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error).toBeInstanceOf(TerminatedError);
    expect(error.facts.data?.unknown).toHaveLength(1);
    await apply(world);
    expect(world.service.duplicates()).toEqual([]);
    expect(world.service.creates).toHaveLength(8);
  });

  it("before anything is sent leaves nothing behind", async () => {
    const world = newWorld();
    const process = new SimulatedProcess(world);
    const error = await errorOf(
      process.engine.apply(EIGHT, async () => process.interrupt.abort("SIGINT")),
    );
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error.facts.done).toBe("Nothing was created.");
    expect(world.disk).toMatchObject({ text: undefined, holder: undefined });
    expect(world.clock.alarms).toBe(0);
  });
});
