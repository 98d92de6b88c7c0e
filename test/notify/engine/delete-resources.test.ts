import { describe, expect, it } from "vitest";
import type { Api, Endpoint } from "../../../src/api/operations/endpoint.ts";
import {
  ConflictError,
  InterruptedError,
  PartialError,
  ServiceError,
} from "../../../src/errors.ts";
import {
  type Deletion,
  deleteResources,
  withoutDeleted,
} from "../../../src/notify/engine/delete-resources.ts";
import type { EnginePorts } from "../../../src/notify/engine/types.ts";
import { addressParts } from "../../../src/notify/model/address.ts";
import type { RoutingModel } from "../../../src/notify/model/routing.ts";
import { listRouting } from "../../../src/notify/plan/live.ts";
import { apply, type EngineWorld, errorOf, newWorld, stateOf } from "./engine-world.ts";
import { EIGHT } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

const lost = () => new PartialError("It is unknown whether the request took effect");

/** What a network or a service makes of a delete. */
type Fault = (work: () => Promise<unknown>) => Promise<unknown>;
const lostAfter: Fault = async (work) => {
  await work();
  throw lost();
};
const lostBefore: Fault = async () => {
  throw lost();
};

/** The ports of a process whose deletes meet these faults in turn; the last one stays. */
function ports({ ports }: SimulatedProcess, ...faults: Fault[]) {
  const sent: string[] = [];
  const next = [...faults];
  const call = async (endpoint: Endpoint, input: { readonly path: Record<string, string> }) => {
    const work = () => ports.api.call(endpoint, input as never);
    if (endpoint.method !== "DELETE") return work();
    expect(endpoint.notRepeatable).toBe(true);
    sent.push(Object.values(input.path).at(-1) ?? "");
    const fault = next.length > 1 ? next.shift() : next[0];
    return fault ? fault(work) : work();
  };
  const faulty: EnginePorts = { ...ports, api: { ...ports.api, call: call as Api["call"] } };
  return { faulty, sent };
}

/** The resources that an applied world has at these addresses. */
function deletions(world: EngineWorld, ...addresses: readonly string[]): Deletion[] {
  return [...stateOf(world).records].flatMap(([address, { id }]) =>
    addresses.includes(address) ? [{ address, id, kind: addressParts(address).kind }] : [],
  );
}

const ROUTES = ["destination-route/health/ops", "event-route/health/connection.error"];
const HEALTH = [...ROUTES, "topic/health"];

/** The deletes in the order of a command: routes first. */
function health(world: EngineWorld): Deletion[] {
  const all = deletions(world, ...HEALTH);
  return all.toSorted((a, b) => HEALTH.indexOf(a.address) - HEALTH.indexOf(b.address));
}

async function applied(options: Parameters<typeof newWorld>[0] = {}): Promise<EngineWorld> {
  const world = newWorld(options);
  await apply(world);
  return world;
}

