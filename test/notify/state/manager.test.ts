import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import {
  changeEntry,
  withEntry,
  withLists,
  withoutIntent,
} from "../../../src/notify/state/change.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import {
  openStateManager,
  type RescuedSave,
  type StateManager,
} from "../../../src/notify/state/manager.ts";
import { newState, type Pending, type RoutingState } from "../../../src/notify/state/state.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type FailingState, failingState, type SaveOutcome } from "./failing-state.ts";
import { begunEntry, entryOf, ownedBy, TARGET, thrownBy } from "./state-fixture.ts";

const folder = temporaryFolder();

function uuids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `uuid-${count}`;
  };
}

const open = (held: FailingState, rescueFolder = folder, uuid = uuids()) =>
  openStateManager(held, { ...ownedBy(TARGET), location: "the state", uuid, rescueFolder });

/** Saves that a create of an address was begun, or what it made. */
const begin = (manager: StateManager, address: Address, facts = {}) =>
  manager.recordIntent({ address }, begunEntry(facts));
const finish = (manager: StateManager, address: Address, id: string) =>
  manager.recordResult({ address }, withEntry({ address }, entryOf(id)));
const drop = (manager: StateManager, address: Address) => manager.note(withoutIntent({ address }));
const markUnknown = (manager: StateManager, address: Address, facts: Partial<Pending>) =>
  manager.note(
    changeEntry({ address }, (entry) =>
      entry.pending ? { ...entry, pending: { ...entry.pending, ...facts } } : entry,
    ),
  );

const saved = (held: FailingState) => parseState(held.text ?? "", "the state");

/** The addresses of writes that are under way. */
const openOf = ({ entries }: RoutingState) =>
  [...entries].flatMap(([address, { pending }]) => (pending ? [address] : []));
const keyOf = ({ entries }: RoutingState, address: Address) =>
  entries.get(address)?.pending?.idempotencyKey;

