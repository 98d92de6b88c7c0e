import { describe, expect, it } from "vitest";
import {
  forgetRecord,
  importRecord,
  resolvePending,
  stateToPush,
} from "../../../src/notify/state/edit.ts";
import {
  type KnownRecord,
  newState,
  type PendingCreate,
  type RoutingState,
} from "../../../src/notify/state/state.ts";

const TARGET = { origin: "https://api.example.test", basePath: "/v1", project: "acme" };
const NOW = new Date("2026-08-20T12:00:00.000Z");

const record: KnownRecord = {
  id: "top_1",
  fingerprint: "f",
  origin: "created",
  time: "2026-08-19T12:00:00.000Z",
};
const create: PendingCreate = {
  fingerprint: "of-the-create",
  key: "k",
  attempt: 1,
  idsBefore: [],
  started: "2026-08-19T12:00:00.000Z",
  phase: "unknown",
  requestId: "req#1",
};
const state: RoutingState = {
  ...newState(TARGET, "lineage", "salt"),
  serial: 5,
  records: new Map([["topic/lifecycle", record]]),
  pending: new Map([["event-route/lifecycle/read.done", create]]),
};

function thrownBy(run: () => unknown): unknown {
  try {
    return expect.unreachable(String(run()));
  } catch (error) {
    return error;
  }
}

describe("an import", () => {
  it("takes in what exists, its body not known", () => {
    const next = importRecord(state, "destination/ops", "dst_1", NOW);
    expect(next.records.get("destination/ops")).toEqual({
      id: "dst_1",
      fingerprint: "",
      origin: "imported",
      time: NOW.toISOString(),
    });
    expect(next.records.get("topic/lifecycle")).toEqual(record);
    expect(state.records.size).toBe(1);
  });

  it("settles a create that is pending, whose body is known", () => {
    const next = importRecord(state, "event-route/lifecycle/read.done", "rt_1", NOW);
    expect(next.pending.size).toBe(0);
    expect(next.records.get("event-route/lifecycle/read.done")).toMatchObject({
      id: "rt_1",
      fingerprint: "of-the-create",
      requestId: "req#1",
    });
  });

  it("does nothing where it is known already", () => {
    expect(importRecord(state, "topic/lifecycle", "top_1", NOW)).toEqual(state);
  });

  it.each<[string, string, string, string]>([
    ["topic/lifecycle", "top_2", "ConflictError", "topic/lifecycle is known already, as top_1"],
    ["topic/other", "top_1", "ConflictError", "top_1 is known already, as topic/lifecycle"],
    ["topic", "top_2", "UsageError", '"topic" is no address'],
    ["topic/a/b", "top_2", "UsageError", '"topic/a/b" is no address'],
    ["__proto__", "top_2", "UsageError", '"__proto__" is no address'],
    ["topic/other", "", "UsageError", "The ID is empty"],
    ["topic/other", " x", "UsageError", "The ID is empty"],
  ])("of %s as %j is refused", (address, id, name, message) => {
    expect(thrownBy(() => importRecord(state, address, id, NOW))).toMatchObject({
      name,
      message: expect.stringContaining(message),
    });
  });
});

describe("a resolution", () => {
  const address = "event-route/lifecycle/read.done";

  it("takes the word of somebody who found it", () => {
    const next = resolvePending(state, address, { id: "rt_1" }, NOW);
    expect(next.pending.size).toBe(0);
    expect(next.records.get(address)).toMatchObject({ id: "rt_1", origin: "imported" });
  });

  it("takes the word of somebody who did not", () => {
    const next = resolvePending(state, address, "not-created", NOW);
    expect(next.pending.size).toBe(0);
    expect(next.records).toEqual(state.records);
  });

  it.each([
    ["event-route/lifecycle/read.dnoe", `Was ${address} meant?`],
    ["topic/lifecycle", undefined],
  ])("of %s is refused, for nothing is pending there", (typed, remedy) => {
    const error = thrownBy(() => resolvePending(state, typed, "not-created", NOW));
    expect(error).toMatchObject({
      name: "NotFoundError",
      message: `No create is pending at "${typed}"`,
    });
    expect(error).toHaveProperty("facts", remedy === undefined ? {} : { remedy });
  });
});

describe("forgetting", () => {
  it("leaves out the record alone", () => {
    const next = forgetRecord(state, "topic/lifecycle");
    expect(next.records.size).toBe(0);
    expect(next.pending).toEqual(state.pending);
  });

  it("tells what was probably meant", () => {
    expect(thrownBy(() => forgetRecord(state, "topic/lifecyle"))).toMatchObject({
      name: "NotFoundError",
      message: 'The state does not know "topic/lifecyle"',
      facts: { remedy: "Was topic/lifecycle meant?" },
    });
    expect(thrownBy(() => forgetRecord(newState(TARGET, "l", "s"), "topic/a"))).toMatchObject({
      facts: { detail: "There is none at all." },
    });
  });

  it("is no way to lose a create whose outcome is unknown", () => {
    const address = "event-route/lifecycle/read.done";
    expect(thrownBy(() => forgetRecord(state, address))).toMatchObject({
      name: "ConflictError",
      facts: { suggestion: expect.stringContaining(`amp notify resolve ${address} --not-created`) },
    });
  });
});

describe("a push", () => {
  const options = { target: TARGET, force: false };
  const at = (facts: Partial<RoutingState>): RoutingState => ({ ...state, ...facts });

  it("goes where there is nothing, and over what is older", () => {
    expect(stateToPush(undefined, state, options)).toBe(state);
    expect(stateToPush(at({ serial: 4 }), state, options)).toEqual(state);
  });

  it.each([
    [at({ serial: 5 }), "as new as the one that is pushed, or newer (5, 5)"],
    [at({ serial: 6 }), "as new as the one that is pushed, or newer (6, 5)"],
    [at({ serial: 1, lineage: "other" }), "began elsewhere"],
  ])("is refused over another one, unless it is forced", (saved, message) => {
    expect(thrownBy(() => stateToPush(saved, state, options))).toMatchObject({
      name: "ConflictError",
      message: expect.stringContaining(message),
    });
    const forced = stateToPush(saved, state, { ...options, force: true });
    expect(forced).toEqual({ ...state, serial: Math.max(5, saved.serial + 1) });
  });

  it("of another target is refused by all means", () => {
    const target = { ...TARGET, project: "production" };
    const push = () => stateToPush(undefined, state, { target, force: true });
    expect(thrownBy(push)).toMatchObject({ name: "ConflictError" });
  });
});
