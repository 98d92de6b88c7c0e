import type { Cron } from "croner";
import type { OperationRecord } from "../api/schemas/operation.ts";
import { timeOf } from "../values/time.ts";
import {
  activeReads,
  type Facts,
  type LateFact,
  type ReadFact,
  type RecordFacts,
} from "./facts.ts";
import { objectsOf } from "./operation-streams.ts";
import { DAY_MS, sinceText } from "./words.ts";

/**
 * The facts from the schedules of the active reads: which never come, and which came although
 * nothing ran. One that amp cannot read is not judged.
 * @param operations the newest first; undefined where the service has none
 * @param isWhole whether they go back to the first one
 */
export async function scheduleFacts(
  record: RecordFacts,
  operations: readonly OperationRecord[] | undefined,
  isWhole: boolean,
  now: Date,
): Promise<Pick<Facts, "idle" | "late">> {
  const reads = activeReads(record).filter(({ schedule }) => schedule !== undefined);
  // Of operations that are all older than what was asked for, nothing is known.
  const isKnown = operations !== undefined && (isWhole || operations.length > 0);
  const late = isKnown ? [] : undefined;
  if (reads.length === 0) return { idle: [], ...(late && { late }) };
  const croner = await import("croner");
  const crons = reads.flatMap((read): (readonly [ReadFact, Cron])[] => {
    try {
      return [[read, new croner.Cron(read.schedule ?? "", { timezone: "UTC", paused: true })]];
    } catch {
      return [];
    }
  });
  return {
    idle: crons.flatMap(([read, cron]) => (cron.nextRun(now) === null ? [read] : [])),
    ...(isKnown && {
      late: crons.flatMap(([read, cron]) => {
        const last = lastOf(read, record, operations, isWhole);
        return last && isLate(cron, last.at, now) ? [lateFact(read, last, now)] : [];
      }),
    }),
  };
}

interface LastRun {
  readonly at: Date;
  readonly isFirst: boolean;
}

/**
 * When an object was last read, or else since when it is configured; undefined while it is read.
 */
function lastOf(
  { object }: ReadFact,
  { installed, changed }: RecordFacts,
  operations: readonly OperationRecord[],
  isWhole: boolean,
): LastRun | undefined {
  const isOf = (one: OperationRecord) => {
    const objects = objectsOf(one);
    return objects.length === 0 || objects.includes(object);
  };
  const newest = operations.find(isOf);
  if (newest?.status === "in_progress") return undefined;
  const oldest = isWhole ? undefined : operations.at(-1);
  const times = [changed ?? installed, (newest ?? oldest)?.createTime].map(timeOf);
  const known = times.filter((time) => time !== undefined);
  // A clock of a record alone, without the time of its operation, says nothing.
  if (known.length === 0 || (newest && times[1] === undefined)) return undefined;
  return { at: new Date(Math.max(...known)), isFirst: newest === undefined && isWhole };
}

/** Whether a schedule has come twice since a time, the first time more than a day ago. */
function isLate(cron: Cron, since: Date, now: Date): boolean {
  const first = cron.nextRun(since);
  const second = first && cron.nextRun(first);
  return second !== null && second < now && now.getTime() - (first?.getTime() ?? 0) > DAY_MS;
}

function lateFact({ object }: ReadFact, { at, isFirst }: LastRun, now: Date): LateFact {
  return { object, isFirst, ago: sinceText(at.toISOString(), now) ?? "a day" };
}
