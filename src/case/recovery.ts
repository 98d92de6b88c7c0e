import {
  DAY_MS,
  isFailure,
  type JudgedOperation,
  knownTime,
  type Stream,
  spanOf,
} from "./operation-streams.ts";

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

/** The failures just before the newest successes of the streams that failed within the last day. */
export function recovery(
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
