import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Address } from "../../../src/notify/model/address.ts";
import { parseState, stateText } from "../../../src/notify/state/format.ts";
import { openStateManager, type Rescue } from "../../../src/notify/state/manager.ts";
import {
  type KnownRecord,
  newState,
  type PendingCreate,
  type RoutingState,
} from "../../../src/notify/state/state.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { type FailingState, failingState, type SaveOutcome } from "./failing-state.ts";
import { TARGET, thrownBy } from "./state-fixture.ts";

const TIME = "2026-08-20T12:00:00.000Z";

const folder = temporaryFolder();

function uuids(): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `uuid-${count}`;
  };
}

const open = (place: FailingState, rescueFolder = folder, uuid = uuids()) =>
  openStateManager(place, { target: TARGET, location: "the state", uuid, rescueFolder });

const pending = (facts: Partial<PendingCreate> = {}): PendingCreate => ({
  fingerprint: "f",
  key: "k",
  attempt: 1,
  idsBefore: ["before"],
  started: TIME,
  phase: "intent",
  ...facts,
});

const record = (id: string): KnownRecord => ({
  id,
  fingerprint: "f",
  origin: "created",
  time: TIME,
});

const saved = (place: FailingState) => parseState(place.text ?? "", "the state");

describe("a journal", () => {
  it("begins a state where there is none, and saves nothing before there is something", async () => {
    const place = failingState();
    const journal = await open(place);
    expect(journal.state).toEqual(newState(TARGET, "uuid-1", "uuid-2"));
    expect(place.tried).toEqual([]);
    await journal.setLists(true);
    await journal.setLists(true);
    expect(place.tried).toHaveLength(1);
    expect(saved(place)).toMatchObject({ serial: 1, lists: true });
  });

  it("goes on with what is saved", async () => {
    const place = failingState();
    const before: RoutingState = {
      ...newState(TARGET, "lineage", "salt"),
      serial: 41,
      records: new Map([["topic/a", record("1")]]),
    };
    place.text = stateText(before);
    const journal = await open(place);
    expect(journal.state).toEqual(before);
    await journal.removeRecord("topic/a");
    expect(saved(place)).toEqual({ ...before, serial: 42, records: new Map() });
  });

  it("refuses what is no state, and the state of another target", async () => {
    const place = failingState();
    place.text = '{"format":"amp-routing-st';
    expect(await thrownBy(open(place))).toMatchObject({
      name: "UsageError",
      message: expect.stringContaining("the state"),
    });
    place.text = stateText(newState({ ...TARGET, project: "production" }, "l", "s"));
    expect(await thrownBy(open(place))).toMatchObject({ name: "ConflictError" });
    expect(place.tried).toEqual([]);
  });

  it("has an intent saved when it says so, and gone when its outcome is", async () => {
    const place = failingState();
    const journal = await open(place);
    await journal.recordIntent("topic/a", pending());
    expect(saved(place).pending.get("topic/a")).toEqual(pending());
    expect(await journal.recordResult("topic/a", record("1"))).toBeUndefined();
    expect(saved(place)).toEqual(journal.state);
    expect([...journal.state.records]).toEqual([["topic/a", record("1")]]);
    expect(journal.state.pending.size).toBe(0);

    await journal.recordIntent("topic/b", pending());
    await journal.dropIntent("topic/b");
    expect(saved(place).pending.size).toBe(0);

    await journal.recordIntent("topic/c", pending());
    await journal.markUnknown("topic/c", { horizon: TIME, requestId: "r" });
    const unknown = pending({ phase: "unknown", horizon: TIME, requestId: "r" });
    expect(saved(place).pending.get("topic/c")).toEqual(unknown);
    expect(place.tried.map(({ phase }) => phase)).toEqual([
      "intent",
      "result",
      "intent",
      "result",
      "intent",
      "result",
    ]);
  });

  it("does not call a create unknown whose outcome came to be known", async () => {
    const place = failingState();
    const journal = await open(place);
    await journal.recordIntent("topic/a", pending());
    await journal.recordResult("topic/a", record("1"));
    await journal.markUnknown("topic/a", { horizon: TIME });
    expect(journal.state.pending.size).toBe(0);
  });

  it("saves one text at a time, and what comes at once or in the meantime together", async () => {
    const place = failingState();
    const journal = await open(place);
    const addresses = Array.from({ length: 10 }, (_, index): Address => `topic/${index}`);
    await Promise.all(
      addresses.map(async (address, index) => {
        if (index >= 5) while (place.tried.length === 0) await new Promise(setImmediate);
        await journal.recordIntent(address, pending());
      }),
    );
    expect(place.atOnce()).toBe(1);
    expect(place.tried).toHaveLength(2);
    expect([...saved(place).pending.keys()]).toEqual(addresses);
  });
});

