import type { Case } from "../case.ts";
import type { FileCall, Trip } from "../trip.ts";

type Point = readonly [words: string, call: FileCall, path: string, when: Trip["when"]];

const TEMPORARY = "/\\.routing\\.json\\.[0-9a-f]{16}\\.tmp$";
const STATE = "/routing\\.json$";
const FOLDER = "/state$";

/** The steps that each save of the state takes. */
const SAVING: readonly Point[] = [
  ["before the backup gets its second name", "link", "/routing\\.json\\.bak\\.new$", "before"],
  ["after the backup got its second name", "link", "/routing\\.json\\.bak\\.new$", "after"],
  ["before the backup is in its place", "rename", "/routing\\.json\\.bak$", "before"],
  ["after the backup is in its place", "rename", "/routing\\.json\\.bak$", "after"],
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

/** Steps of the first intent alone: the reserve for its result. */
const RESERVING: readonly Point[] = [
  ["in the middle of the reserve", "write", "/\\.routing\\.json\\.reserve\\.\\w+\\.tmp$", "half"],
  ["before the reserve is in its place", "rename", "\\.reserve$", "before"],
  ["after the reserve is in its place", "rename", "\\.reserve$", "after"],
];

/** Steps of the lock. */
const LOCKING: readonly Point[] = [
  ["before the lock's folder is made", "mkdir", "\\.lock\\.d$", "before"],
  ["after the lock's folder was made", "mkdir", "\\.lock\\.d$", "after"],
  ["after the lock's record was drafted", "writeFile", "\\.draft$", "after"],
  ["after the lock was taken", "link", "/\\d+$", "after"],
  ["after the lock's draft was removed", "unlink", "\\.draft$", "after"],
  ["before the lock is given back", "link", "\\.released$", "before"],
  ["after the lock was given back", "link", "\\.released$", "after"],
];

/** Steps of the end: the reserve is given up; one that was left behind is removed at the start. */
const ENDING: readonly Point[] = [
  ["before the reserve is given up", "unlink", "\\.reserve$", "before"],
  ["after the reserve was given up", "unlink", "\\.reserve$", "after"],
];

/**
 * Saves of a run with one create after the other, by their number. The first says whether there are
 * lists. Without lists intent and result then come in turn; with lists a result is saved together
 * with the intent that follows it, the fourth and the last one excepted: routes wait for their ends.
 */
const SAVES = {
  without: {
    "the first intent": 2,
    "the first result": 3,
    "a route's intent": 10,
    "a route's result": 11,
    "the last result": 17,
  },
  with: {
    "the first intent": 2,
    "the first result": 3,
    "the last result before the routes": 6,
    "a route's intent": 7,
    "a route's result": 8,
    "the last result": 11,
  },
} as const;

/** Points that the reduced matrix keeps. */
const CORE = new Set(["in the middle of writing", "before the rename", "after the rename"]);

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
    core: lists
      ? where === "a route's result" && CORE.has(words)
      : where === "a route's intent" && CORE.has(words),
    words: ["--parallel", "1"],
    trip: { call, path, nth, when, act: { signal: "SIGKILL" } },
    exits: [null],
  };
}

/** `kill -9` at each step of the write rule, of the reserve and of the lock. */
export const fileCases: readonly Case[] = [true, false].flatMap((lists) => [
  ...LOCKING.map((point) => killedAt(lists, point, 1)),
  ...Object.entries(SAVES[lists ? "with" : "without"]).flatMap(([where, nth]) =>
    SAVING.map((point) => killedAt(lists, point, nthOf(point, nth), where)),
  ),
  ...RESERVING.map((point) => killedAt(lists, point, 1)),
  ...ENDING.map((point) => killedAt(lists, point, 2)),
]);

/** Which of the calls it is at a save: the first has no backup, and the reserve syncs the folder. */
function nthOf([, call, path]: Point, save: number): number {
  if (path === FOLDER) return save + 1;
  return call === "rename" && path !== STATE ? save - 1 : save;
}
