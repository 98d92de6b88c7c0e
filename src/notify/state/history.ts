import * as z from "zod";
import { type Address, addressParts, isAddress } from "../model/address.ts";

const nonEmptyText = z.string().min(1);

/** The schema of an address. */
export const addressSchema = z.custom<Address>(
  (text) => typeof text === "string" && isAddress(text),
  "not a valid address",
);

/** One change that a run made at the service, without any values. */
const runChangeSchema = z.object({
  action: z.enum(["created", "updated", "deleted"]),
  address: addressSchema,
  id: nonEmptyText,
  /** The digests of what an update or a delete replaced, by path; `unknown` where none was. */
  was: z.record(z.string(), z.string()).readonly().exactOptional(),
});

/** A change of a run; see the schema. */
export type RunChange = Readonly<z.output<typeof runChangeSchema>>;

const runHeadSchema = z.object({
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
});

/** The facts of a run before it changes anything. */
export type RunHead = Readonly<z.output<typeof runHeadSchema>>;

/** A run that is recorded in the history with its first change. */
export const runBeingRecordedSchema = z.object({
  id: nonEmptyText,
  /** Absent once the history has the run. */
  head: runHeadSchema.exactOptional(),
});

/** A run that is being recorded; see the schema. */
export type RunBeingRecorded = Readonly<z.output<typeof runBeingRecordedSchema>>;

/** A run that changed something at the service. */
const recordedRunSchema = runHeadSchema.extend({
  changes: z.array(runChangeSchema).readonly(),
  /** Whether it made more changes than are kept. */
  isCut: z.literal(true).exactOptional(),
});

/** A recorded run; see the schema. */
export type RecordedRun = Readonly<z.output<typeof recordedRunSchema>>;

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

type RunEntry = Readonly<z.output<(typeof runEntrySchemas)[number]>>;

/** Whether a run that is kept has deleted something: the service has deletes then. */
export function hasDeleted(history: RunHistory = new Map()): boolean {
  return [...history.values()].some(({ changes }) =>
    changes.some(({ action }) => action === "deleted"),
  );
}

/** The limits of what a state keeps: it is written whole to most places, at each save. */
export const HISTORY_LIMITS = { runs: 20, changes: 1_000 } as const;

/**
 * The entries that add a change to a run. With the first one the run is added, and the oldest runs
 * leave the history where it would grow beyond its limits.
 */
export function changeEntries(
  history: RunHistory,
  { id, head }: RunBeingRecorded,
  change: RunChange,
): RunEntry[] {
  const run = history.get(id);
  if (run === undefined) {
    if (head === undefined) return [];
    return [...dropped(history), ["run", id, { ...head, changes: [change] }]];
  }
  if (run.isCut) return [];
  if (run.changes.length < HISTORY_LIMITS.changes) return [["change", id, change]];
  return [["run", id, { ...run, isCut: true }]];
}

type Begun = { readonly pending?: { readonly run?: RunBeingRecorded } };

/**
 * Names the current run. It gets its ID before its first write, whose intent says who sent it: the
 * ID after the latest.
 * @param temporary the name of resources whose changes the history leaves out
 * @param state as it is whenever the run is named
 * @returns names the run of a change; undefined for one that is left out
 */
export function runRecorder(
  head: RunHead,
  temporary: string | undefined,
  state: { readonly runs?: RunHistory } & Record<"entries" | "left", ReadonlyMap<string, Begun>>,
): (address: Address) => RunBeingRecorded | undefined {
  let id: string | undefined;
  return (address) => {
    if (addressParts(address).names.some((name) => name === temporary)) return undefined;
    const { runs = new Map(), entries, left } = state;
    if (id === undefined) {
      const begun = [...entries.values(), ...left.values()];
      const unsettled = begun.flatMap(({ pending }) => pending?.run?.id ?? []);
      const numbers = [...runs.keys(), ...unsettled].map((known) => Number(known.slice(1)) || 0);
      id = `r${Math.max(0, ...numbers) + 1}`;
    }
    return runs.has(id) ? { id } : { id, head };
  };
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

/** The history after an entry. */
export function withRunEntry(history: RunHistory, [kind, id, value]: RunEntry): RunHistory {
  const run = history.get(id);
  const after = new Map(history);
  if (kind === "run") {
    if (value === null) after.delete(id);
    else after.set(id, value);
  } else if (run !== undefined) {
    const { changes } = run;
    after.set(id, { ...run, changes: value === null ? changes.slice(0, -1) : [...changes, value] });
  }
  return after;
}
