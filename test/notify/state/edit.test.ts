import { describe, expect, it } from "vitest";
import type { AmpError } from "../../../src/errors.ts";
import type { Address } from "../../../src/notify/model/address.ts";
import {
  forgetEntry,
  importEntry,
  resolvePending,
  stateToPush,
  updatedEntry,
} from "../../../src/notify/state/edit.ts";
import { type Entry, newState, type RoutingState } from "../../../src/notify/state/state.ts";
import { suggestedLines } from "../../../src/values/suggested-command.ts";
import { begunEntry, entryOf, TARGET, thrownAtOnce } from "./state-fixture.ts";

const NOW = new Date("2026-08-21T12:00:00.000Z");

const known = entryOf("top_1", { key: ["lifecycle"] });
const created = begunEntry({ requestId: "req#1" });
const state: RoutingState = {
  ...newState(TARGET, "lineage", "key"),
  serial: 5,
  entries: new Map<Address, Entry>([
    ["topic/lifecycle", known],
    ["event-route/lifecycle/read.done", created],
  ]),
};

describe("an import", () => {
  it("adds the resource as found, of no file, with the name that it has", () => {
    const next = importEntry(state, "destination/ops", "dst_1", NOW);
    expect(next.entries.get("destination/ops")).toEqual({
      ...{ id: "dst_1", owner: "nameless", made: "found" },
      ...{ fields: {}, key: ["ops"], time: NOW.toISOString() },
    });
    expect(next.entries.get("topic/lifecycle")).toEqual(known);
    expect(state.entries.size).toBe(2);
    const route = importEntry(state, "event-route/a/b", "rt_1", NOW);
    expect(route.entries.get("event-route/a/b")).not.toHaveProperty("key");
  });

  it("settles a pending create of the address, with what it has sent", () => {
    const fields = { "metadata.url": ["sent", "unseen"] } as const;
    const address = "event-route/lifecycle/read.done";
    const sent = new Map([[address, { ...created, fields: { ...fields } as never }]] as const);
    const next = importEntry({ ...state, entries: sent }, address, "rt_1", NOW);
    expect(next.entries.get(address)).toEqual({
      ...entryOf("rt_1", { made: "found", fields: fields as never, time: NOW.toISOString() }),
    });
  });

  it("changes nothing if address and ID are in the state already", () => {
    expect(importEntry(state, "topic/lifecycle", "top_1", NOW)).toEqual(state);
  });

  it("adds an ID that a resource of another kind has, too", () => {
    const next = importEntry(state, "destination/ops", "top_1", NOW);
    expect(next.entries.get("destination/ops")?.id).toBe("top_1");
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
    expect(thrownAtOnce(() => importEntry(state, address, id, NOW))).toMatchObject({
      name,
      message: expect.stringContaining(message),
    });
  });
});

describe("a resolution", () => {
  const address = "event-route/lifecycle/read.done";

  it("adds the resource with the ID that the user found: amp has created it", () => {
    const next = resolvePending(state, address, { id: "rt_1" }, NOW);
    expect(next.entries.get(address)).toEqual(entryOf("rt_1", { time: NOW.toISOString() }));
  });

  it("drops the create that the user did not find", () => {
    const next = resolvePending(state, address, "not-created", NOW);
    expect([...next.entries]).toEqual([["topic/lifecycle", known]]);
  });

  it.each(["update", "delete"] as const)("of a pending %s is refused: it may come later", (op) => {
    const open = { ...known, pending: { op, time: NOW.toISOString() } };
    const begun = { ...state, entries: new Map([["topic/lifecycle", open]] as const) };
    for (const edit of [
      () => resolvePending(begun, "topic/lifecycle", "not-created", NOW),
      () => resolvePending(begun, "topic/lifecycle", { id: "top_1" }, NOW),
      () => importEntry(begun, "topic/lifecycle", "top_1", NOW),
    ]) {
      expect(thrownAtOnce(edit)).toMatchObject({
        name: "ConflictError",
        message: `The outcome of the ${op} of topic/lifecycle is unknown`,
      });
    }
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

describe("an update that was done", () => {
  it.each([
    ["unseen", "instead:theirs"],
    ["instead:other", "instead:theirs"],
    ["new", "unseen"],
  ])("and sent again what was shown as %s has it as %s", (shown, now) => {
    const op = "update" as const;
    const pending = { op, fields: { url: "new" }, was: { url: "theirs" }, time: NOW.toISOString() };
    const fields = { url: ["new", shown] as [string, string] };
    const done = updatedEntry({ ...known, fields, pending }, { time: NOW.toISOString() });
    expect(done).toEqual({ ...known, fields: { url: ["new", now] }, time: NOW.toISOString() });
  });
});

describe("a forget", () => {
  it("removes only the entry of the address, and marks its ID for lists that are behind", () => {
    const next = forgetEntry(state, "topic/lifecycle");
    expect([...next.entries.keys()]).toEqual(["event-route/lifecycle/read.done"]);
    expect([...next.marks]).toEqual([["topic top_1", { was: "forgotten", time: known.time }]]);
  });

  it.each(["update", "delete"] as const)("is refused while an %s is pending", (op) => {
    const open = { ...known, pending: { op, time: NOW.toISOString() } };
    const begun = { ...state, entries: new Map([["topic/lifecycle", open as Entry]] as const) };
    expect(thrownAtOnce(() => forgetEntry(begun, "topic/lifecycle"))).toMatchObject({
      name: "ConflictError",
      message: `The outcome of the ${op} of topic/lifecycle is unknown`,
    });
  });

  it("suggests the nearest address", () => {
    expect(thrownAtOnce(() => forgetEntry(state, "topic/lifecyle"))).toMatchObject({
      name: "NotFoundError",
      message: '"topic/lifecyle" is not in the state',
      facts: { remedy: "Did you mean topic/lifecycle?" },
    });
    expect(thrownAtOnce(() => forgetEntry(newState(TARGET, "l", "s"), "topic/a"))).toMatchObject({
      facts: { detail: "There are none." },
    });
  });

  it("of a create with an unknown outcome is refused", () => {
    const address = "event-route/lifecycle/read.done";
    const error = thrownAtOnce(() => forgetEntry(state, address));
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
