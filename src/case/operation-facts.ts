import type { OperationRecord } from "../api/schemas/operation.ts";
import {
  isEnded,
  isFailure,
  judgedStreams,
  knownTime,
  type Stream,
  spanOf,
  streamKey,
  streamOf,
} from "./operation-streams.ts";
import { DAY_MS } from "./words.ts";

/** The facts from the operations of an installation, the newest first. */
export interface OperationFacts {
  /** The number of operations that were read. */
  readonly read: number;
  /** The kind of those that are judged: that of the newest which fails, or else of the newest. */
  readonly action?: string | undefined;
  /** The objects that fail, where others of the installation do not. */
  readonly objects?: readonly string[] | undefined;
  /** The operations of this kind that failed since the last success of their object. */
  readonly failed: number;
  /** The time of the first of them. */
  readonly since?: string | undefined;
  readonly lastSuccess?: string | undefined;
  /** Whether there may be an earlier failure that was not read: "at least since …". */
  readonly isCut: boolean;
  readonly firstFailed?: OperationRecord | undefined;
  readonly lastFailed?: OperationRecord | undefined;
  /** Present if nothing fails now, but something failed in the day before the newest operation. */
  readonly recovered?: Recovery | undefined;
  /** The newest results, where nothing failed lately. */
  readonly results: readonly ResultFact[];
  /** Whether what fails is tried again, and has not failed for longer than a day. */
  readonly isRetrying: boolean;
  /** The newest operation, where it has not ended. */
  readonly running?: OperationRecord | undefined;
  /** The status of the newest operation, where it is none that is known. */
  readonly strange?: string | undefined;
  /** The attempts of what is tried again, where the service counts them. */
  readonly attempts?: number | undefined;
}

/**
 * Judges operations.
 * @param operations the newest first
 * @param isWhole whether they go back to the first one
 * @param reads the objects that the configuration reads: one that it no longer reads does not fail
 */
export function operationFacts(
  operations: readonly OperationRecord[],
  isWhole: boolean,
  reads?: readonly string[],
): OperationFacts {
  const [newest] = operations;
  const running = newest?.status === "in_progress" ? newest : undefined;
  const { action, same, failing } = judgedStreams(operations, reads);
  const failures = failing.flatMap((one) => one.failures);
  // The one that has failed for longest says since when.
  const longest = failing.toSorted((one, other) => (startOf(one) < startOf(other) ? -1 : 1))[0];
  const lastFailed = failing[0]?.failures[0];
  const recovered = lastFailed ? undefined : recovery(operations, same, isWhole);
  const keys = new Set(failing.map(streamKey));
  const again = operations
    .slice(0, lastFailed ? operations.indexOf(lastFailed) : 0)
    .find((one) => one.status === "in_progress" && keys.has(streamKey(streamOf(one))));
  const attempts = (again ?? lastFailed ?? running)?.metadata?.retry?.attempts ?? undefined;
  const isNew = spanOf(longest?.failures.at(-1), newest) < DAY_MS;
  return {
    read: operations.length,
    action,
    objects: failing.length < same.length ? failing.flatMap(({ objects }) => objects) : undefined,
    failed: failures.length,
    since: knownTime(longest?.failures.at(-1)),
    lastSuccess: knownTime((longest ?? same[0])?.lastSuccess),
    isCut:
      !isWhole && (newest === undefined || (longest && longest.lastSuccess === undefined) === true),
    firstFailed: longest?.failures.at(-1),
    lastFailed,
    recovered,
    results: lastFailed || recovered ? [] : resultFacts(same),
    isRetrying: lastFailed !== undefined && isNew && (again !== undefined || (attempts ?? 0) > 1),
    running,
    strange: newest && !isEnded(newest) && !running ? (newest.status ?? undefined) : undefined,
    attempts,
  };
}

function startOf({ failures }: Stream): number {
  return Date.parse(failures.at(-1)?.createTime ?? "") || 0;
}

/** True if a success of everything that fails was read, so that no older operations are needed. */
export function reachesSuccess(
  operations: readonly OperationRecord[],
  reads?: readonly string[],
): boolean {
  const { same, failing } = judgedStreams(operations, reads);
  const needed = failing.length > 0 ? failing : same.slice(0, 1);
  return needed.length > 0 && needed.every(({ lastSuccess }) => knownTime(lastSuccess));
}

/** The failures that ended in the day before the newest operation. */
export interface Recovery {
  readonly failed: number;
  readonly firstFailure?: string | undefined;
  readonly lastFailed: OperationRecord;
  /** The first operation that succeeded after all of them. */
  readonly firstSuccess?: string | undefined;
  /** Whether there may be an earlier failure that was not read. */
  readonly isCut: boolean;
}

/** The failures just before the newest successes of the streams that failed within the last day. */
function recovery(
  operations: readonly OperationRecord[],
  streams: readonly Stream[],
  isWhole: boolean,
): Recovery | undefined {
  const before = streams.map(failuresBefore);
  const [recent] = before.filter(([last]) => spanOf(last, operations[0]) < DAY_MS);
  if (recent === undefined) return undefined;
  // A daily read may have ended to fail a little earlier.
  const start = Date.parse(recent.at(-1)?.createTime ?? "");
  const failed = new Set(
    before.filter(([last]) => Date.parse(last?.createTime ?? "") >= start).flat(),
  );
  const failures = operations.filter((one) => failed.has(one));
  const [lastFailed] = failures;
  if (lastFailed === undefined) return undefined;
  const succeeded = new Set(streams.flatMap(({ ended }) => ended.filter((one) => !isFailure(one))));
  const after = operations.slice(0, operations.indexOf(lastFailed));
  return {
    failed: failures.length,
    firstFailure: knownTime(failures.at(-1)),
    lastFailed,
    firstSuccess: knownTime(after.findLast((one) => succeeded.has(one))),
    isCut: !isWhole && streams.some(({ ended }) => failed.has(ended.at(-1) as OperationRecord)),
  };
}

function failuresBefore({ ended }: Stream): readonly OperationRecord[] {
  const first = ended.findIndex(isFailure);
  if (first < 0) return [];
  const end = ended.findIndex((one, at) => at > first && !isFailure(one));
  return ended.slice(first, end < 0 ? undefined : end);
}

/** The newest results of an object, in the words of the service. */
export interface ResultFact {
  readonly newest: OperationRecord;
  /** The oldest one in a row with the same result, where it is not the newest. */
  readonly sameSince?: OperationRecord | undefined;
  /** The newest with another result, where that of the newest counts no records. */
  readonly before?: OperationRecord | undefined;
}

/**
 * The newest result of each object that was read: a customer asks when data arrived for the last
 * time, and only the text of the service says it.
 */
export function resultFacts(streams: readonly Pick<Stream, "ended">[]): readonly ResultFact[] {
  return streams.flatMap(({ ended }) => {
    const succeeded = ended.filter(({ status, result }) => status === "success" && result);
    const [newest] = succeeded;
    if (newest === undefined) return [];
    const firstOther = succeeded.findIndex(({ result }) => result !== newest.result);
    const oldestSame = succeeded.at(firstOther < 0 ? -1 : firstOther - 1);
    return [
      {
        newest,
        sameSince: oldestSame === newest ? undefined : oldestSame,
        before: countsRecords(newest) ? undefined : succeeded[firstOther],
      },
    ];
  });
}

/** Whether a result has a number outside the name of its object: "[contacts2] 83 records". */
function countsRecords({ result }: OperationRecord): boolean {
  return /[1-9]/u.test((result ?? "").replace(/^\[[^\]]*\]/u, ""));
}