describe("a save that fails", () => {
  it("leaves no intent, and says that nothing was sent for it", async () => {
    const place = failingState((save) => (save === 0 ? "lost" : "saved"));
    const journal = await open(place);
    const error = await thrownBy(journal.recordIntent("topic/a", pending()));
    expect(error).toMatchObject({ name: "ServiceError", message: "Could not save it" });
    expect(error.facts.done).toBe("Nothing was sent for topic/a.");
    expect(journal.state.pending.size).toBe(0);
    await journal.setLists(true);
    expect(saved(place).pending.size).toBe(0);
  });

  it("of intents with results among them saves the results alone", async () => {
    const place = failingState((save) => (save === 1 ? "lost" : "saved"));
    const journal = await open(place);
    await journal.recordIntent("topic/a", pending());
    const outcomes = await Promise.allSettled([
      journal.recordResult("topic/a", record("1")),
      journal.recordIntent("topic/b", pending()),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(outcomes[0]).toEqual({ status: "fulfilled", value: undefined });
    expect(saved(place)).toEqual(journal.state);
    expect([...journal.state.records.keys()]).toEqual(["topic/a"]);
    expect(journal.state.pending.size).toBe(0);
  });

  it("of a result puts the whole state into a private file, and keeps the result", async () => {
    const place = failingState((save) => (save === 1 ? "lost" : "saved"));
    const journal = await open(place);
    await journal.recordIntent("topic/a", pending());
    const rescue = await journal.recordResult("topic/a", record("1"));
    expect(rescue).toEqual({
      where: join(folder, "amp-errored-uuid-1-2.json"),
      error: expect.objectContaining({ message: "Could not save it" }),
    });
    const where = rescue?.where ?? "";
    expect(statSync(where).mode & 0o777).toBe(0o600);
    expect(parseState(readFileSync(where, "utf8"), where)).toEqual(journal.state);
    expect(saved(place).pending.has("topic/a")).toBe(true);
    expect(saved(place).records.size).toBe(0);

    await journal.recordIntent("topic/b", pending());
    expect(saved(place).records.get("topic/a")).toEqual(record("1"));
  });

  it("of a result says so where no file can be written either", async () => {
    const place = failingState((save) => (save > 0 ? "lost" : "saved"));
    const file = join(folder, "no-folder");
    writeFileSync(file, "");
    const journal = await open(place, file);
    await journal.recordIntent("topic/a", pending());
    const rescue = await journal.recordResult("topic/a", record("1"));
    expect(rescue).toEqual({ error: expect.objectContaining({ message: "Could not save it" }) });
    expect(journal.state.records.get("topic/a")).toEqual(record("1"));
  });

  it("of anything else is told, and what is known stays known", async () => {
    const place = failingState((save) => (save > 0 ? "lost" : "saved"));
    const journal = await open(place, join(folder, "not-needed"));
    await journal.recordIntent("topic/a", pending());
    expect(await thrownBy(journal.dropIntent("topic/a"))).toMatchObject({ name: "ServiceError" });
    expect(journal.state.pending.size).toBe(0);
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
const fates = fc.infiniteStream(
  fc.constantFrom<SaveOutcome>("saved", "saved", "saved", "lost", "lost-afterwards"),
);

describe("whatever fails, in whatever order", () => {
  let run = 0;

  it("no intent is sent unsaved, no id is lost, and the serial grows", async () => {
    const property = fc.asyncProperty(errands, fates, fc.boolean(), async (all, ends, rescues) => {
      run += 1;
      const place = failingState(() => ends.next().value);
      const nowhere = join(folder, "nothing-here");
      writeFileSync(nowhere, "");
      const journal = await open(place, rescues ? folder : nowhere, () => `run-${run}`);
      const reported = new Map<Address, Rescue | undefined>();
      const dawdle = async (turns: number) => {
        for (let left = turns; left > 0; left -= 1) await turn();
      };

      await Promise.all(
        all.map(async ({ end, turns }, index) => {
          const address: Address = `topic/${index}`;
          await dawdle(turns[0]);
          try {
            await journal.recordIntent(address, pending({ key: address }));
          } catch {
            expect(journal.state.pending.has(address)).toBe(false);
            return;
          }
          expect(saved(place).pending.get(address)?.key).toBe(address);
          await dawdle(turns[1]);
          if (end === "settle") {
            reported.set(address, await journal.recordResult(address, record(address)));
            expect(journal.state.records.get(address)).toEqual(record(address));
          } else if (end === "drop") {
            await journal.dropIntent(address).catch(() => {});
            expect(journal.state.pending.has(address)).toBe(false);
          } else if (end === "markUnknown") {
            await journal.markUnknown(address, { horizon: TIME }).catch(() => {});
            expect(journal.state.pending.get(address)?.phase).toBe("unknown");
          }
        }),
      );

      for (const [address, rescue] of reported) {
        const where = rescue === undefined ? undefined : rescue.where;
        const text = rescue === undefined ? place.text : where && readFileSync(where, "utf8");
        // Without a file the engine puts the id into a line: it was told.
        if (text === undefined) continue;
        expect(parseState(text, "there").records.get(address)).toEqual(record(address));
      }
      const serials = place.tried.map(({ text }) => parseState(text, "tried").serial);
      expect(serials).toEqual(Array.from(serials, (_, index) => index + 1));
      expect(place.atOnce()).toBeLessThanOrEqual(1);
      expect(journal.state.serial).toBeLessThanOrEqual(serials.length);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});
