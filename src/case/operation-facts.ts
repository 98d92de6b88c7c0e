import type { OperationRecord } from "../api/schemas/operation.ts";
import { DAY_MS, millisecondsBetween, timeOf } from "../values/time.ts";

/** The facts from the operations of an installation, the newest first. */
export interface OperationFacts {
  /** The number of operations that were read. */
  readonly read: number;
  /** The kind of those that are judged: that of the newest which fails, or else of the newest. */
  readonly action?: string | undefined;
  /** The objects that fail, where others of the installation do not. */
  readonly objects?: readonly string[] | undefined;
  /** The objects of operations of this kind, and whether each fails. */
  readonly states?: readonly ObjectState[];
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

/** An object of an installation, and whether its operations fail. */
interface ObjectState {
  readonly object: string;
  readonly fails: boolean;
}

/** The failures that ended in the day before the newest operation. */
interface Recovery {
  readonly failed: number;
  readonly firstFailure?: string | undefined;
  readonly lastFailed: OperationRecord;
  /** The first operation that succeeded after all of them. */
  readonly firstSuccess?: string | undefined;
  /** Whether there may be an earlier failure that was not read. */
  readonly isCut: boolean;
}

/** The newest results of an object, in the words of the service. */
export interface ResultFact {
  readonly newest: OperationRecord;
  /** The oldest one in a row with the same result, where it is not the newest. */
  readonly sameSince?: OperationRecord | undefined;
  /** The newest with another result, where that of the newest counts no records. */
  readonly before?: OperationRecord | undefined;
}

/** The operations of one kind and object, the newest first: each is read, and fails, by itself. */
interface Stream {
  readonly key: string;
  readonly action: string | undefined;
  readonly objects: readonly string[];
  readonly ended: readonly OperationRecord[];
  /** The operations that failed since the last success. */
  readonly failures: readonly OperationRecord[];
  readonly lastSuccess: OperationRecord | undefined;
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
  // The one that has failed for longest says since when.
  const [longest] = failing.toSorted((one, other) => startOf(one) - startOf(other));
  const firstFailed = longest?.failures.at(-1);
  const lastFailed = failing[0]?.failures[0];
  const recovered = lastFailed ? undefined : recovery(operations, same, isWhole);
  const again = operations
    .slice(0, lastFailed ? operations.indexOf(lastFailed) : 0)
    .find((one) => one.status === "in_progress" && failing.some(({ key }) => key === keyOf(one)));
  const attempts = (again ?? lastFailed ?? running)?.metadata?.retry?.attempts ?? undefined;
  const isNew = spanOf(firstFailed, newest) < DAY_MS;
  return {
    read: operations.length,
    action,
    states: same.flatMap((one) =>
      one.objects.map((object) => ({ object, fails: failing.includes(one) })),
    ),
    objects: failing.length < same.length ? failing.flatMap(({ objects }) => objects) : undefined,
    failed: failing.reduce((sum, { failures }) => sum + failures.length, 0),
    since: knownTime(firstFailed),
    lastSuccess: knownTime((longest ?? same[0])?.lastSuccess),
    isCut:
      !isWhole && (newest === undefined || (longest && longest.lastSuccess === undefined) === true),
    firstFailed,
    lastFailed,
    recovered,
    results: lastFailed || recovered ? [] : resultFacts(same),
    isRetrying: lastFailed !== undefined && isNew && (again !== undefined || (attempts ?? 0) > 1),
    running,
    strange: newest && !isEnded(newest) && !running ? (newest.status ?? undefined) : undefined,
    attempts,
  };
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

/** The streams of the kind that is judged, and those of them that fail. */
function judgedStreams(
  operations: readonly OperationRecord[],
  reads: readonly string[] | undefined,
) {
  const isFailing = ({ failures }: Stream) => failures.length > 0;
  const streams = [...Map.groupBy(operations.filter(isEnded), keyOf)]
    .flatMap(([key, ended]) => streamOf(key, ended) ?? [])
    .filter((one) => isCurrent(one, operations[0], reads));
  const action = (streams.find(isFailing) ?? streams[0])?.action;
  const same = streams.filter((one) => one.action === action);
  return { action, same, failing: same.filter(isFailing) };
}

function streamOf(key: string, ended: readonly OperationRecord[]): Stream | undefined {
  const [first] = ended;
  if (first === undefined) return undefined;
  const success = ended.findIndex((one) => !isFailure(one));
  const failures = success < 0 ? ended : ended.slice(0, success);
  const action = first.actionType ?? undefined;
  return { key, action, objects: objectsOf(first), ended, failures, lastSuccess: ended[success] };
}

function keyOf(operation: OperationRecord): string {
  return JSON.stringify([operation.actionType, objectsOf(operation)]);
}

/** Returns false for operations that no longer run: reads of a removed object, and old writes. */
function isCurrent(
  { action, objects, ended }: Stream,
  newest: OperationRecord | undefined,
  reads: readonly string[] | undefined,
): boolean {
  if (reads === undefined) return true;
  if (action === "read" && objects.length > 0) return objects.some((one) => reads.includes(one));
  return ended[0] === newest || spanOf(ended[0], newest) < DAY_MS;
}

function startOf({ failures }: Stream): number {
  return timeOf(failures.at(-1)?.createTime) ?? 0;
}

function knownTime(operation: OperationRecord | undefined): string | undefined {
  const time = operation?.createTime ?? undefined;
  return timeOf(time) === undefined ? undefined : time;
}

/** The milliseconds between two operations; infinite where one has no time. */
function spanOf(older: OperationRecord | undefined, newer: OperationRecord | undefined): number {
  return millisecondsBetween(older?.createTime, newer?.createTime) ?? Number.POSITIVE_INFINITY;
}

function isFailure({ status }: OperationRecord): boolean {
  return status === "failure";
}

function isEnded({ status }: OperationRecord): boolean {
  return status === "success" || status === "failure";
}

/** The object whose records an operation reads; undefined where it does not say. */
export function objectOf(operation: OperationRecord | undefined): string | undefined {
  return operation?.metadata?.progress?.objectName ?? undefined;
}

/**
 * The objects of an operation, by its own list, or by the beginning of its result: "[contact] …".
 */
export function objectsOf(operation: OperationRecord): readonly string[] {
  const { metadata, result } = operation;
  if (metadata?.objects) return metadata.objects.toSorted();
  const one = objectOf(operation) ?? /^\[([^\]]{1,200})\]/u.exec(result ?? "")?.[1];
  return one === undefined ? [] : [one];
}

/** The failures just before the newest successes of the streams that failed within the last day. */
function recovery(
  operations: readonly OperationRecord[],
  streams: readonly Stream[],
  isWhole: boolean,
): Recovery | undefined {
  const before = streams.map(({ ended }) => {
    const first = ended.findIndex(isFailure);
    const end = ended.findIndex((one, at) => at > first && !isFailure(one));
    return first < 0 ? [] : ended.slice(first, end < 0 ? undefined : end);
  });
  const [recent] = before.filter(([last]) => spanOf(last, operations[0]) < DAY_MS);
  if (recent === undefined) return undefined;
  // A daily read may have ended to fail a little earlier.
  const start = timeOf(recent.at(-1)?.createTime) ?? Number.NaN;
  const failed = new Set(
    before.filter(([last]) => (timeOf(last?.createTime) ?? Number.NaN) >= start).flat(),
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
