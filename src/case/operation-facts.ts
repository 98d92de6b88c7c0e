import {
  DAY_MS,
  isEnded,
  type JudgedOperation,
  judgedStreams,
  knownTime,
  type Stream,
  spanOf,
  streamKey,
  streamOf,
} from "./operation-streams.ts";
import { type Recovery, recovery } from "./recovery.ts";
import { type ResultFact, resultFacts } from "./result-facts.ts";

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
  const keys = new Set(failing.map(streamKey));
  const again = operations
    .slice(0, lastFailed ? operations.indexOf(lastFailed) : 0)
    .find((one) => one.status === "in_progress" && keys.has(streamKey(streamOf(one))));
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
    strange: newest && !isEnded(newest) && !running ? (newest.status ?? undefined) : undefined,
    attempts,
  };
}

function startOf({ failures }: Stream): number {
  return Date.parse(failures.at(-1)?.createTime ?? "") || 0;
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

function attemptsOf(operation: JudgedOperation | undefined): number | undefined {
  const { retry } = (operation?.metadata ?? {}) as { retry?: { attempts?: unknown } | null };
  return typeof retry?.attempts === "number" ? retry.attempts : undefined;
}