describe("a state manager", () => {
  it("begins a new state, and saves nothing before the first change", async () => {
    const held = failingState();
    const manager = await open(held);
    expect(manager.state).toEqual(newState(TARGET, "uuid-1", "uuid-2"));
    expect(held.tried).toEqual([]);
    await manager.prepare(withLists(true));
    await manager.prepare(withLists(true));
    expect(held.tried).toHaveLength(1);
    expect(saved(held)).toMatchObject({ serial: 1, lists: true });
  });

  it("starts from the saved state", async () => {
    const held = failingState();
    const before: RoutingState = {
      ...newState(TARGET, "lineage", "key"),
      serial: 41,
      entries: new Map([["topic/a", entryOf("1")]]),
    };
    held.text = stateText(before);
    const manager = await open(held);
    expect(manager.state).toEqual(before);
    const removed = await manager.recordResult(
      { address: "topic/a" },
      withEntry({ address: "topic/a" }, null),
    );
    expect(removed).toBeUndefined();
    expect(saved(held)).toEqual({ ...before, serial: 42, entries: new Map() });
  });

  it("refuses a damaged state, and the state of another target", async () => {
    const held = failingState();
    held.text = '{"format":"amp-routing-st';
    expect(await thrownBy(open(held))).toMatchObject({
      name: "UsageError",
      message: expect.stringContaining("the state"),
    });
    held.text = stateText(newState({ ...TARGET, project: "production" }, "l", "s"));
    expect(await thrownBy(open(held))).toMatchObject({ name: "ConflictError" });
    expect(held.tried).toEqual([]);
  });

  it("refuses a serial that could not be read after the next saves", async () => {
    const held = failingState();
    const serial = Number.MAX_SAFE_INTEGER;
    held.text = stateText({ ...newState(TARGET, "lineage", "key"), serial });
    expect(await thrownBy(open(held))).toMatchObject({
      name: "UsageError",
      message: expect.stringContaining(`the serial ${serial} is too high`),
    });
    expect(held.tried).toEqual([]);
  });

  it("saves an intent before it resolves, and removes it with its outcome", async () => {
    const held = failingState();
    const manager = await open(held);
    await begin(manager, "topic/a");
    expect(saved(held).entries.get("topic/a")).toEqual(begunEntry());
    expect(await finish(manager, "topic/a", "1")).toBeUndefined();
    expect(saved(held)).toEqual(manager.state);
    expect([...manager.state.entries]).toEqual([["topic/a", entryOf("1")]]);
    expect(openOf(manager.state)).toEqual([]);

    await begin(manager, "topic/b");
    await drop(manager, "topic/b");
    expect(openOf(saved(held))).toEqual([]);

    await begin(manager, "topic/c");
    await markUnknown(manager, "topic/c", { requestId: "r" });
    expect(saved(held).entries.get("topic/c")).toEqual(begunEntry({ requestId: "r" }));
    expect(held.tried.map(({ phase }) => phase)).toEqual([
      "intent",
      "result",
      "intent",
      "result",
      "intent",
      "result",
    ]);
  });

  it("marks no create as unknown after its outcome became known", async () => {
    const held = failingState();
    const manager = await open(held);
    await begin(manager, "topic/a");
    await finish(manager, "topic/a", "1");
    await markUnknown(manager, "topic/a", { requestId: "r" });
    expect(openOf(manager.state)).toEqual([]);
  });

  it("saves one text at a time, and shares saves among simultaneous changes", async () => {
    const held = failingState();
    const manager = await open(held);
    const addresses = Array.from({ length: 10 }, (_, index): Address => `topic/${index}`);
    await Promise.all(
      addresses.map(async (address, index) => {
        if (index >= 5) while (held.tried.length === 0) await new Promise(setImmediate);
        await begin(manager, address);
      }),
    );
    expect(held.atOnce()).toBe(1);
    expect(held.tried).toHaveLength(2);
    expect(openOf(saved(held))).toEqual(addresses);
  });
});

describe("a state manager with a journal", () => {
  const lineOf = (held: FailingState, at: number) => held.tried.at(at)?.text.slice(17);

  it("saves the state whole once, then with the journal's name, then what changed alone", async () => {
    const held = failingState(undefined, true);
    const manager = await open(held);
    await manager.prepare(withLists(true));
    expect(JSON.parse(held.tried[0]?.text ?? "")).not.toHaveProperty("journal");
    await begin(manager, "topic/a");
    const [header, snapshot] = held.tried.slice(1);
    expect(header?.text).toBe("amp-routing-journal uuid-3\n");
    expect(JSON.parse(snapshot?.text ?? "")).toMatchObject({
      version: 1,
      journal: "uuid-3",
      serial: 2,
    });
    await finish(manager, "topic/a", "1");
    expect(held.tried).toHaveLength(4);
    const changes = [["entry", "topic/a", entryOf("1")]];
    expect(JSON.parse(lineOf(held, 3) ?? "")).toEqual({ serial: 3, changes });
    expect(saved(held)).toEqual(manager.state);
  });

  it("leaves a state of one text when it is closed, also one that it found with a journal", async () => {
    const held = failingState(undefined, true);
    const killed = await open(held);
    await begin(killed, "topic/a");
    await begin(killed, "topic/b");
    await finish(killed, "topic/a", "1");
    const text = held.text ?? "";
    expect(text).toContain("amp-routing-journal");
    const manager = await open(held);
    expect(manager.state).toEqual(killed.state);
    await manager.close();
    expect(JSON.parse(held.text ?? "")).not.toHaveProperty("journal");
    expect(saved(held)).toEqual(killed.state);
    const { length } = held.tried;
    await manager.close();
    await (await open(held)).close();
    expect(held.tried).toHaveLength(length);
  });

  it.each(["lost", "lost-afterwards"] as const)(
    "whose line is %s saves the state whole, and begins another",
    async (how) => {
      // The saves: whole, header and snapshot, line, whole, header and snapshot.
      const held = failingState((save) => (save === 3 ? how : "saved"), true);
      const manager = await open(held);
      for (const name of ["a", "b", "c", "d"] as const) {
        await begin(manager, `topic/${name}`);
        expect(saved(held)).toEqual(manager.state);
      }
      expect(held.tried.map(({ text }) => text.slice(0, 22).trim().split("\n")[0])).toEqual([
        "{",
        "amp-routing-journal uu",
        "{",
        expect.stringMatching(/^[0-9a-f]{16} /u),
        "{",
        "amp-routing-journal uu",
        "{",
      ]);
    },
  );

  it("writes about as much as changes, not the whole state each time", async () => {
    const held = failingState(undefined, true);
    const manager = await open(held);
    const written = async (count: number) => {
      const from = held.tried.length;
      for (let at = 0; at < count; at += 1) {
        const address: Address = `topic/${held.tried.length}-${"n".repeat(200)}`;
        await begin(manager, address);
        await finish(manager, address, address);
      }
      return held.tried.slice(from).reduce((sum, { text }) => sum + text.length, 0);
    };
    const first = await written(300);
    expect(await written(3_000)).toBeLessThan(30 * first);
  });
});

