import { counted } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import { defined } from "../values/json.ts";
import type { LiveFrame } from "../view/live.ts";
import { type Cell, type Column, id, type TableView, table, time } from "../view/view.ts";
import { groupName } from "./cells.ts";
import { type FieldDifference, originalRecord } from "./compare.ts";
import { CHANGE_MARKS, changeText } from "./diff-page.ts";
import type { NamedInstallation } from "./installations.ts";

/** The change of an installation between two polls of the list. */
export interface ListedChange {
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
export interface WatchedChange {
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

/** The columns of a line for each change. */
export const CHANGE_VIEW: TableView<readonly WatchedChange[]> = table<WatchedChange>(
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

/** A change as a program reads it. */
export function watchedChange(listed: ListedChange): WatchedChange {
  const { time, change, changes } = listed;
  const { id } = listed.installation;
  const group = groupName(listed.installation);
  const installation = originalRecord(listed.installation);
  return defined({ time, change, id, group, changes, installation });
}

/** The columns of the watched list. */
export type ListView = TableView<readonly NamedInstallation[]>;

/** The words for a list of which `--limit` left some out. */
export const LIMIT_REACHED = "--limit reached";

const MAX_REMOVED = 20;

/**
 * Creates the frames of a watched list, one for each poll: those that changed come first, and stay
 * marked.
 * @param every the pause between two polls, in milliseconds
 * @param view the columns of the list
 * @param isCut whether `--limit` left some out
 */
export function createWatchFrames(
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

/**
 * The installations that changed, the newest change first, then the others in the order of the
 * list.
 */
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
      // Before the columns that a narrow terminal drops.
      ...Object.fromEntries(others.slice(0, 2)),
      Change: changeOf,
      ...Object.fromEntries(others.slice(2)),
      Changed: (one) => time(marks.get(one.id)?.time),
    },
    // A list that moves is read as a table, never as cards.
    spare: [...(view.spare ?? []), "Integration", "Changed", "Connection", "Last op"],
    optional: [...(view.optional ?? []), "Changed"],
  };
}

function textOf(cell: Cell): string {
  return String((typeof cell === "object" ? cell?.text : cell) ?? "");
}
