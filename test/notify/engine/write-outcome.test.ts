import { describe, expect, it } from "vitest";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import type { CreateFault } from "./create-faults.ts";
import { apply, errorOf, failedApply, newWorld, stateOf, worldWith } from "./engine-world.ts";
import { EIGHT } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

describe("a create that is refused", () => {
  it.each([
    [400, "rejected"],
    [401, "auth"],
    [403, "rejected"],
    [409, "conflict"],
    [422, "rejected"],
  ])("with %i at the start ends the run as the refusal says", async (status, exit) => {
    const world = worldWith({ 1: { do: "refuse", status } });
    const { error, process } = await failedApply(world, { parallel: 1 });
    expect(error.exit).toBe(exit);
    expect(error.message).toBe(`Refused (${status})`);
    expect(error.facts).toMatchObject({ status, requestId: "req#1", done: "Nothing was created." });
    expect(error.facts.data).toMatchObject({
      settled: [],
      failed: [{ address: "destination/archive", status, requestId: "req#1" }],
      unknown: [],
    });
    expect(error.facts.data?.notTried).toHaveLength(7);
    expect(stateOf(world).pending.size).toBe(0);
    expect(process.events.at(-1)).toMatchObject({ settled: { outcome: "refused", sent: true } });
  });

  it("for its name, by a service without lists, suggests importing the existing resource", async () => {
    const conflict: CreateFault = { do: "refuse", status: 409 };
    const { error } = await failedApply(worldWith({ 1: conflict }, { lists: false }), {
      parallel: 1,
    });
    expect(suggestedLines(error.facts.suggestion).join("\n")).toBe(
      "amp notify state import destination/archive <id>",
    );
    // The create may have been done all the same: the ID that the service names is not lost.
    const naming = { ...conflict, context: { id: "dst_1" } };
    const named = await failedApply(worldWith({ 1: naming }, { lists: false }), { parallel: 1 });
    expect(suggestedLines(named.error.facts.suggestion).join("\n")).toBe(
      "amp notify state import destination/archive dst_1",
    );
    const listed = await failedApply(worldWith({ 1: conflict }), { parallel: 1 });
    expect(listed.error.facts.suggestion).toBeUndefined();
  });

  it("later reports what is in place and what was not tried", async () => {
    const world = worldWith({ 4: { do: "refuse", status: 422 } });
    const { error } = await failedApply(world, { parallel: 1 });
    expect(error.exit).toBe("partial");
    expect(error.message).toBe("3 of 8 in place, then the run stopped: refused (422)");
    expect(error.facts).toMatchObject({ status: 422, requestId: "req#4" });
    expect(error.facts.done).toBe(
      [
        "Created:",
        "  destination/archive  destination-1",
        "  destination/ops  destination-2",
        "  topic/health  topic-3",
        "Not created:",
        "  topic/lifecycle: Refused (422)",
        "Not tried:",
        "  event-route/health/connection.error",
        "  event-route/lifecycle/installation.created",
        "  destination-route/health/ops",
        "  destination-route/lifecycle/archive",
      ].join("\n"),
    );
    expect(error.facts.remedy).toBe(
      "Correct what the service refused, then run the command again to continue.",
    );
    await apply(world);
    expect(world.service.creates).toHaveLength(9);
  });

  it("lets those in flight come to their end, and starts none", async () => {
    const slow: CreateFault = { do: "slow", ms: 500 };
    const world = worldWith({ 1: slow, 2: { do: "refuse", status: 400 }, 3: slow });
    const { error } = await failedApply(world, { parallel: 3 });
    expect(world.service.creates).toHaveLength(3);
    expect(error.message).toBe("2 of 8 in place, then the run stopped: refused (400)");
    expect(error.facts.data?.notTried).toHaveLength(5);
    expect(stateOf(world).records.size).toBe(2);
  });

  it("is settled with those of the same moment that are unknown", async () => {
    const world = worldWith({
      1: { do: "reset", commit: 8_000 },
      2: { do: "refuse", status: 400 },
      3: { do: "reset" },
    });
    const { error } = await failedApply(world, { parallel: 3 });
    const { settled, failed, unknown } = error.facts.data as Record<string, object[]>;
    expect(settled).toMatchObject([
      { address: "destination/archive", outcome: "created", earlier: true },
    ]);
    expect(failed).toMatchObject([{ address: "destination/ops" }, { address: "topic/health" }]);
    expect(unknown).toEqual([]);
    expect(world.service.creates).toHaveLength(3);
    expect(stateOf(world).pending.size).toBe(0);
  });

  it.each([400, 409, 422])(
    "with %i is adopted where the list shows it, as wanted",
    async (status) => {
      const world = newWorld();
      const { service } = world;
      service.options = {
        ...service.options,
        faults: new Map([[3, { do: "refuse", status }]]),
      };
      const process = new SimulatedProcess(
        world,
        {
          // Somebody else was faster.
          atStep: () => {
            const isThere = service.ofKind("topic").length > 0;
            if (service.creates.length === 2 && !isThere) service.add("topic", { name: "health" });
          },
        },
        { parallel: 1 },
      );
      const { settled } = await process.engine.apply(EIGHT);
      expect(settled.find(({ address }) => address === "topic/health")).toMatchObject({
        outcome: "adopted",
        sent: true,
      });
      expect(service.creates).toHaveLength(8);
    },
  );

  it("with 409 when it is sent again, has the outcome of the first attempt", async () => {
    const world = worldWith({ 1: { do: "reset" }, 2: { do: "refuse", status: 409 } });
    const { service } = world;
    const metadata = { url: "https://hooks.example.com/b" };
    const process = new SimulatedProcess(
      world,
      {
        // Looked up for 15 s in vain, it is there all the same when it is sent again.
        atStep: () => {
          if (service.creates.length !== 2 || service.records.size > 0) return;
          service.add("destination", { name: "archive", type: "webhook", metadata });
        },
      },
      { parallel: 1 },
    );
    const { settled } = await process.engine.apply(EIGHT);
    expect(settled.find(({ address }) => address === "destination/archive")).toMatchObject({
      outcome: "reconciled",
      sent: true,
    });
    expect(service.creates).toHaveLength(9);
  });

  it.each([
    ["sent again", { 1: { do: "reset" }, 2: { do: "refuse", status: 409 } }, true],
    ["sent once", { 1: { do: "refuse", status: 409 } }, false],
  ] as const)("with 409, not listed and %s: may be amp's own only then", async (_, faults, own) => {
    const process = new SimulatedProcess(worldWith(faults), {}, { parallel: 1 });
    const { remedy = "" } = (await errorOf(process.engine.apply(EIGHT))).facts;
    expect(remedy.startsWith("An earlier attempt may have created it")).toBe(own);
  });

  it("a resource that the list shows twice is reported", async () => {
    const world = worldWith({ 1: { do: "refuse", status: 409 } });
    const { service } = world;
    const metadata = { url: "https://hooks.example.com/b" };
    const process = new SimulatedProcess(
      world,
      {
        atStep: () => {
          if (service.creates.length !== 1 || service.records.size > 0) return;
          for (let count = 0; count < 2; count += 1)
            service.add("destination", { name: "archive", type: "webhook", metadata });
        },
      },
      { parallel: 1 },
    );
    const error = await errorOf(process.engine.apply(EIGHT));
    expect(error.exit).toBe("conflict");
    expect(error.message).toContain("2 of them exist");
    expect(service.creates).toHaveLength(1);
  });

  it("is reported where the one that is there is another", async () => {
    const world = newWorld();
    const { service } = world;
    const process = new SimulatedProcess(
      world,
      {
        atStep: () => {
          if (service.creates.length !== 1 || service.records.size !== 1) return;
          const metadata = { url: "https://somebody.else/" };
          service.add("destination", { name: "ops", type: "webhook", metadata });
        },
      },
      { parallel: 1 },
    );
    const error = await process.engine.apply(EIGHT).catch((thrown) => thrown);
    expect(error.exit).toBe("partial");
    expect(error.facts.status).toBe(409);
    expect(stateOf(world).pending.size).toBe(0);
  });
});

