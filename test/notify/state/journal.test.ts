import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  changedState,
  type StateChange,
  withEntry,
  withLists,
  withoutIntent,
} from "../../../src/notify/state/change.ts";
import {
  journalHeader,
  journalLine,
  parseState,
  stateText,
  withJournal,
} from "../../../src/notify/state/format.ts";
import { newState, type RoutingState } from "../../../src/notify/state/state.ts";
import { begunEntry, entryOf, TARGET, TIME, thrownAtOnce } from "./state-fixture.ts";

const ID = "7d1c";
const SNAPSHOT = newState(TARGET, "lineage", "key");

const address = fc
  .constantFrom("a", "b", "é", "a%2Fb")
  .map((name): `topic/${string}` => `topic/${name}`);
const text = fc.string({ minLength: 1, unit: "binary" });
const change: fc.Arbitrary<StateChange> = fc.oneof(
  fc.tuple(address, text).map(([at, id]) => withEntry({ address: at }, entryOf(id))),
  fc
    .tuple(address, text)
    .map(([at, one]) =>
      withEntry({ address: at }, begunEntry({ idempotencyKey: one, before: [one] })),
    ),
  fc
    .tuple(address, text)
    .map(([at, id]) => withEntry({ address: at, left: `topic ${id}` }, entryOf(id))),
  fc.tuple(text, fc.boolean()).map(
    ([id, isSet]): StateChange =>
      () => [["mark", `topic ${id}`, isSet ? { was: "deleted", time: TIME } : null]],
  ),
  address.map((at) => withoutIntent({ address: at })),
  address.map((at) => withEntry({ address: at }, null)),
  fc.boolean().map(withLists),
);
const changes = fc.array(change, { minLength: 1, maxLength: 8 });

/** A snapshot with a journal of changes, and the state after each of them. */
function journaled(all: readonly StateChange[]) {
  const states: RoutingState[] = [SNAPSHOT];
  const lines = all.map((each) => {
    const before = states.at(-1) ?? SNAPSHOT;
    const serial = before.serial + 1;
    states.push({ ...changedState(before, each), serial });
    return journalLine(serial, each(before));
  });
  const header = journalHeader(ID);
  return { text: withJournal(stateText(SNAPSHOT, ID), header + lines.join("")), lines, states };
}

const ofText = (source: string) => parseState(source, "state.json");
const thrown = (source: string) => thrownAtOnce(() => ofText(source));

const SAVES: readonly StateChange[] = ["a", "b", "c"].map((name) =>
  withEntry({ address: `topic/${name}` }, entryOf(name, { key: ["é"] })),
);

describe("a journal", () => {
  it("is read back as the state after its last save", () => {
    fc.assert(
      fc.property(changes, (all) => {
        const { text: source, states } = journaled(all);
        expect(ofText(source)).toEqual(states.at(-1));
      }),
    );
  });

  it("whose last line was not written to its end is read without it", () => {
    const { text: source, lines, states } = journaled(SAVES);
    const whole = Buffer.from(source);
    const last = Buffer.byteLength(lines.at(-1) ?? "");
    for (let missing = 1; missing <= last; missing += 1) {
      const torn = whole.subarray(0, whole.length - missing).toString("utf8");
      expect(ofText(torn)).toEqual(states.at(-2));
    }
  });

  it("whose last line is partly zeros, as after a power failure, is read without it", () => {
    const { text: source, lines, states } = journaled(SAVES);
    const from = source.length - (lines.at(-1) ?? "").length;
    for (const at of [from, from + 20, source.length - 2]) {
      const zeros = "\0".repeat(source.length - 1 - at);
      expect(ofText(`${source.slice(0, at)}${zeros}\n`)).toEqual(states.at(-2));
      expect(ofText(`${source.slice(0, at)}${zeros}\0`)).toEqual(states.at(-2));
    }
  });

  it("that is damaged anywhere else is refused, with the line", () => {
    const { text: source, lines } = journaled(SAVES);
    const first = source.length - lines.join("").length;
    let line = 2;
    for (let at = first; at < source.length - 1; at += 1) {
      if (source[at - 1] === "\n" && at > first) line += 1;
      if (source[at] === "\n") continue;
      const damaged = `${source.slice(0, at)}${source[at] === "x" ? "y" : "x"}${source.slice(at + 1)}`;
      expect(thrown(damaged)).toMatchObject({
        name: "UsageError",
        message: `The journal of state.json is damaged in line ${line}`,
      });
    }
  });

  it("that lacks a line, or has one twice, is refused", () => {
    const { text: source, lines } = journaled(SAVES);
    const [one = "", two = ""] = lines;
    for (const [odd, line] of [
      [source.replace(one, ""), 2],
      [source.replace(two, ""), 3],
      [source.replace(one, one + one), 3],
      [source.replace(one, `${one}\n`), 3],
    ] as const) {
      const message = `The journal of state.json is damaged in line ${line}`;
      expect(thrown(odd)).toMatchObject({ name: "UsageError", message });
    }
  });

  it("that is missing or of another snapshot is refused, with what to restore", () => {
    const { text: source } = journaled(SAVES);
    for (const odd of [stateText(SNAPSHOT, ID), source.replace(`journal ${ID}`, "journal 9999")]) {
      expect(thrown(odd)).toMatchObject({
        name: "UsageError",
        message: "The journal of state.json is missing",
        facts: { remedy: expect.stringContaining(".amp-admin/state.json/journal") },
      });
    }
  });

  it("that its snapshot does not need is left out", () => {
    const { text: source } = journaled(SAVES);
    const journal = source.slice(source.indexOf(journalHeader(ID)));
    expect(ofText(withJournal(stateText(SNAPSHOT), journal))).toEqual(SNAPSHOT);
  });

  it("gives its snapshot a version that an older amp refuses", () => {
    expect(JSON.parse(stateText(SNAPSHOT, ID))).toMatchObject({ version: 1, journal: ID });
    expect(JSON.parse(stateText(SNAPSHOT))).not.toHaveProperty("journal");
  });
});
