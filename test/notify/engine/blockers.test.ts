import { describe, expect, it } from "vitest";
import type { DestinationPart } from "../../../src/notify/model/routing.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { apply, failedApply, newWorld } from "./engine-world.ts";
import { EIGHT, webhook } from "./routings.ts";
import { SimulatedProcess } from "./simulated-process.ts";

describe("refused before anything is sent", () => {
  it("is what exists and differs, or exists several times, each with what to do", async () => {
    const world = newWorld({ uniqueNames: false });
    const { service } = world;
    service.add("destination", { name: "ops", type: "webhook", metadata: { url: "https://no" } });
    service.add("topic", { name: "health" });
    service.add("topic", { name: "health" });
    const { error } = await failedApply(world);
    expect(error.exit).toBe("conflict");
    expect(error.message).toBe("Conflict: destination/ops, topic/health");
    expect(error.facts.detail).toBe(
      [
        "destination/ops (destination-1) exists with different settings:",
        '  metadata.url: "https://no" → "https://hooks.example.com/a"',
        "topic/health exists 2 times: topic-2, topic-3",
      ].join("\n"),
    );
    expect(suggestedLines(error.facts.suggestion)).toEqual([
      "amp notify state import topic/health topic-2",
      "amp notify state import topic/health topic-3",
    ]);
    expect(error.facts.done).toBe("Nothing was created.");
    expect(error.facts.data?.conflicts).toMatchObject([
      {
        ...{ address: "destination/ops", action: "conflict" },
        ...{ reason: "not_managed", id: "destination-1" },
      },
      {
        ...{ address: "topic/health", action: "conflict" },
        ...{ reason: "ambiguous", ids: ["topic-2", "topic-3"] },
      },
    ]);
    expect(service.creates).toEqual([]);
  });

  it("is a resource that exists with another type", async () => {
    const world = newWorld();
    await apply(world);
    const model = {
      ...EIGHT,
      destinations: new Map(EIGHT.destinations).set("ops", {
        ...webhook(),
        type: "slack",
      } as DestinationPart),
    };
    const { error } = await failedApply(world, { model });
    expect(error.exit).toBe("conflict");
    expect(error.message).toBe("Conflict: destination/ops");
    expect(world.service.creates).toHaveLength(8);
  });

  it("is an ID of the routing that the service does not list", async () => {
    const world = newWorld();
    const destinations = new Map(EIGHT.destinations).set("ops", {
      kind: "existing",
      id: "dst_gone",
    });
    const { error } = await failedApply(world, { model: { ...EIGHT, destinations } });
    expect(error.facts).toMatchObject({
      detail: "destination/ops has the ID dst_gone in the file, which the service does not list",
      remedy: "Correct the ID, or check which project it belongs to.",
    });
    expect(world.service.creates).toEqual([]);
  });

  it("is the state of another target", async () => {
    const world = newWorld();
    await apply(world);
    world.disk.text = world.disk.text?.replace('"acme"', '"other"');
    const { error } = await failedApply(world);
    expect(error.exit).toBe("conflict");
    expect(world.service.creates).toHaveLength(8);
  });

  it("is everything while another run holds the lock", async () => {
    const world = newWorld();
    const first = new SimulatedProcess(world);
    const second = new SimulatedProcess(world);
    const [one, two] = await Promise.allSettled([
      first.engine.apply(EIGHT),
      second.engine.apply(EIGHT),
    ]);
    expect(one.status).toBe("fulfilled");
    expect(two).toMatchObject({ reason: { exit: "conflict" } });
    expect(world.service.creates).toHaveLength(8);
  });

  it("is everything where a service had lists, and has none any more", async () => {
    const world = newWorld();
    await apply(world);
    world.service.options = { ...world.service.options, lists: false };
    const model = { ...EIGHT, destinations: new Map(EIGHT.destinations).set("new", webhook()) };
    const { error } = await failedApply(world, { model });
    expect(error.exit).toBe("service");
    expect(world.service.creates).toHaveLength(8);
  });
});