describe("a create that was not done", () => {
  it("is sent again when the service says, with the same key", async () => {
    const world = worldWith({
      1: { do: "ask-to-wait", status: 429, seconds: 7 },
      2: { do: "ask-to-wait", status: 425, seconds: 0 },
      3: { do: "unsent" },
    });
    const process = new SimulatedProcess(world, {}, { parallel: 1 });
    await process.engine.apply(EIGHT);
    expect(process.events.filter(({ type }) => type === "waiting")).toMatchObject([
      { ms: 7_000, why: "the service asked to wait" },
      { ms: 1_000, why: "the service asked to wait" },
      { ms: 2_000, why: "the service cannot be reached" },
    ]);
    const keys = world.service.creates.map(({ key }) => key);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(new Set(keys).size).toBe(8);
    expect(world.service.records.size).toBe(8);
    // One intent, told once.
    expect(process.events.filter(({ type }) => type === "intent")).toHaveLength(8);
  });

  it("counts from its last attempt, for a run that is killed then", async () => {
    const ages: number[] = [];
    const world = worldWith(
      { 1: { do: "ask-to-wait", status: 429, seconds: 50 } },
      {
        atCreate: () => {
          const [pending] = stateOf(world).pending.values();
          ages.push(world.clock.now().getTime() - Date.parse(pending?.started ?? ""));
        },
      },
    );
    await apply(world, { parallel: 1 });
    expect(ages.filter((age) => age < 100)).toHaveLength(9);
  });

  it.each<[string, CreateFault, string]>([
    ["for longer than one waits", { do: "ask-to-wait", status: 429, seconds: 61 }, "service"],
    ["for ever", { do: "ask-to-wait", status: 429, seconds: 1 }, "service"],
    ["for it cannot be reached", { do: "unsent" }, "service"],
  ])("%s, ends the run, and nothing was created", async (_, fault, exit) => {
    const faults = Object.fromEntries(Array.from({ length: 20 }, (_each, at) => [at + 1, fault]));
    const world = worldWith(faults);
    const { error } = await failedApply(world, { parallel: 1 });
    expect(error.exit).toBe(exit);
    expect(error.facts.done).toBe("Nothing was created.");
    expect(world.service.creates.length).toBe("seconds" in fault && fault.seconds > 60 ? 1 : 6);
    expect(stateOf(world).pending.size).toBe(0);
  });
});
