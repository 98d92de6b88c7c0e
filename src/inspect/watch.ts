import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Api, ListResult } from "../api/operations/endpoint.ts";
import { RECORD_FIELDS } from "../api/operations/record-fields.ts";
import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError } from "../errors.ts";
import { batchesOf } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { durationText } from "../values/time.ts";
import type { Selection } from "../view/selection.ts";
import {
  type Cell,
  type Column,
  id,
  type LiveFrame,
  type LiveOutput,
  type TableView,
  table,
  time,
} from "../view/view.ts";
import { CHANGE_MARKS, changeText } from "./diff-page.ts";
import { compareRecords, type FieldDifference, originalRecord } from "./installation-diff.ts";
import { groupName, type NamedInstallation } from "./installations.ts";
import { askedOnce, endsAfterOneLook, isOutage } from "./patience.ts";

/** The part of a command's context that watching uses. */
type WatchContext = Pick<CommandContext, "api" | "environment" | "now" | "report" | "signal"> & {
  readonly selection: Selection;
  live(): Promise<LiveOutput>;
};

interface WatchedList {
  readonly load: (api: Api) => Promise<ListResult<NamedInstallation>>;
  readonly view: ListView;
  /** The pause between two polls, in milliseconds. */
  readonly every: number;
}

/**
 * Shows a list and what changes in it, until the user ends it or the reader is gone.
 * @throws {InterruptedError} for any other signal than Ctrl-C
 */
export async function watchInstallations(
  context: WatchContext,
  { load, view, every }: WatchedList,
): Promise<void> {
  const { api, now, report, signal, selection, live } = context;
  const output = await live();
  const frameOf = createWatchFrames(every, view, selection.isCut);
  let isFirst = true;
  const polls = watchList({
    load: async () => {
      const listed = selection.of(
        await load(isFirst ? api : askedOnce(api)),
      ) as ListResult<NamedInstallation>;
      const installations: NamedInstallation[] = [];
      for await (const batch of batchesOf(listed)) installations.push(...batch);
      await assertPathsExist(selection);
      return installations;
    },
    now,
    every,
    sleep: (ms) => pause(ms, undefined, { signal }).catch(() => {}),
    isOver: () => signal.aborted || output.isClosed,
  });
  let isAway = false;
  try {
    for await (const poll of polls) {
      if (output.isScreen) await output.draw(frameOf(poll));
      else {
        if (isFirst && poll.kind === "listed")
          report.notice(beginning(poll.installations, every, selection.isCut()));
        await writePoll(output, report, poll, isAway);
      }
      isFirst = false;
      isAway = poll.kind === "unavailable";
      if (endsAfterOneLook(context)) break;
    }
  } finally {
    await output.close();
  }
  // Ctrl-C is how a watch ends.
  if (signal.aborted && signal.reason !== "SIGINT") throw new InterruptedError("Interrupted");
}

/**
 * A filter by a mistyped path would watch an empty list for ever.
 * @throws {UsageError} for a path that no item has, and that is none of an installation
 */
async function assertPathsExist(selection: Selection): Promise<void> {
  const paths = selection.absent().filter(({ name }) => name.includes("."));
  if (paths.length === 0) return;
  const { assertDescribed } = await import("./explained-records.ts");
  for (const path of paths) assertDescribed(RECORD_FIELDS.installation, path);
}

function beginning(
  installations: readonly NamedInstallation[],
  every: number,
  isCut: boolean,
): string {
  const count =
    counted(installations.length, "installation") + (isCut ? ` (${LIMIT_REACHED})` : "");
  return `Watching ${count} every ${durationText(every)}. Press Ctrl-C to end.`;
}

/** Writes what a poll found; an outage once, and its end. */
async function writePoll(
  output: LiveOutput,
  report: WatchContext["report"],
  poll: PollResult,
  wasAway: boolean,
): Promise<void> {
  if (poll.kind === "unavailable") {
    if (wasAway) return;
    const time = poll.since.toISOString();
    const gone = { time, change: "unavailable", reason: poll.reason } as const;
    if (output.isJson) return output.write([gone], CHANGE_VIEW);
    return report.warn(`The service does not respond: ${poll.reason}. Still watching.`);
  }
  if (poll.isBack) {
    const back = { time: poll.time.toISOString(), change: "available" } as const;
    if (output.isJson) await output.write([back], CHANGE_VIEW);
    else report.notice("The service responds again.");
  }
  if (poll.changes.length > 0) await output.write(poll.changes.map(watchedChange), CHANGE_VIEW);
}

