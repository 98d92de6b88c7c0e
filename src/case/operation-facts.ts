/** The fields of an operation that a case judges; each may be missing. */
export interface JudgedOperation {
  readonly id: string;
  readonly actionType?: string | null | undefined;
  readonly status?: string | null | undefined;
  readonly createTime?: string | null | undefined;
  readonly metadata?: unknown;
}

/** What the operations of an installation say, the newest first. */
export interface OperationFacts {
  /** The number of operations that were read. */
  readonly read: number;
  /** The kind of those that are judged: that of the newest one which has ended. */
  readonly action?: string | undefined;
  /** The operations of this kind that failed since the last success. */
  readonly failed: number;
  /** The time of the first of them. */
  readonly since?: string | undefined;
  readonly lastSuccess?: string | undefined;
  /** Whether there may be an earlier failure that was not read: "at least since …". */
  readonly isCut: boolean;
  readonly firstFailed?: JudgedOperation | undefined;
  readonly lastFailed?: JudgedOperation | undefined;
  /** Whether the newest operations that have ended succeeded after others of their kind had failed. */
  readonly hasRecovered: boolean;
  /** The failures just before those successes. */
  readonly failedBefore: number;
  /** Whether an operation is running that is newer than the last failure, or being tried again. */
  readonly isRetrying: boolean;
  /** The newest operation, where it has not ended. */
  readonly running?: JudgedOperation | undefined;
  /** The attempts of the newest operation, where the service counts them. */
  readonly attempts?: number | undefined;
}

/**
 * Judges operations.
 * @param operations the newest first
 * @param isWhole whether they go back to the first one
 */
export function operationFacts(
  operations: readonly JudgedOperation[],
  isWhole: boolean,
): OperationFacts {
  const newest = operations.find(hasEnded);
  const attempts = attemptsOf(operations[0]);
  const running = operations.findIndex(({ status }) => status === "in_progress");
  const base = {
    read: operations.length,
    attempts,
    running: running === 0 ? operations[0] : undefined,
  };
  if (newest === undefined) {
    const isRetrying = running >= 0 && (attempts ?? 0) > 1;
    return { ...base, failed: 0, isCut: false, hasRecovered: false, failedBefore: 0, isRetrying };
  }
  const action = newest.actionType ?? undefined;
  const same = operations.filter((one) => hasEnded(one) && one.actionType === newest.actionType);
  const untilSuccess = same.findIndex(({ status }) => status === "success");
  const failures = untilSuccess < 0 ? same : same.slice(0, untilSuccess);
  // The failures before the newest successes, where the newest operation succeeded.
  const before = untilSuccess === 0 ? same.slice(same.findIndex(isFailure)) : [];
  const recovered = before.findIndex((one) => !isFailure(one));
  const hasFailed = same.some(isFailure) && untilSuccess === 0;
  const failedBefore = !hasFailed ? 0 : recovered < 0 ? before.length : recovered;
  const lastFailure = operations.findIndex(({ status }) => status === "failure");
  return {
    ...base,
    action,
    failed: failures.length,
    since: failures.at(-1)?.createTime ?? undefined,
    lastSuccess: same[untilSuccess]?.createTime ?? undefined,
    isCut: failures.length > 0 && untilSuccess < 0 && !isWhole,
    firstFailed: failures.at(-1),
    lastFailed: failures[0],
    hasRecovered: failedBefore > 0,
    failedBefore,
    isRetrying:
      failures.length > 0 &&
      ((running >= 0 && running < lastFailure) || (attemptsOf(failures[0]) ?? 0) > 1),
  };
}

/** Whether the operations read so far reach a success of the kind that fails, so that no more is needed. */
export function reachesSuccess(operations: readonly JudgedOperation[]): boolean {
  return operationFacts(operations, false).lastSuccess !== undefined;
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
