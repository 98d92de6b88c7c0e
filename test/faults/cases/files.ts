import type { Case } from "../case.ts";
import type { FileCall, Trip } from "../trip.ts";
import { APPLY } from "../workbench.ts";
import { kill } from "./requests.ts";

type Point = readonly [words: string, call: FileCall, path: string, when: Trip["when"]];

const TEMPORARY = "/\\.routing\\.json\\.[0-9a-f]{16}\\.tmp$";
const STATE = "/routing\\.json$";
const FOLDER = "/state$";

const JOURNAL = "/journal$";
const NEW_JOURNAL = "/\\.journal\\.[0-9a-f]{16}\\.tmp$";

/** The steps that each save of the whole state takes. */
const SAVING: readonly Point[] = [
  ["before the backup gets its second name", "link", "/backup\\.new$", "before"],
  ["after the backup got its second name", "link", "/backup\\.new$", "after"],
  ["before the backup is in its place", "rename", "/backup$", "before"],
  ["after the backup is in its place", "rename", "/backup$", "after"],
  ["before the temporary file is opened", "open", TEMPORARY, "before"],
  ["after the temporary file was opened", "open", TEMPORARY, "after"],
  ["in the middle of writing", "write", TEMPORARY, "half"],
  ["after writing", "write", TEMPORARY, "after"],
  ["after the sync", "sync", TEMPORARY, "after"],
  ["after closing", "close", TEMPORARY, "after"],
  ["before the rename", "rename", STATE, "before"],
  ["after the rename", "rename", STATE, "after"],
  ["before the folder is synced", "open", FOLDER, "before"],
  ["after the folder was synced", "sync", FOLDER, "after"],
];

/** The steps of the first intent by which a journal begins, before the state names it. */
const BEGINNING: readonly Point[] = [
  ["in the middle of the journal's header", "write", NEW_JOURNAL, "half"],
  ["before the journal is in its place", "rename", JOURNAL, "before"],
  ["after the journal is in its place", "rename", JOURNAL, "after"],
];

/** The steps of a save that is a line of the journal. */
const APPENDING: readonly Point[] = [
  ["before the journal is opened", "open", JOURNAL, "before"],
  ["before a line is written", "write", JOURNAL, "before"],
  ["in the middle of a line", "write", JOURNAL, "half"],
  ["after a line was written", "write", JOURNAL, "after"],
  ["after a line was synced", "sync", JOURNAL, "after"],
  ["after the journal was closed", "close", JOURNAL, "after"],
];

/** Steps of the first intent alone: the reserve for its result. */
const RESERVING: readonly Point[] = [
  ["in the middle of the reserve", "write", "/\\.reserve\\.\\w+\\.tmp$", "half"],
  ["before the reserve is in its place", "rename", "/reserve$", "before"],
  ["after the reserve is in its place", "rename", "/reserve$", "after"],
];

/** Steps of the lock. */
const LOCKING: readonly Point[] = [
  ["before the lock's folder is made", "mkdir", "\\.lock\\.d$", "before"],
  ["after the lock's folder was made", "mkdir", "\\.lock\\.d$", "after"],
  ["after the lock's record was drafted", "writeFile", "\\.draft$", "after"],
  ["after the lock was taken", "link", "/\\d+$", "after"],
  ["after the lock's draft was removed", "unlink", "\\.draft$", "after"],
  ["before the lock is given back", "link", "/state\\.lock\\.d/\\d+\\.released$", "before"],
  ["after the lock was given back", "link", "/state\\.lock\\.d/\\d+\\.released$", "after"],
];

/** Steps of the end: the reserve is given up; one that was left behind is removed at the start. */
const ENDING: readonly Point[] = [
  ["before the reserve is given up", "unlink", "/reserve$", "before"],
  ["after the reserve was given up", "unlink", "/reserve$", "after"],
];

/**
 * The saves of the whole state, by their number. The first says whether there are lists. The first
 * intent begins a journal, and the last snapshot, at the end, has all that is in it.
 */
