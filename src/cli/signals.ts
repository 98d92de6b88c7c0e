import {
  AmpError,
  type ErrorFacts,
  InterruptedError,
  isInterrupt,
  TerminatedError,
  TimeoutError,
} from "../errors.ts";
import { DEADLINE, GRACE_MS, type ProtectedWork, whenAborted } from "../runtime/end-process.ts";
import { asList } from "../values/as-list.ts";
import { moreTime } from "../values/duration.ts";

/**
 * The result of the run. An interrupt reaches the run through its own signal; a run that does not
 * end by itself is abandoned after {@link GRACE_MS}, but not while it saves what it did.
 */
export async function untilInterrupted<Result>(
  signal: AbortSignal,
  run: Promise<Result> | Result,
  protectedWork: ProtectedWork,
): Promise<Result> {
  const left = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const abort = () => {
    timer = setTimeout(() => {
      if (protectedWork.isRunning) abort();
      else left.reject(new InterruptedError("Interrupted"));
    }, GRACE_MS);
  };
  whenAborted(signal, abort);
  try {
    return await Promise.race([run, left.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

/**
 * The error to show after a signal. A prompt cannot know which signal it was, and an interrupted
 * stream fails with an error of its own.
 * @param limit where the time limit was set: `--deadline`, `AMP_DEADLINE`, or a file
 */
export function errorAfterSignal(signal: AbortSignal, thrown: unknown, limit?: string): unknown {
  const error = thrown instanceof AmpError ? thrown : new InterruptedError("Interrupted");
  if (signal.reason === DEADLINE) {
    return isInterrupt(error) ? deadlineError(limit, error.facts) : error;
  }
  if (!(error instanceof InterruptedError) || signal.reason === "SIGINT") return error;
  return new TerminatedError("Terminated", error.facts);
}

function deadlineError(limit = "--deadline", facts: ErrorFacts): TimeoutError {
  const more = moreTime("--deadline 10m", limit);
  const remedy = asList(facts.remedy, isAllDone(facts) ? [] : more).join(" ");
  return new TimeoutError(`The time limit of ${limit} was reached`, { ...facts, remedy });
}

/** Whether the run had done everything when the time was over: more of it would change nothing. */
function isAllDone({ data: { settled, failed, unknown, notTried } = {} }: ErrorFacts): boolean {
  const [done, ...left] = [settled, failed, unknown, notTried].map((list) => asList(list));
  return done !== undefined && done.length > 0 && left.every((list) => list.length === 0);
}
