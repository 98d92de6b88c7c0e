import { describe, expect, it } from "vitest";
import type { AmpError } from "../../../src/errors.ts";
import {
  forgetRecord,
  importRecord,
  resolvePending,
  stateToPush,
} from "../../../src/notify/state/edit.ts";
import {
  type KnownRecord,
  newState,
  type PendingWrite,
  type RoutingState,
} from "../../../src/notify/state/state.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { TARGET, thrownAtOnce } from "./state-fixture.ts";

const NOW = new Date("2026-08-20T12:00:00.000Z");

const record: KnownRecord = {
  id: "top_1",
  fingerprint: "f",
  origin: "created",
  time: "2026-08-19T12:00:00.000Z",
};
const create: PendingWrite = {
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

describe("an import", () => {
  it("adds the resource with an unknown body", () => {
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

  it("settles a pending create of the address, with its known body", () => {
    const next = importRecord(state, "event-route/lifecycle/read.done", "rt_1", NOW);
    expect(next.pending.size).toBe(0);
    expect(next.records.get("event-route/lifecycle/read.done")).toMatchObject({
      id: "rt_1",
      fingerprint: "of-the-create",
      requestId: "req#1",
    });
  });

  it("changes nothing if address and ID are in the state already", () => {
    expect(importRecord(state, "topic/lifecycle", "top_1", NOW)).toEqual(state);
  });

  it("adds an ID that a resource of another kind has, too", () => {
    const next = importRecord(state, "destination/ops", "top_1", NOW);
    expect(next.records.get("destination/ops")?.id).toBe("top_1");
  });

  it.each<[string, string, string, string]>([
    [
      "topic/lifecycle",
      "top_2",
      "ConflictError",
      "topic/lifecycle is already in the state, with ID top_1",
    ],
    [
      "topic/other",
      "top_1",
      "ConflictError",
      "ID top_1 is already in the state, as topic/lifecycle",
    ],
    ["topic", "top_2", "UsageError", '"topic" is not a valid address'],
    ["topic/a/b", "top_2", "UsageError", '"topic/a/b" is not a valid address'],
    ["__proto__", "top_2", "UsageError", '"__proto__" is not a valid address'],
    ["topic/other", "", "UsageError", "The ID must not be empty"],
    ["topic/other", " x", "UsageError", "The ID must not be empty"],
  ])("of %s as %j is refused", (address, id, name, message) => {
    expect(thrownAtOnce(() => importRecord(state, address, id, NOW))).toMatchObject({
      name,
      message: expect.stringContaining(message),
    });
  });
});

describe("a resolution", () => {
  const address = "event-route/lifecycle/read.done";

  it("adds the resource with the ID that the user found", () => {
    const next = resolvePending(state, address, { id: "rt_1" }, NOW);
    expect(next.pending.size).toBe(0);
    expect(next.records.get(address)).toMatchObject({ id: "rt_1", origin: "imported" });
  });

  it("drops the create that the user did not find", () => {
    const next = resolvePending(state, address, "not-created", NOW);
    expect(next.pending.size).toBe(0);
    expect(next.records).toEqual(state.records);
  });

  it.each([
    ["event-route/lifecycle/read.dnoe", `Did you mean ${address}?`],
    ["topic/lifecycle", undefined],
  ])("of %s is refused, since no create of it is pending", (typed, remedy) => {
    const error = thrownAtOnce(() => resolvePending(state, typed, "not-created", NOW));
    expect(error).toMatchObject({
      name: "NotFoundError",
      message: `"${typed}" has no pending create`,
    });
    expect(error).toHaveProperty("facts", remedy === undefined ? {} : { remedy });
  });
});

describe("a forget", () => {
  it("removes only the record of the address", () => {
    const next = forgetRecord(state, "topic/lifecycle");
    expect(next.records.size).toBe(0);
    expect(next.pending).toEqual(state.pending);
  });

  it("suggests the nearest address", () => {
    expect(thrownAtOnce(() => forgetRecord(state, "topic/lifecyle"))).toMatchObject({
      name: "NotFoundError",
      message: '"topic/lifecyle" is not in the state',
      facts: { remedy: "Did you mean topic/lifecycle?" },
    });
    expect(thrownAtOnce(() => forgetRecord(newState(TARGET, "l", "s"), "topic/a"))).toMatchObject({
      facts: { detail: "There are none." },
    });
  });

  it("of a create with an unknown outcome is refused", () => {
    const address = "event-route/lifecycle/read.done";
    const error = thrownAtOnce(() => forgetRecord(state, address));
    expect(error).toMatchObject({ name: "ConflictError" });
    expect(suggestedLines((error as AmpError).facts.suggestion)).toContain(
      `amp notify state resolve ${address} --not-created`,
    );
  });
});

describe("a push", () => {
  const options = { target: TARGET, force: false };
  const at = (facts: Partial<RoutingState>): RoutingState => ({ ...state, ...facts });

  it("is saved where nothing is, and over an older state", () => {
    expect(stateToPush(undefined, state, options)).toBe(state);
    expect(stateToPush(at({ serial: 4 }), state, options)).toEqual(state);
  });

  it.each([
    [at({ serial: 5 }), "(serial 5) is not older than the pushed one (serial 5)"],
    [at({ serial: 6 }), "(serial 6) is not older than the pushed one (serial 5)"],
    [at({ serial: 1, lineage: "other" }), "another lineage"],
  ])("over a newer state or another lineage is refused, unless forced", (saved, message) => {
    expect(thrownAtOnce(() => stateToPush(saved, state, options))).toMatchObject({
      name: "ConflictError",
      message: expect.stringContaining(message),
    });
    const forced = stateToPush(saved, state, { ...options, force: true });
    expect(forced).toEqual({ ...state, serial: Math.max(5, saved.serial + 1) });
  });

  it("of another target is refused, even if forced", () => {
    const target = { ...TARGET, project: "production" };
    const push = () => stateToPush(undefined, state, { target, force: true });
    expect(thrownAtOnce(push)).toMatchObject({ name: "ConflictError" });
  });
});