/** How the list is polled. */
interface WatchPorts {
  readonly load: () => Promise<readonly NamedInstallation[]>;
  readonly now: () => Date;
  /** The pause between two polls, in milliseconds. */
  readonly every: number;
  /** Resolves after a time, or at once where the watch is over. */
  readonly sleep: (ms: number) => Promise<void>;
  readonly isOver: () => boolean;
}

/** The longest pause while the service does not answer; a longer interval stays as it is. */
const MAX_PAUSE = 60_000;

/**
 * Polls a list. After the first success, failures of the service are retried after growing pauses;
 * every other error ends the watch.
 */
export async function* watchList(ports: WatchPorts): AsyncGenerator<PollResult> {
  const { load, now, every, sleep, isOver } = ports;
  let before: ReadonlyMap<string, NamedInstallation> | undefined;
  let away: { readonly since: Date; readonly pause: number } | undefined;
  while (!isOver()) {
    try {
      const installations = await load();
      const time = now();
      const changes =
        before === undefined ? [] : changesBetween(before, installations, time.toISOString());
      yield { kind: "listed", time, installations, changes, isBack: away !== undefined };
      before = new Map(installations.map((one) => [one.id, one]));
      away = undefined;
    } catch (error) {
      if (isOver()) return;
      if (before === undefined || !isOutage(error)) throw error;
      const wait = Math.max(every, Math.min(MAX_PAUSE, (away?.pause ?? every / 2) * 2));
      away = { since: away?.since ?? now(), pause: wait };
      yield { kind: "unavailable", ...away, reason: error.message };
    }
    await sleep(away?.pause ?? every);
  }
}

function changesBetween(
  before: ReadonlyMap<string, NamedInstallation>,
  installations: readonly NamedInstallation[],
  time: string,
): ListedChange[] {
  const found: ListedChange[] = [];
  const left = new Map(before);
  for (const installation of installations) {
    const old = left.get(installation.id);
    left.delete(installation.id);
    if (old === undefined) {
      found.push({ time, change: "added", installation, changes: [] });
      continue;
    }
    const [one, other] = [originalRecord(old), originalRecord(installation)];
    // Few of thousands have changed.
    if (isDeepStrictEqual(one, other)) continue;
    const changes = compareRecords(one, other);
    if (changes.length > 0) found.push({ time, change: "changed", installation, changes });
  }
  const gone = [...left.values()].map(
    (installation): ListedChange => ({ time, change: "removed", installation, changes: [] }),
  );
  return [...found, ...gone];
}

/** The change of an installation between two polls of the list. */
interface ListedChange {
  /** The time of the poll that found it, RFC 3339. */
  readonly time: string;
  readonly change: "added" | "removed" | "changed";
  readonly installation: NamedInstallation;
  /** The fields that changed; none of one that was added or removed. */
  readonly changes: readonly FieldDifference[];
}

/** The result of one poll of a list. */
export type PollResult =
  | {
      readonly kind: "listed";
      readonly time: Date;
      readonly installations: readonly NamedInstallation[];
      /** In the order of the list; of the first poll none. */
      readonly changes: readonly ListedChange[];
      /** Whether the poll before this one failed. */
      readonly isBack: boolean;
    }
  | {
      readonly kind: "unavailable";
      /** The time of the first poll that failed. */
      readonly since: Date;
      readonly reason: string;
      /** The time until the next poll, in milliseconds. */
      readonly pause: number;
    };

/** A change as a program reads it: of an installation, or of the service. */
interface WatchedChange {
  /** RFC 3339. */
  readonly time: string;
  readonly change: ListedChange["change"] | "unavailable" | "available";
  readonly id?: string;
  /** The customer's group by name or ref. */
  readonly group?: string;
  readonly changes?: readonly FieldDifference[];
  /** The installation after the change, or as it was last listed. */
  readonly installation?: unknown;
  /** Why the service does not answer. */
  readonly reason?: string;
}

const CHANGE_VIEW: TableView<readonly WatchedChange[]> = table<WatchedChange>(
  ["change", "changes"],
  {
    Time: "time",
    Change: "change",
    Group: ({ group }) => group,
    ID: (one) => id(one.id),
    What: ({ changes = [], reason }) => reason ?? changesText(changes),
  },
  { id: (one) => one.id ?? one.change },
);

/** The fields that say only that something changed. */
const STAMPS: ReadonlySet<string> = new Set(["updateTime", "revisionId"]);

/**
 * The changes in one line: objects first, then states, and the time of the change only where
 * nothing else says what it was.
 */
export function changesText(changes: readonly FieldDifference[]): string {
  const [stamps, said] = [true, false].map((wanted) =>
    changes.filter(({ field }) => STAMPS.has(field) === wanted),
  );
  const shown = said?.length ? said : (stamps ?? []);
  const rank = ({ object }: FieldDifference) => (object === undefined ? 1 : 0);
  return shown
    .toSorted((one, other) => rank(one) - rank(other))
    .map(changeText)
    .join("; ");
}

