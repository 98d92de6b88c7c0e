import { setTimeout as pause } from "node:timers/promises";
import { type AmpError, ServiceError } from "../../errors.ts";
import type { SendOptions, Sent } from "./send.ts";

/** What an answer means: the end of it, or an error, after which to send again or not. */
export type Verdict<Result> =
  | { readonly done: Result }
  | { readonly error: AmpError; readonly again: boolean };

/** A request whose effect is the same however often it is sent. */
export interface Insistence<Result> {
  send(): Promise<Sent>;
  judge(answer: Sent): Verdict<Result> | Promise<Verdict<Result>>;
  /** Asked once an answer is missing: whether it had its effect. Undefined, or an error, for no. */
  look?(): Promise<Result | undefined>;
}

const ATTEMPTS = 3;
const BACKOFF_MS = 250;

/**
 * Sends until it is known what became of it, three times at the most. After a lost answer it looks
 * first, for a server may refuse the second of two equal requests.
 * @throws {AmpError} the last error
 */
export async function insist<Result>(
  { send, judge, look }: Insistence<Result>,
  { backoffMs = BACKOFF_MS }: SendOptions,
): Promise<Result> {
  let doubt = false;
  for (let attempt = 1; ; attempt += 1) {
    const verdict = await send().then(judge, unanswered);
    if ("done" in verdict) return verdict.done;
    doubt ||= verdict.again;
    const found = doubt ? await look?.().catch(() => undefined) : undefined;
    if (found !== undefined) return found;
    if (!verdict.again || attempt === ATTEMPTS) throw verdict.error;
    await pause(Math.random() * backoffMs * 2 ** attempt);
  }
}

function unanswered(error: unknown): Verdict<never> {
  if (!(error instanceof ServiceError)) throw error;
  return { error, again: error.facts.retryable !== false };
}
