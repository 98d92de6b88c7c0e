import { DAY_MS, millisecondsBetween } from "./words.ts";

/** The fields of an operation that a case judges; each may be missing. */
export interface JudgedOperation {
  readonly id: string;
  readonly actionType?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly createTime?: string | null | undefined;
  readonly result?: string | null | undefined;
  readonly metadata?: unknown;
}

/** The operations of one kind and object, the newest first: each is read by itself, and fails by itself. */
export interface Stream {
  readonly action: string | undefined;
  readonly objects: readonly string[];
  readonly ended: readonly JudgedOperation[];
  /** The operations that failed since the last success. */
  readonly failures: readonly JudgedOperation[];
  readonly lastSuccess: JudgedOperation | undefined;
}

/** The streams of the kind that is judged, and those of them that fail. */
export function judgedStreams(
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
  const groups = Map.groupBy(operations.filter(isEnded), (one) => streamKey(streamOf(one)));
  return [...groups.values()].flatMap((ended) => {
    const [first] = ended;
    if (first === undefined) return [];
    const success = ended.findIndex((one) => !isFailure(one));
    const failures = success < 0 ? ended : ended.slice(0, success);
    return [{ ...streamOf(first), ended, failures, lastSuccess: ended[success] }];
  });
}

/** The kind and the objects of an operation. */
export function streamOf(operation: JudgedOperation): Pick<Stream, "action" | "objects"> {
  return { action: operation.actionType ?? undefined, objects: objectsOf(operation) };
}

/** The key of a stream among those of its installation. */
export function streamKey({ action, objects }: Pick<Stream, "action" | "objects">): string {
  return JSON.stringify([action, objects]);
}

function isFailing({ failures }: Stream): boolean {
  return failures.length > 0;
}

/** When an operation began; undefined where it does not say, or says no time. */
export function knownTime(operation: JudgedOperation | undefined): string | undefined {
  const time = operation?.createTime ?? "";
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

/** The milliseconds between two operations; infinite where one has no time. */
export function spanOf(
  older: JudgedOperation | undefined,
  newer: JudgedOperation | undefined,
): number {
  return millisecondsBetween(older?.createTime, newer?.createTime) ?? Number.POSITIVE_INFINITY;
}

/** Whether an operation failed. */
export function isFailure({ status }: JudgedOperation): boolean {
  return status === "failure";
}

/** Whether an operation has succeeded or failed. */
export function isEnded({ status }: JudgedOperation): boolean {
  return status === "success" || status === "failure";
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
