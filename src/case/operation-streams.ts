import type { OperationRecord } from "../api/schemas/operation.ts";
import { DAY_MS, millisecondsBetween } from "./words.ts";

/** The operations of one kind and object, the newest first: each is read, and fails, by itself. */
export interface Stream {
  readonly action: string | undefined;
  readonly objects: readonly string[];
  readonly ended: readonly OperationRecord[];
  /** The operations that failed since the last success. */
  readonly failures: readonly OperationRecord[];
  readonly lastSuccess: OperationRecord | undefined;
}

/** The streams of the kind that is judged, and those of them that fail. */
export function judgedStreams(
  operations: readonly OperationRecord[],
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
  newest: OperationRecord | undefined,
  reads: readonly string[] | undefined,
): boolean {
  if (reads === undefined) return true;
  if (action === "read" && objects.length > 0) return objects.some((one) => reads.includes(one));
  return ended[0] === newest || spanOf(ended[0], newest) < DAY_MS;
}

function streamsOf(operations: readonly OperationRecord[]): Stream[] {
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
export function streamOf(operation: OperationRecord): Pick<Stream, "action" | "objects"> {
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
export function knownTime(operation: OperationRecord | undefined): string | undefined {
  const time = operation?.createTime ?? "";
  return Number.isNaN(Date.parse(time)) ? undefined : time;
}

/** The milliseconds between two operations; infinite where one has no time. */
export function spanOf(
  older: OperationRecord | undefined,
  newer: OperationRecord | undefined,
): number {
  return millisecondsBetween(older?.createTime, newer?.createTime) ?? Number.POSITIVE_INFINITY;
}

/** Whether an operation failed. */
export function isFailure({ status }: OperationRecord): boolean {
  return status === "failure";
}

/** Whether an operation has succeeded or failed. */
export function isEnded({ status }: OperationRecord): boolean {
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
