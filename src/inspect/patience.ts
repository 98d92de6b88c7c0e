import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "../api/operations/endpoint.ts";
import type { CommandContext } from "../context/command-context.ts";
import { AmpError, ServiceError, TimeoutError } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import { workingLine } from "../values/batches.ts";
import { defined } from "../values/json.ts";
import { durationText } from "../values/time.ts";

/**
 * The pauses between two looks, in milliseconds: each longer than the one before, up to the last.
 */
export const PACE = { first: 2_000, longest: 30_000 };
const GROWTH = 1.5;
/** The part by which a pause varies, so that several waits do not ask at the same moment. */
const JITTER = 0.2;

/**
 * Begins a wait: its time, its pauses, and what it says of a service that is away.
 * @param withinMs the time after which it is over
 */
export function beginWait(
  { report, signal }: Pick<CommandContext, "report" | "signal">,
  withinMs: number,
  { first, longest }: typeof PACE,
) {
  const begun = performance.now();
  const line = workingLine(report);
  let pauseMs = first;
  let lastWarning = "";
  const warn = ({ message }: AmpError) => {
    if (message !== lastWarning) report.warn(`${message}. Retrying.`);
    lastWarning = message;
  };
  const waitedMs = () => performance.now() - begun;
  const isOver = () => waitedMs() >= withinMs;
  /** Pauses, each time longer, but not beyond the time that is left. */
  const pauseFor = async (reason: string) => {
    const left = withinMs - waitedMs();
    line.show(`Waiting up to ${durationText(left)} ${reason}`);
    const varied = pauseMs * (1 + JITTER * (2 * Math.random() - 1));
    await pause(Math.max(0, Math.min(varied, left)), undefined, { signal });
    pauseMs = Math.min(pauseMs * GROWTH, longest);
  };
  return {
    waitedMs,
    isOver,
    pause: pauseFor,
    /**
     * The first answer of the service, as soon as it gives one; the pauses then begin anew.
     * @throws {TimeoutError} where the service was away all the time
     */
    async untilAnswered<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
      for (;;) {
        try {
          const answer = await ask();
          pauseMs = first;
          return answer;
        } catch (error) {
          if (signal.aborted || !isAway(error)) throw error;
          if (isOver()) throw neverAnswered(error, withinMs);
          warn(error);
          await pauseFor("for the service");
        }
      }
    },
    /** What the service answers now; undefined where it is away. */
    async answerNow<Answer>(ask: () => Promise<Answer>): Promise<Answer | undefined> {
      try {
        const answer = await ask();
        lastWarning = "";
        return answer;
      } catch (error) {
        if (signal.aborted || !isOutage(error)) throw error;
        warn(error);
        return undefined;
      }
    },
    /** Takes away the line that says what is waited for. */
    end: line.end,
  };
}

/**
 * Whether a failure before the first answer may pass by itself: an address that is wrong stays so,
 * and so does a refusal. Once the service has answered, `isOutage` is enough.
 */
function isAway(error: unknown): error is AmpError {
  if (error instanceof TimeoutError) return true;
  if (!(error instanceof ServiceError)) return false;
  const { retryable, status } = error.facts;
  return retryable ?? (status === undefined || status === 429 || status >= 500);
}

function neverAnswered({ message, facts }: AmpError, withinMs: number): TimeoutError {
  const { remedy, suggestion, requestId } = facts;
  return new TimeoutError(`The service did not answer within ${durationText(withinMs)}`, {
    detail: message,
    ...defined({ remedy, suggestion, requestId }),
  });
}

/**
 * The service for a caller that asks again by itself and says so: each request is sent once,
 * without a line for each retry.
 */
export function askedOnce(api: Api): Api {
  const once = <Input extends object>(input: Input) => ({ ...input, singleAttempt: true });
  return {
    call: (endpoint, input) => api.call(endpoint, once(input)),
    list: (endpoint, input) => api.list(endpoint, once(input)),
    raw: (request) => api.raw(request),
  };
}

/** Whether an error may pass by itself: the service fails, is overloaded, or cannot be reached. */
export function isOutage(error: unknown): error is AmpError {
  return error instanceof AmpError && (error.exit === "service" || error.exit === "timeout");
}

/**
 * Whether a command that waits for changes ends after one look, because it reads a case, in which
 * nothing changes. It says so.
 */
export function endsAfterOneLook({
  environment,
  report,
}: Pick<CommandContext, "environment" | "report">): boolean {
  if (!environment.env[SETTINGS.case.env]) return false;
  report.notice("A case does not change, so amp does not wait. This is the recorded data.");
  return true;
}