describe("deleteResources", () => {
  it("deletes in the given order, each once, and takes them out of the state", async () => {
    const world = await applied();
    const { faulty, sent } = ports(new SimulatedProcess(world));
    const wanted = health(world);
    const outcomes = await deleteResources(faulty, wanted);
    expect(outcomes).toEqual(
      wanted.map(({ address, id }) => ({ address, id, outcome: "deleted" })),
    );
    expect(sent).toEqual(wanted.map(({ id }) => id));
    expect(world.service.deleted).toEqual(sent);
    expect([...stateOf(world).records.keys()]).not.toEqual(
      expect.arrayContaining(["topic/health"]),
    );
    expect(stateOf(world).records.size).toBe(5);
  });

  it("saves that a delete begins before it is sent", async () => {
    const world = await applied();
    const [one] = deletions(world, "topic/health");
    if (one === undefined) throw new Error("not applied");
    const seen: unknown[] = [];
    const { faulty } = ports(new SimulatedProcess(world), async (work) => {
      seen.push(stateOf(world).records.get(one.address)?.deleting);
      return work();
    });
    await deleteResources(faulty, [one]);
    expect(seen).toEqual([expect.stringMatching(/^\d{4}-/u)]);
  });

  it("sends no delete if the intent cannot be saved", async () => {
    const world = await applied();
    const process = new SimulatedProcess(world, { failedSaves: new Set([1]) });
    const { faulty, sent } = ports(process);
    const error = await errorOf(deleteResources(faulty, deletions(world, "topic/health")));
    expect(error.message).toBe("the disk is full");
    expect(sent).toEqual([]);
    expect(stateOf(world).records.get("topic/health")?.deleting).toBeUndefined();
  });

  it("sends nothing once the lock was taken away", async () => {
    const world = newWorld();
    const { id } = world.service.add("topic", { name: "health" });
    const process = new SimulatedProcess(world, {
      atStep: () => {
        if (world.disk.generation === 1) world.disk.generation = 2;
      },
    });
    const { faulty, sent } = ports(process);
    const one = { address: "topic/health", kind: "topic", id } as const;
    const error = await errorOf(deleteResources(faulty, [one]));
    expect(error.message).toBe("the lock is lost");
    expect(sent).toEqual([]);
  });

  it("leaves a state alone that does not hold the resource", async () => {
    const world = newWorld();
    const { id } = world.service.add("topic", { name: "health" });
    const { faulty } = ports(new SimulatedProcess(world));
    await deleteResources(faulty, [{ address: "topic/health", kind: "topic", id }]);
    expect(world.service.records.size).toBe(0);
    expect(world.disk.text).toBeUndefined();
  });

  it("settles a lost answer by looking, and never sends again", async () => {
    const world = await applied({ lag: () => 1_000 });
    const { faulty, sent } = ports(new SimulatedProcess(world), lostAfter);
    const outcomes = await deleteResources(faulty, deletions(world, "topic/health"));
    expect(outcomes).toMatchObject([{ outcome: "deleted" }]);
    expect(sent).toHaveLength(1);
    expect(stateOf(world).records.has("topic/health")).toBe(false);
  });

  it("says that the outcome is unknown where the lists still show it, and keeps the intent", async () => {
    const world = await applied();
    const { faulty, sent } = ports(new SimulatedProcess(world), lostBefore);
    const wanted = deletions(world, "topic/health");
    const error = await errorOf(deleteResources(faulty, wanted));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.message).toMatch(/^It is unknown whether the topic topic-\d+ was deleted$/u);
    const { settled } = error.facts.data ?? {};
    expect(settled).toEqual([{ ...wanted[0], kind: undefined, outcome: "unknown" }]);
    expect(sent).toHaveLength(1);
    expect(stateOf(world).records.get("topic/health")?.deleting).toBeDefined();
    const again = ports(new SimulatedProcess(world));
    await deleteResources(again.faulty, wanted);
    expect(stateOf(world).records.has("topic/health")).toBe(false);
  });

  const accepted =
    (work: () => Promise<unknown>): Fault =>
    async () => {
      await work();
      throw new PartialError("It is unknown whether the request took effect", { status: 202 });
    };

  it("waits for what the service only accepted, as long as a create may take to be listed", async () => {
    const world = await applied();
    const wanted = deletions(world, "topic/health");
    const process = new SimulatedProcess(world);
    const { faulty, sent } = ports(
      process,
      accepted(async () => {}),
    );
    const { elapsed } = process.ports;
    let from = elapsed();
    const sleep: EnginePorts["sleep"] = async (ms, signal) => {
      await process.ports.sleep(ms, signal);
      if (elapsed() - from > 20_000) world.service.remove(wanted[0]?.id ?? "");
    };
    expect(await deleteResources({ ...faulty, sleep }, wanted)).toMatchObject([
      { outcome: "deleted" },
    ]);
    expect(stateOf(world).records.has("topic/health")).toBe(false);
    const other = deletions(world, "topic/lifecycle");
    const waits: string[] = [];
    const observe: EnginePorts["observe"] = (event) => {
      if (event.type === "waiting") waits.push(event.why);
    };
    from = elapsed();
    const error = await errorOf(deleteResources({ ...faulty, observe }, other));
    expect([error, elapsed() - from >= 60_000]).toEqual([expect.any(PartialError), true]);
    expect(waits).toEqual(["accepted, but still listed"]);
    expect(stateOf(world).records.get("topic/lifecycle")?.deleting).toBeDefined();
    expect(sent).toHaveLength(2);
  });

  it("believes no 404 where nothing is listed", async () => {
    const world = await applied({ lists: false });
    const wanted = deletions(world, "topic/health");
    world.service.remove(wanted[0]?.id ?? "");
    const { faulty } = ports(new SimulatedProcess(world));
    const error = await errorOf(deleteResources(faulty, wanted));
    expect(error).toMatchObject({ exit: "not-found" });
    expect(error.facts.done).toBe("Nothing was deleted.");
    expect(stateOf(world).records.get("topic/health")?.deleting).toBeUndefined();
  });

  it("believes a 404 after a lost answer, whatever was refused in between", async () => {
    const world = await applied({ lists: false });
    const wanted = deletions(world, "topic/health");
    const run = (...faults: Fault[]) => {
      const { faulty } = ports(new SimulatedProcess(world), ...faults);
      return deleteResources(faulty, wanted);
    };
    expect(await errorOf(run(lostAfter))).toBeInstanceOf(PartialError);
    const unreached: Fault = async () => {
      throw new ServiceError("Could not reach it");
    };
    expect(await errorOf(run(unreached))).toMatchObject({ exit: "service" });
    expect(await run()).toMatchObject([{ outcome: "already deleted" }]);
    expect(stateOf(world).records.has("topic/health")).toBe(false);
  });

  it("takes a 404 for deleted before where the lists agree", async () => {
    const world = await applied();
    const wanted = deletions(world, "topic/health");
    world.service.remove(wanted[0]?.id ?? "");
    const { faulty } = ports(new SimulatedProcess(world));
    const outcomes = await deleteResources(faulty, wanted);
    expect(outcomes).toMatchObject([{ outcome: "already deleted" }]);
    expect(stateOf(world).records.has("topic/health")).toBe(false);
  });

  it.each([
    ["in use", new ConflictError("in use (409)", { status: 409 }), "conflict"],
    ["not reached", new ServiceError("Could not reach it"), "service"],
  ])("keeps everything where it is %s", async (_, refusal, exit) => {
    const world = await applied();
    const { faulty } = ports(new SimulatedProcess(world), async () => {
      throw refusal;
    });
    const error = await errorOf(deleteResources(faulty, deletions(world, "topic/health")));
    expect(error).toMatchObject({ exit });
    expect(error.facts.done).toBe("Nothing was deleted.");
    expect(stateOf(world).records.get("topic/health")?.deleting).toBeUndefined();
    expect(stateOf(world).records.size).toBe(8);
  });

  it("lists the resources deleted before a failure", async () => {
    const world = await applied();
    const refuse: Fault = async () => {
      throw new ConflictError("in use (409)", { status: 409 });
    };
    const { faulty } = ports(new SimulatedProcess(world), (work) => work(), refuse);
    const error = await errorOf(deleteResources(faulty, health(world)));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.facts.done).toBe(
      `Deleted: ${ROUTES[0]}. Not deleted, or not known: ${ROUTES[1]}, topic/health.`,
    );
    expect(error.facts.data).toMatchObject({
      settled: [{ address: ROUTES[0], outcome: "deleted" }],
      notTried: ["topic/health"],
    });
  });

  it("keeps the intent of a delete that was interrupted", async () => {
    const world = await applied();
    const process = new SimulatedProcess(world);
    const { faulty, sent } = ports(process, async (work) => {
      await work();
      process.interrupt.abort("SIGINT");
      throw new InterruptedError("Interrupted");
    });
    const error = await errorOf(deleteResources(faulty, health(world)));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(sent).toHaveLength(1);
    expect(stateOf(world).records.get("destination-route/health/ops")?.deleting).toBeDefined();
  });
});

