import * as z from "zod";
import { type Address, isAddress } from "../model/address.ts";

const nonEmptyText = z.string().min(1);
const address = z.custom<Address>(
  (text) => typeof text === "string" && isAddress(text),
  "not a valid address",
);

/** One change that a run made at the service, with what a later run needs to go back. */
export const runChangeSchema = z.object({
  action: z.enum(["created", "updated", "deleted"]),
  address,
  id: nonEmptyText,
  /** The address before a new name. */
  from: address.exactOptional(),
  /**
   * The values before the change, by their paths such as `metadata.url`; null for a field that had
   * none. Never a secret, nor what may hold one.
   */
  before: z.record(z.string(), z.json()).readonly().exactOptional(),
  /** The paths of changed fields whose earlier values are not kept. */
  hidden: z.array(nonEmptyText).readonly().exactOptional(),
});

/** A change of a run; see the schema. */
export type RunChange = Readonly<z.output<typeof runChangeSchema>>;

/** A run that changed something at the service. */
export const recordedRunSchema = z.object({
  /** When it made its first change: RFC 3339, by the clock of its machine. */
  time: z.iso.datetime({ offset: true }),
  /** The user or CI job, and the machine, as far as the environment says. */
  who: nonEmptyText.exactOptional(),
  /** The command line without secrets. */
  command: z.string().exactOptional(),
  /** The name of the routing. */
  routing: nonEmptyText.exactOptional(),
  /** The ID of the run that it takes back. */
  undoes: nonEmptyText.exactOptional(),
  changes: z.array(runChangeSchema).readonly(),
  /** Whether it made more changes than are kept. */
  isCut: z.literal(true).exactOptional(),
});

/** A recorded run; see the schema. */
export type RecordedRun = Readonly<z.output<typeof recordedRunSchema>>;

/** The facts of a run before it changes anything. */
export type RunHead = Omit<RecordedRun, "changes" | "isCut">;

/** The runs that a state keeps, by their IDs; the oldest is first. */
export type RunHistory = ReadonlyMap<string, RecordedRun>;

export const runHistorySchema = z
  .record(nonEmptyText, recordedRunSchema)
  .transform((runs): RunHistory => new Map(Object.entries(runs)));

/** A new value of a run, or one more change of it; `null` removes the run, or its last change. */
export const runEntrySchemas = [
  z.tuple([z.literal("run"), nonEmptyText, recordedRunSchema.nullable()]),
  z.tuple([z.literal("change"), nonEmptyText, runChangeSchema.nullable()]),
] as const;

/** An entry of a run in a journal. */
export type RunEntry = Readonly<z.output<(typeof runEntrySchemas)[number]>>;

/** The limits of what a state keeps: it is written whole to most places, at each save. */
export const HISTORY_LIMITS = { runs: 20, changes: 1_000 } as const;

/**
 * The entries that add a change to a run. With the first one the run is added, and the oldest runs
 * leave the history where it would grow beyond its limits.
 */
export function changeEntries(
  history: RunHistory,
  id: string,
  head: RunHead,
  change: RunChange,
): RunEntry[] {
  const run = history.get(id);
  if (run === undefined) {
    return [...dropped(history), ["run", id, { ...head, changes: [change] }]];
  }
  if (run.isCut) return [];
  if (run.changes.length < HISTORY_LIMITS.changes) return [["change", id, change]];
  return [["run", id, { ...run, isCut: true }]];
}

/** The ID after the latest. Runs of earlier builds were numbered with gaps. */
export function nextRunId(history: RunHistory = new Map()): string {
  const numbers = [...history.keys()].map((id) => Number(id.slice(1)) || 0);
  return `r${Math.max(0, ...numbers) + 1}`;
}

/** The number of changes of each kind. */
export function changeCounts({ changes }: Pick<RecordedRun, "changes">) {
  const count = (action: RunChange["action"]) =>
    changes.filter((change) => change.action === action).length;
  return { created: count("created"), updated: count("updated"), deleted: count("deleted") };
}

/** The oldest runs, so that one more has room. */
function dropped(history: RunHistory): RunEntry[] {
  const entries: RunEntry[] = [];
  let changes = [...history.values()].reduce((sum, run) => sum + run.changes.length, 0);
  for (const [id, run] of history) {
    const runs = history.size - entries.length;
    if (runs < HISTORY_LIMITS.runs && changes <= HISTORY_LIMITS.changes) break;
    entries.push(["run", id, null]);
    changes -= run.changes.length;
  }
  return entries;
}

/**
 * The history after an entry.
 * @returns also the entry that takes it back
 */
export function withRunEntry(
  history: RunHistory,
  [kind, id, value]: RunEntry,
): { readonly after: RunHistory; readonly inverse: RunEntry } {
  const after = new Map(history);
  const before = history.get(id) ?? null;
  if (kind === "run") {
    if (value === null) after.delete(id);
    else after.set(id, value);
    return { after, inverse: ["run", id, before] };
  }
  if (before === null) return { after, inverse: ["run", id, null] };
  const { changes } = before;
  if (value === null) {
    after.set(id, { ...before, changes: changes.slice(0, -1) });
    return { after, inverse: ["change", id, changes.at(-1) ?? null] };
  }
  after.set(id, { ...before, changes: [...changes, value] });
  return { after, inverse: ["change", id, null] };
}
