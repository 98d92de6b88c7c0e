import { setTimeout as pause } from "node:timers/promises";
import { AmpError, ServiceError, TimeoutError } from "../../errors.ts";
import { SETTINGS } from "../../settings.ts";
import { workingLine } from "../../values/batches.ts";
import { defined } from "../../values/json.ts";
import { durationText } from "../../values/time.ts";
import { apiErrors } from "../errors.ts";
import type { Api } from "./endpoint.ts";

/** The part of a command's context that a poll uses. */
export interface Polling {
  readonly api: Api;
  readonly environment: { readonly env: Readonly<Record<string, string | undefined>> };
  readonly report: {
    notice(text: string): void;
    warn(text: string): void;
    working(text: string): () => void;
  };
  readonly signal: AbortSignal;
  now(): Date;
}

/** How often and how long a service is asked. Times are in milliseconds. */
export interface Patience<Answer> {
  /** The pauses between answers; the last one is repeated. */
  readonly pauses: readonly number[];
  /** Whether an answer is one after which the pauses begin anew. */
  readonly isNews?: (answer: Answer) => boolean;
  /** The time after which it is over; without it, it lasts until the signal. */
  readonly withinMs?: number;
  /** The maximum number of looks. */
  readonly maxLooks?: number;
  /** Whether a service that is away before its first answer is asked again too. */
  readonly fromStart?: boolean;
  /** What is waited for, for the line on a terminal. */
  readonly waitsFor?: () => string;
  /** Whether the caller itself shows that the service is away. */
  readonly isSilent?: boolean;
}

/** The result of one look at the service. */
export type Look<Answer> = {
  /** The answer of the service, or the last one that it gave. */
  readonly answer: Answer;
  /** The number of looks since the first answer, and the time since the beginning. */
  readonly looks: number;
  readonly waitedMs: number;
  /** Whether no other look follows. */
  readonly isLast: boolean;
} & (Answered | Away);

interface Answered {
  readonly kind: "answer";
  /** Whether the look before this one failed. */
  readonly isBack: boolean;
}

interface Away {
  readonly kind: "away";
  /** Whether the look before this one was answered. */
  readonly isFirst: boolean;
  /** The time of the first look that failed. */
  readonly since: Date;
  readonly reason: string;
  /** The time until the next look. */
  readonly pauseMs: number;
}

/** The longest pause while the service is away; one that is longer anyway stays as it is. */
const LONGEST_AWAY = 30_000;
/** The part by which growing pauses vary, so that several polls do not ask in step. */
const JITTER = 0.2;

/**
 * Reads from the service again and again. Once it has answered, it is asked again where it is away,
 * after growing pauses; every other error ends the poll. A case, in which nothing changes, is read
 * once.
 * @param read reads from this service: for all but the first answer, each request is sent once
 * @param until whether an answer is the last one
 * @throws {TimeoutError} where the service was away all the time
 * @throws the abort of the signal
 */
export async function* poll<Answer>(
  context: Polling,
  read: (api: Api) => Promise<Answer>,
  until: (answer: Answer) => boolean,
  patience: Patience<Answer>,
): AsyncGenerator<Look<Answer>> {
  const { fromStart = false, maxLooks } = patience;
  const once = askedOnce(context.api);
  const wait = beginWait(context, patience);
  let last: { readonly answer: Answer } | undefined;
  try {
    for (let looks = 0; ; ) {
      const isFirst = last === undefined;
      let seen: Answered | Away;
      try {
        last = { answer: await read(isFirst && !fromStart ? context.api : once) };
        seen = wait.answered(last.answer);
      } catch (error) {
        seen = wait.failed(error);
      }
      if (last !== undefined) {
        const { answer } = last;
        looks += 1;
        const isEnough = wait.isOver() || looks === maxLooks;
        const isLast =
          isEnough || (seen.kind === "answer" && (until(answer) || isRecorded(context)));
        yield { ...seen, answer, looks, waitedMs: wait.waitedMs(), isLast };
        if (isLast) return;
      }
      await wait.pause();
    }
  } finally {
    wait.end();
  }
}

/** The items that each look finds, where there are any, until there are to be no more. */
export async function* follow<Item>(
  context: Polling,
  read: (api: Api) => Promise<readonly Item[]>,
  until: () => boolean,
  pauses: readonly number[],
): AsyncGenerator<readonly Item[]> {
  const isNews = (items: readonly Item[]) => items.length > 0;
  for await (const look of poll(context, read, until, { pauses, isNews })) {
    if (look.kind === "answer" && isNews(look.answer)) yield look.answer;
  }
}