function watchedChange(listed: ListedChange): WatchedChange {
  const { time, change, changes } = listed;
  const { id } = listed.installation;
  const group = groupName(listed.installation);
  const installation = originalRecord(listed.installation);
  return defined({ time, change, id, group, changes, installation });
}

type ListView = TableView<readonly NamedInstallation[]>;

/** The words for a list of which `--limit` left some out. */
const LIMIT_REACHED = "--limit reached";

const MAX_REMOVED = 20;

/**
 * Creates the frames of a watched list, one for each poll: changed ones come first, marked.
 * @param every the pause between two polls, in milliseconds
 * @param view the columns of the list
 * @param isCut whether `--limit` left some out
 */
function createWatchFrames(
  every: number,
  view: ListView,
  isCut: () => boolean,
): (poll: PollResult) => LiveFrame<NamedInstallation> {
  const marks = new Map<string, ListedChange>();
  let installations: readonly NamedInstallation[] = [];
  let seen: Date | undefined;
  return (poll) => {
    if (poll.kind === "listed") {
      ({ installations, time: seen } = poll);
      for (const one of poll.changes) {
        // The newest change is the last of the map.
        marks.delete(one.installation.id);
        marks.set(one.installation.id, one);
      }
    }
    const items = orderedItems(installations, marks);
    const unhealthy = installations.filter(({ healthStatus }) => healthStatus === "unhealthy");
    const counts = [
      counted(installations.length, "installation"),
      unhealthy.length > 0 && `${unhealthy.length} unhealthy`,
      marks.size > 0 && `${marks.size} changed`,
      isCut() && LIMIT_REACHED,
    ];
    return {
      title: [...counts.filter(Boolean), `${clock(seen)}, every ${durationText(every)}`].join(
        " · ",
      ),
      items,
      view: markedView(view, marks, seen?.toISOString()),
      ...(poll.kind === "unavailable"
        ? {
            status: `No response since ${clock(poll.since)}; next attempt in ${durationText(poll.pause)}: ${poll.reason}`,
            tone: "bad",
          }
        : { status: "+ added  - removed  ~ changed        Ctrl-C to end" }),
    };
  };
}

/** The installations that changed, the newest change first, then the others in list order. */
function orderedItems(
  installations: readonly NamedInstallation[],
  marks: ReadonlyMap<string, ListedChange>,
): NamedInstallation[] {
  const listed = new Map(installations.map((one) => [one.id, one]));
  const changed = [...marks.values()].reverse();
  const removed = changed.filter(({ installation }) => !listed.has(installation.id));
  const shown = new Set([...removed.slice(0, MAX_REMOVED)]);
  return [
    ...changed.flatMap(
      (one) => listed.get(one.installation.id) ?? (shown.has(one) ? one.installation : []),
    ),
    ...installations.filter((one) => !marks.has(one.id)),
  ];
}

function clock(date: Date | undefined): string {
  return date === undefined ? "" : date.toTimeString().slice(0, 8);
}

/** The columns of the list, with a mark before the name, and what changed when. */
function markedView(
  { columns, ...view }: ListView,
  marks: ReadonlyMap<string, ListedChange>,
  now: string | undefined,
): ListView {
  const [[first, name] = ["", () => undefined], ...others] = Object.entries(columns);
  const marked = (column: Column<NamedInstallation>) => (one: NamedInstallation) => {
    const cell = typeof column === "function" ? column(one) : String(one[column] ?? "");
    const mark = marks.get(one.id);
    const text = `${mark === undefined ? " " : CHANGE_MARKS[mark.change]} ${textOf(cell)}`;
    if (mark === undefined)
      return typeof cell === "object" && cell !== null ? { ...cell, text } : text;
    return { text, tone: mark.time === now ? ("attention" as const) : ("strong" as const) };
  };
  const changeOf = ({ id }: NamedInstallation): Cell => {
    const mark = marks.get(id);
    if (mark === undefined) return undefined;
    return mark.changes.length > 0 ? changesText(mark.changes) : mark.change;
  };
  return {
    ...view,
    columns: {
      [first]: marked(name),
      // A narrow terminal leaves out columns from the right.
      ...Object.fromEntries(others.slice(0, 2)),
      Change: changeOf,
      ...Object.fromEntries(others.slice(2)),
      Changed: (one) => time(marks.get(one.id)?.time),
    },
  };
}

function textOf(cell: Cell): string {
  return String((typeof cell === "object" ? cell?.text : cell) ?? "");
}