const WHOLE = { "the first intent": 2, "the last snapshot": 3 } as const;

/**
 * The lines of the journal, by their number, in a run with one create after the other. Without lists
 * intent and result come in turn; with lists a result is saved together with the intent that follows
 * it, the fourth and the last one excepted: routes wait for their ends.
 */
const LINES = {
  without: {
    "the first result": 1,
    "a route's intent": 8,
    "a route's result": 9,
    "the last result": 15,
  },
  with: {
    "the first result": 1,
    "the last result before the routes": 4,
    "a route's intent": 5,
    "a route's result": 6,
    "the last result": 9,
  },
} as const;

/** Points that the reduced matrix keeps. */
const CORE = new Set([
  "in the middle of a line",
  "after a line was synced",
  "before the rename",
  "after the rename",
]);

function killedAt(
  lists: boolean,
  [words, call, path, when]: Point,
  nth: number,
  where?: string,
): Case {
  return {
    group: "files",
    name: `killed ${words}${where ? ` of ${where}` : ""}`,
    lists,
    core: CORE.has(words) && where === (lists ? "a route's result" : "a route's intent"),
    words: ["AMP_PARALLEL=1"],
    trip: { call, path, nth, when, act: { signal: "SIGKILL" } },
    exits: [null],
  };
}

/** `kill -9` at each step of the write rule, of the reserve and of the lock. */
export const fileCases: readonly Case[] = [true, false].flatMap((lists) => [
  ...LOCKING.map((point) => killedAt(lists, point, 1)),
  ...Object.entries(WHOLE).flatMap(([where, nth]) =>
    SAVING.map((point) => killedAt(lists, point, nthOf(point, nth), where)),
  ),
  ...BEGINNING.map((point) => killedAt(lists, point, 1)),
  ...Object.entries(LINES[lists ? "with" : "without"]).flatMap(([where, nth]) =>
    APPENDING.map((point) => killedAt(lists, point, nth, where)),
  ),
  ...[...SAVING, ...BEGINNING].map((point) => killedTwice(lists, point)),
  lateLine(lists),
  ...RESERVING.map((point) => killedAt(lists, point, 1)),
  ...ENDING.map((point) => killedAt(lists, point, 2)),
]);

/**
 * Which of the calls it is at a save: the first has no backup; the folder is synced as well when that
 * for journal and lock is made in it.
 */
function nthOf([, call, path]: Point, save: number): number {
  if (path === FOLDER) return save + 1;
  return call === "rename" && path !== STATE ? save - 1 : save;
}

/** A run killed within a line of the journal, and the next one while it puts the two together. */
function killedTwice(lists: boolean, [words, call, path, when]: Point): Case {
  const trip = { nth: 1, act: { signal: "SIGKILL" } } as const;
  return {
    group: "files",
    name: `killed in the middle of a line, and again ${words} of the next snapshot`,
    lists,
    core: CORE.has(words),
    faulted: async (bench) => {
      const args = [...APPLY, "AMP_PARALLEL=1"];
      const torn = { ...trip, call: "write", path: JOURNAL, nth: 7, when: "half" } as const;
      const first = await bench.run(args, { trip: torn });
      const second = await bench.run(args, { trip: { ...trip, call, path, when } });
      if (first.code !== null) throw new Error(`the first run exits ${first.code}`);
      // Without lists the next run may stop before it saves anything.
      if (lists && second.code !== null) throw new Error(`the second run exits ${second.code}`);
    },
  };
}

/** Lines that reach the disk late, and a run that is killed as soon as a route is created. */
function lateLine(lists: boolean): Case {
  return {
    group: "files",
    name: "killed with a route committed, while each line of the journal is late",
    lists,
    core: true,
    words: ["AMP_PARALLEL=1"],
    trip: { call: "write", path: JOURNAL, nth: 1, when: "before", act: { lateMs: 400 } },
    hooks: [{ on: "POST notification-event-topic-routes", nth: 1, moment: "passed", act: kill }],
    exits: [null],
  };
}
