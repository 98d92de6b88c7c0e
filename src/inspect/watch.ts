import { isDeepStrictEqual } from "node:util";
import type { Api, ListResult } from "../api/operations/endpoint.ts";
import { type Look, type Polling, poll } from "../api/operations/poll.ts";
import type { FieldDifference, InstallationChange } from "../documents/inspect.ts";
import { stops } from "../errors.ts";
import { allItems } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { durationText } from "../values/time.ts";
import type { Selection } from "../view/selection.ts";
import {
  type Cell,
  type Column,
  cellText,
  id,
  type LiveFrame,
  type LiveOutput,
  type TableView,
  table,
  time,
} from "../view/view.ts";
import { CHANGE_MARKS, changeText } from "./diff-page.ts";
import { compareRecords, originalRecord } from "./installation-diff.ts";
import { groupName, type NamedInstallation } from "./installations.ts";

/** The part of a command's context that watching uses. */
type WatchContext = Polling & {
  readonly selection: Selection;
  live(): Promise<LiveOutput>;
};

interface WatchedList {
  readonly load: (api: Api) => Promise<ListResult<NamedInstallation>>;
  readonly view: ListView;
  /** What is listed, in words. */
  readonly place: string;
  /** The pause between two looks, in milliseconds. */
  readonly every: number;
}

interface Listing {
  readonly time: Date;
  readonly installations: readonly NamedInstallation[];
  /** In the order of the list; of the first look none. */
  readonly changes: readonly ListedChange[];
}

/**
 * Shows a list and what changes in it, until the user ends it or the reader is gone.
 * @throws {InterruptedError} for any other signal than Ctrl-C
 */
export async function watchInstallations(
  context: WatchContext,
  { load, view, place, every }: WatchedList,
): Promise<void> {
  const { now, report, signal, selection, live } = context;
  const output = await live();
  const frameOf = createWatchFrames({ every, view, place }, selection.isCut);
  let before: readonly NamedInstallation[] | undefined;
  const read = async (api: Api): Promise<Listing> => {
    const listed = selection.of(await load(api)) as ListResult<NamedInstallation>;
    const installations = await allItems(listed);
    await assertPathsExist(selection);
    const time = now();
    const changes = changesBetween(before ?? installations, installations, time.toISOString());
    before = installations;
    return { time, installations, changes };
  };
  const patience = { pauses: [every], isSilent: output.isScreen || output.isJson };
  try {
    for await (const look of poll(context, read, () => output.isClosed, patience)) {
      if (output.isScreen) await output.draw(frameOf(look));
      else {
        if (look.looks === 1)
          report.notice(beginning(look.answer.installations, every, selection.isCut()));
        await writeLook(output, look);
      }
      if (output.isClosed) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await output.close();
  }
  // Ctrl-C is how a watch ends.
  if (signal.aborted && signal.reason !== "SIGINT") throw stops.interrupted();
}

/**
 * A filter by a mistyped path would watch an empty list for ever.
 * @throws {UsageError} for a path that no item has, and that is none of an installation
 */
async function assertPathsExist(selection: Selection): Promise<void> {
  const paths = selection.absent();
  if (paths.length === 0) return;
  const { assertDescribed } = await import("./explained-records.ts");
  for (const path of paths) assertDescribed(RESULT_FIELDS.installation, path);
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

/** Writes what a look found; in JSON, an outage too, once, and its end. */
async function writeLook(output: LiveOutput, look: Look<Listing>): Promise<void> {
  if (look.kind === "away") {
    const { since, reason } = look;
    const gone = { time: since.toISOString(), change: "unavailable", reason } as const;
    if (output.isJson && look.isFirst) await output.write([gone], CHANGE_VIEW);
    return;
  }
  const { time, changes } = look.answer;
  const back = { time: time.toISOString(), change: "available" } as const;
  if (output.isJson && look.isBack) await output.write([back], CHANGE_VIEW);
  if (changes.length > 0) await output.write(changes.map(watchedChange), CHANGE_VIEW);
}

function changesBetween(
  before: readonly NamedInstallation[],
  installations: readonly NamedInstallation[],
  time: string,
): ListedChange[] {
  const found: ListedChange[] = [];
  const left = new Map(before.map((one) => [one.id, one]));
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

/** The change of an installation between two looks at the list. */
interface ListedChange {
  /** The time of the look that found it, RFC 3339. */
  readonly time: string;
  readonly change: "added" | "removed" | "changed";
  readonly installation: NamedInstallation;
  /** The fields that changed; none of one that was added or removed. */
  readonly changes: readonly FieldDifference[];
}

const CHANGE_VIEW: TableView<readonly InstallationChange[]> = table<InstallationChange>(
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

function watchedChange(listed: ListedChange): InstallationChange {
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
 * Creates the frames of a watched list, one for each look: changed ones come first, marked.
 * @param isCut whether `--limit` left some out
 */
function createWatchFrames(
  { every, view, place }: Pick<WatchedList, "every" | "view" | "place">,
  isCut: () => boolean,
): (look: Look<Listing>) => LiveFrame<NamedInstallation> {
  const marks = new Map<string, ListedChange>();
  let installations: readonly NamedInstallation[] = [];
  let seen: Date | undefined;
  return (look) => {
    if (look.kind === "answer") {
      ({ installations, time: seen } = look.answer);
      for (const one of look.answer.changes) {
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
      title: [
        ...counts.filter(Boolean),
        `${clock(seen)}, every ${durationText(every)}`,
        place,
      ].join(" · "),
      items,
      view: markedView(view, marks, seen?.toISOString()),
      ...(look.kind === "away"
        ? {
            status: `No response since ${clock(look.since)}; next attempt in ${durationText(look.pauseMs)}: ${look.reason}`,
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
    const text = `${mark === undefined ? " " : CHANGE_MARKS[mark.change]} ${cellText(cell)}`;
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
