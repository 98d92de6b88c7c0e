import { type ResultFact, resultFacts } from "./result-facts.ts";
import { millisecondsBetween } from "./words.ts";

/** The fields of an operation that a case judges; each may be missing. */
export interface JudgedOperation {
  readonly id: string;
  readonly actionType?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly createTime?: string | null | undefined;
  readonly result?: string | null | undefined;
  readonly metadata?: unknown;
}

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
  readonly firstFailed?: JudgedOperation | undefined;
  readonly lastFailed?: JudgedOperation | undefined;
  /** Present if nothing fails now, but something failed in the day before the newest operation. */
  readonly recovered?: Recovery | undefined;
  /** The newest results, where nothing failed lately. */
  readonly results: readonly ResultFact[];
  /** Whether what fails is tried again, and has not failed for longer than a day. */
  readonly isRetrying: boolean;
  /** The newest operation, where it has not ended. */
  readonly running?: JudgedOperation | undefined;
  /** The status of the newest operation, where it is none that is known. */
  readonly strange?: string | undefined;
  /** The attempts of what is tried again, where the service counts them. */
  readonly attempts?: number | undefined;
}

/** The failures that ended in the day before the newest operation. */
export interface Recovery {
  readonly failed: number;
  readonly firstFailure?: string | undefined;
  readonly lastFailed: JudgedOperation;
  /** The first operation that succeeded after all of them. */
  readonly firstSuccess?: string | undefined;
  /** Whether there may be an earlier failure that was not read. */
  readonly isCut: boolean;
}

const DAY_MS = 86_400_000;

/** The operations of one kind and object, the newest first: each is read by itself, and fails by itself. */
export interface Stream {
  readonly action: string | undefined;
  readonly objects: readonly string[];
  readonly ended: readonly JudgedOperation[];
  /** The operations that failed since the last success. */
  readonly failures: readonly JudgedOperation[];
  readonly lastSuccess: JudgedOperation | undefined;
}

/**
 * Judges operations.
 * @param operations the newest first
 * @param isWhole whether they go back to the first one
 * @param reads the objects that the configuration reads: one that it no longer reads does not fail
 */
export function operationFacts(
  operations: readonly JudgedOperation[],
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
  const keys = new Set(failing.map(keyOf));
  const again = operations
    .slice(0, lastFailed ? operations.indexOf(lastFailed) : 0)
    .find((one) => one.status === "in_progress" && keys.has(keyOf(streamOf(one))));
  const attempts = attemptsOf(again ?? lastFailed ?? running);
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
    strange: newest && !hasEnded(newest) && !running ? (newest.status ?? undefined) : undefined,
    attempts,
  };
}

/** The streams of the kind that is judged, and those of them that fail. */
function judgedStreams(
  operations: readonly JudgedOperation[],
  reads: readonly string[] | undefined,
) {
  const streams = streamsOf(operations).filter((one) => isCurrent(one, operations[0], reads));
  const action = (streams.find(isFailing) ?? streams[0])?.action;
  const same = streams.filter((one) => one.action === action);
  return { action, same, failing: same.filter(isFailing) };
}

/** Returns false for operations that no longer run: reads of a removed object, and old writes. */
function isCurrent(
  { action, objects, ended }: Stream,
  newest: JudgedOperation | undefined,
  reads: readonly string[] | undefined,
): boolean {
  if (reads === undefined) return true;
  if (action === "read" && objects.length > 0) return objects.some((one) => reads.includes(one));
  return ended[0] === newest || spanOf(ended[0], newest) < DAY_MS;
}

function streamsOf(operations: readonly JudgedOperation[]): Stream[] {
  const groups = Map.groupBy(operations.filter(hasEnded), (one) => keyOf(streamOf(one)));
  return [...groups.values()].flatMap((ended) => {
    const [first] = ended;
    if (first === undefined) return [];
    const success = ended.findIndex((one) => !isFailure(one));
    const failures = success < 0 ? ended : ended.slice(0, success);
    return [{ ...streamOf(first), ended, failures, lastSuccess: ended[success] }];
  });
}

function streamOf(operation: JudgedOperation): Pick<Stream, "action" | "objects"> {
  return { action: operation.actionType ?? undefined, objects: objectsOf(operation) };
}

function keyOf({ action, objects }: Pick<Stream, "action" | "objects">): string {
  return JSON.stringify([action, objects]);
}

function isFailing({ failures }: Stream): boolean {
  return failures.length > 0;
}

function startOf({ failures }: Stream): number {
  return Date.parse(failures.at(-1)?.createTime ?? "") || 0;
}

/** The failures just before the newest successes of the streams that failed within the last day. */
function recovery(
  operations: readonly JudgedOperation[],
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
    isCut: !isWhole && streams.some(({ ended }) => failed.has(ended.at(-1) as JudgedOperation)),
  };
}

function failuresBefore({ ended }: Stream): readonly JudgedOperation[] {
  const first = ended.findIndex(isFailure);
  if (first < 0) return [];
  const end = ended.findIndex((one, at) => at > first && !isFailure(one));
  return ended.slice(first, end < 0 ? undefined : end);
}

/** When an operation began; undefined where it does not say, or says no time. */
function knownTime(operation: JudgedOperation | undefined): string | undefined {
  const time = operation?.createTime ?? "";
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

/** The milliseconds between two operations; infinite where one has no time. */
function spanOf(older: JudgedOperation | undefined, newer: JudgedOperation | undefined): number {
  return millisecondsBetween(older?.createTime, newer?.createTime) ?? Number.POSITIVE_INFINITY;
}

/** True if a success of everything that fails was read, so that no older operations are needed. */
export function reachesSuccess(
  operations: readonly JudgedOperation[],
  reads?: readonly string[],
): boolean {
  const { same, failing } = judgedStreams(operations, reads);
  const needed = failing.length > 0 ? failing : same.slice(0, 1);
  return needed.length > 0 && needed.every(({ lastSuccess }) => knownTime(lastSuccess));
}

function isFailure({ status }: JudgedOperation): boolean {
  return status === "failure";
}

function hasEnded({ status }: JudgedOperation): boolean {
  return status === "success" || status === "failure";
}

function attemptsOf(operation: JudgedOperation | undefined): number | undefined {
  const { retry } = (operation?.metadata ?? {}) as { retry?: { attempts?: unknown } | null };
  return typeof retry?.attempts === "number" ? retry.attempts : undefined;
}

/** The object whose records an operation reads; undefined where it does not say. */
export function objectOf(operation: JudgedOperation | undefined): string | undefined {
  const { progress } = (operation?.metadata ?? {}) as {
    progress?: { objectName?: unknown } | null;
  };
  return typeof progress?.objectName === "string" ? progress.objectName : undefined;
}

/** The objects of an operation, by its own list, or by the beginning of its result: "[contact] …". */
export function objectsOf(operation: JudgedOperation): readonly string[] {
  const { objects } = (operation.metadata ?? {}) as { objects?: unknown };
  if (Array.isArray(objects)) return objects.filter((one) => typeof one === "string").toSorted();
  const one = objectOf(operation) ?? /^\[([^\]]{1,200})\]/u.exec(operation.result ?? "")?.[1];
  return one === undefined ? [] : [one];
}