describe("after a delete that did not come to its end", () => {
  it("apply makes the routing whole again, wherever it was killed", async () => {
    let steps = Number.POSITIVE_INFINITY;
    for (let crashAt = 1; crashAt <= steps; crashAt += 1) {
      const world = await applied();
      const process = new SimulatedProcess(world, { crashAt });
      const outcome = await process.outcomeOf(deleteResources(process.ports, health(world)));
      if (outcome !== "killed") {
        steps = crashAt;
        expect(world.service.deleted).toHaveLength(3);
      }
      const { plan } = await new SimulatedProcess(world).engine.plan(EIGHT);
      const planned = plan.items.map(({ action }) => action);
      expect(planned).not.toContain("missing");
      await apply(world);
      expect(world.service.records.size, `killed at ${crashAt}`).toBe(8);
      expect(world.service.duplicates()).toEqual([]);
      const { records } = stateOf(world);
      expect(records.size).toBe(8);
      for (const { id } of records.values()) expect(world.service.records.has(id)).toBe(true);
    }
    expect(steps).toBeGreaterThan(10);
  });

  it("another routing is applied without the deleted resources", async () => {
    const world = await applied();
    const process = new SimulatedProcess(world);
    const { faulty } = ports(process, async (work) => {
      await work();
      process.kill();
      return new Promise(() => {});
    });
    await process.outcomeOf(
      deleteResources(faulty, deletions(world, "destination-route/health/ops")),
    );
    const { ports: now, engine } = new SimulatedProcess(world);
    expect(stateOf(world).records.has("destination-route/health/ops")).toBe(true);
    const seen = withoutDeleted(stateOf(world), await listRouting(now));
    expect(seen.records.has("destination-route/health/ops")).toBe(false);
    await engine.resume();
    expect(stateOf(world).records.has("destination-route/health/ops")).toBe(false);
  });

  const marked = async (dates: (() => number) | undefined) => {
    const world = await applied({ dates });
    const { faulty } = ports(new SimulatedProcess(world), lostBefore);
    // A command finds the resource in the lists first.
    await listRouting(faulty);
    await errorOf(deleteResources(faulty, deletions(world, "topic/health")));
    return world;
  };
  const isMarked = async (world: EngineWorld) => {
    await apply(world, { model: EIGHT satisfies RoutingModel });
    return stateOf(world).records.get("topic/health")?.deleting !== undefined;
  };

  it("a resource that is still listed long after was not deleted", async () => {
    const world = await marked(() => 0);
    expect(await isMarked(world)).toBe(true);
    await world.clock.sleep(65_000);
    expect(await isMarked(world)).toBe(false);
  });

  it("no clock that jumps decides that alone", async () => {
    let ahead = 0;
    const world = await marked(() => ahead);
    world.clock.jump(7_200_000);
    expect(await isMarked(world)).toBe(true);
    world.clock.jump(-7_200_000);
    ahead = 7_200_000;
    expect(await isMarked(world)).toBe(true);
    await world.clock.sleep(65_000);
    expect(await isMarked(world)).toBe(false);
  });
});