describe("a save that fails", () => {
  it("leaves no intent, and reports that nothing was sent for it", async () => {
    const held = failingState((save) => (save === 0 ? "lost" : "saved"));
    const manager = await open(held);
    const error = await thrownBy(begin(manager, "topic/a"));
    expect(error).toMatchObject({ name: "ServiceError", message: "Could not save it" });
    expect(error.facts.done).toBe("Nothing was sent for topic/a.");
    expect(openOf(manager.state)).toEqual([]);
    await manager.prepare(withLists(true));
    expect(openOf(saved(held))).toEqual([]);
  });

  it("of intents and results saves the results alone", async () => {
    const held = failingState((save) => (save === 1 ? "lost" : "saved"));
    const manager = await open(held);
    await begin(manager, "topic/a");
    const outcomes = await Promise.allSettled([
      finish(manager, "topic/a", "1"),
      begin(manager, "topic/b"),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(outcomes[0]).toEqual({ status: "fulfilled", value: undefined });
    expect(saved(held)).toEqual(manager.state);
    expect([...manager.state.entries.keys()]).toEqual(["topic/a"]);
    expect(openOf(manager.state)).toEqual([]);
  });

  it("of a result writes the whole state to a private file, and keeps the result", async () => {
    const held = failingState((save) => (save === 1 ? "lost" : "saved"));
    const manager = await open(held);
    await begin(manager, "topic/a");
    const rescue = await finish(manager, "topic/a", "1");
    expect(rescue).toEqual({
      where: join(folder, "amp-errored-uuid-1-2.json"),
      error: expect.objectContaining({ message: "Could not save it" }),
    });
    const where = rescue?.where ?? "";
    expect(statSync(where).mode & 0o777).toBe(0o600);
    expect(parseState(readFileSync(where, "utf8"), where)).toEqual(manager.state);
    expect([...saved(held).entries]).toEqual([["topic/a", begunEntry()]]);

    await begin(manager, "topic/b");
    expect(saved(held).entries.get("topic/a")).toEqual(entryOf("1"));
  });

  it("of a result is reported if no file can be written either", async () => {
    const held = failingState((save) => (save > 0 ? "lost" : "saved"));
    const file = join(folder, "no-folder");
    writeFileSync(file, "");
    const manager = await open(held, file);
    await begin(manager, "topic/a");
    const rescue = await finish(manager, "topic/a", "1");
    expect(rescue).toEqual({ error: expect.objectContaining({ message: "Could not save it" }) });
    expect(manager.state.entries.get("topic/a")).toEqual(entryOf("1"));
  });

  it("of any other change is reported, and known results stay known", async () => {
    const held = failingState((save) => (save > 0 ? "lost" : "saved"));
    const manager = await open(held, join(folder, "not-needed"));
    await begin(manager, "topic/a");
    expect(await thrownBy(drop(manager, "topic/a"))).toMatchObject({
      name: "ServiceError",
    });
    expect(openOf(manager.state)).toEqual([]);
    expect(() => statSync(join(folder, "not-needed"))).toThrow();
  });
});

/** What one worker does with its address, and how long it dawdles before each step. */
interface Errand {
  readonly end: "settle" | "drop" | "markUnknown" | "killed";
  readonly turns: readonly [number, number];
}

const errands = fc.array(
  fc.record<Errand>({
    end: fc.constantFrom("settle", "settle", "settle", "drop", "markUnknown", "killed"),
    turns: fc.tuple(fc.nat(8), fc.nat(8)),
  }),
  { minLength: 1, maxLength: 12 },
);
const kinds = fc.record({ rescues: fc.boolean(), hasJournal: fc.boolean() });
const fates = fc.infiniteStream(
  fc.constantFrom<SaveOutcome>("saved", "saved", "saved", "lost", "lost-afterwards"),
);

describe("whatever fails, in whatever order", () => {
  let run = 0;

  it("no intent is sent unsaved, no id is lost, and the serial grows", async () => {
    const property = fc.asyncProperty(errands, fates, kinds, async (all, ends, kind) => {
      const { rescues, hasJournal } = kind;
      run += 1;
      const held = failingState(() => ends.next().value, hasJournal);
      const nowhere = join(folder, "nothing-here");
      writeFileSync(nowhere, "");
      const manager = await open(held, rescues ? folder : nowhere, () => `run-${run}`);
      const reported = new Map<Address, RescuedSave | undefined>();
      const left: Address[] = [];
      const dawdle = async (turns: number) => {
        for (let left = turns; left > 0; left -= 1) await turn();
      };

      await Promise.all(
        all.map(async ({ end, turns }, index) => {
          const address: Address = `topic/${index}`;
          await dawdle(turns[0]);
          try {
            await begin(manager, address, { idempotencyKey: address });
          } catch {
            expect(manager.state.entries.has(address)).toBe(false);
            return;
          }
          expect(keyOf(saved(held), address)).toBe(address);
          await dawdle(turns[1]);
          if (end === "settle") {
            reported.set(address, await finish(manager, address, address));
            expect(manager.state.entries.get(address)).toEqual(entryOf(address));
          } else if (end === "drop") {
            await drop(manager, address).catch(() => {});
            expect(manager.state.entries.has(address)).toBe(false);
          } else if (end === "killed") left.push(address);
          else if (end === "markUnknown") {
            await markUnknown(manager, address, { requestId: "r" }).catch(() => {});
            expect(manager.state.entries.get(address)?.pending?.requestId).toBe("r");
          }
        }),
      );

      await manager.close();
      for (const address of left) expect(keyOf(saved(held), address)).toBe(address);
      for (const [address, rescue] of reported) {
        const where = rescue === undefined ? undefined : rescue.where;
        const text = rescue === undefined ? held.text : where && readFileSync(where, "utf8");
        // Without a file the engine puts the id into a line: it was told.
        if (text === undefined) continue;
        expect(parseState(text, "there").entries.get(address)).toEqual(entryOf(address));
      }
      expect(held.atOnce()).toBeLessThanOrEqual(1);
      expect(manager.state.serial).toBeLessThanOrEqual(held.tried.length);
      // A journal's lines have no serial of their own.
      if (hasJournal) return;
      const serials = held.tried.map(({ text }) => parseState(text, "tried").serial);
      expect(serials).toEqual(Array.from(serials, (_, index) => index + 1));
    });
    await fc.assert(property, { numRuns: 300 });
  });
});