/** The last look of a poll that is over by itself. */
export async function lastLook<Answer>(
  looks: AsyncIterable<Look<Answer>>,
  onLook: (look: Look<Answer>) => void = () => {},
): Promise<Look<Answer>> {
  for await (const look of looks) {
    if (look.isLast) return look;
    onLook(look);
  }
  throw new TypeError("the poll has no end");
}

/** Begins the time of a poll, its pauses, and what it says of a service that is away. */
function beginWait<Answer>(
  { report, signal, now }: Polling,
  { pauses, isNews, withinMs, fromStart, waitsFor, isSilent }: Patience<Answer>,
) {
  const begun = performance.now();
  const waitedMs = () => performance.now() - begun;
  const leftMs = () => (withinMs ?? Number.POSITIVE_INFINITY) - waitedMs();
  const line = workingLine(report);
  let hasAnswered = false;
  let quiet = 0;
  let away: { since: Date; reason: string; pauseMs: number } | undefined;
  const ownPause = () => pauses[Math.min(quiet, pauses.length - 1)] ?? 0;
  return {
    waitedMs,
    isOver: () => leftMs() <= 0,
    answered: (answer: Answer): Answered => {
      const isBack = away !== undefined;
      if (isBack && !isSilent) report.notice("The service responds again.");
      if (isBack || !hasAnswered || isNews?.(answer)) quiet = 0;
      hasAnswered = true;
      away = undefined;
      return { kind: "answer", isBack };
    },
    failed: (error: unknown): Away => {
      const passes = hasAnswered ? isOutage(error) : fromStart === true && isAway(error);
      if (signal.aborted || !passes) throw error;
      if (!hasAnswered && leftMs() <= 0) throw neverAnswered(error as AmpError, withinMs ?? 0);
      const { message: reason } = error as AmpError;
      const isFirst = away === undefined;
      if (reason !== away?.reason && !isSilent)
        report.warn(`The service does not respond: ${reason}. Retrying.`);
      const longer = Math.min(LONGEST_AWAY, (away?.pauseMs ?? ownPause() / 2) * 2);
      away = { since: away?.since ?? now(), reason, pauseMs: Math.max(ownPause(), longer) };
      return { kind: "away", isFirst, ...away };
    },
    /** Pauses, but not beyond the time that is left. */
    async pause() {
      const what = hasAnswered ? waitsFor?.() : waitsFor && "the service";
      if (what) line.show(`Waiting up to ${durationText(leftMs())} for ${what}`);
      const isVaried = pauses.length > 1;
      const ms =
        (away?.pauseMs ?? ownPause()) * (isVaried ? 1 + JITTER * (2 * Math.random() - 1) : 1);
      await pause(Math.max(0, Math.min(ms, leftMs())), undefined, { signal });
      quiet += 1;
    },
    /** Takes away the line that says what is waited for. */
    end: line.end,
  };
}

/**
 * Whether a failure before the first answer may pass by itself: an address that is wrong stays so,
 * and so does a refusal. Once the service has answered, `isOutage` is enough.
 */
function isAway(error: unknown): boolean {
  if (error instanceof TimeoutError) return true;
  if (!(error instanceof ServiceError)) return false;
  const { retryable, status } = error.facts;
  return retryable ?? (status === undefined || status === 429 || status >= 500);
}

/** Whether an error may pass by itself: the service fails, is overloaded, or cannot be reached. */
function isOutage(error: unknown): boolean {
  return error instanceof AmpError && (error.exit === "service" || error.exit === "timeout");
}

function neverAnswered({ message, facts }: AmpError, withinMs: number): TimeoutError {
  const { remedy, suggestion, requestId } = facts;
  return apiErrors.answer_never(durationText(withinMs), {
    detail: message,
    ...defined({ remedy, suggestion, requestId }),
  });
}

/** The service for a caller that asks again by itself: each request is sent once. */
function askedOnce(api: Api): Api {
  const once = <Input extends object>(input: Input) => ({ ...input, singleAttempt: true });
  return {
    call: (endpoint, input) => api.call(endpoint, once(input)),
    list: (endpoint, input) => api.list(endpoint, once(input)),
    raw: (request) => api.raw(request),
  };
}

/** Whether a command reads a case, in which nothing changes. Says so. */
function isRecorded({ environment, report }: Polling): boolean {
  if (!environment.env[SETTINGS.case.env]) return false;
  report.notice("A case does not change, so amp does not wait. This is the recorded data.");
  return true;
}
