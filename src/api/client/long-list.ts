import type { ZodMiniType } from "zod/mini";
import { AmpError, ServiceError, TimeoutError } from "../../errors.ts";
import { redactAnswer } from "../../secrets/answer.ts";
import { type HttpAnswer, type OpenBody, OversizeError } from "../answer/answer.ts";
import { answerFacts, checkedRecords } from "../answer/check.ts";
import { JsonArrayError, recordsOf } from "../answer/json-array.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { ClientOptions } from "./client-options.ts";
import { interruptedError, requestError } from "./request-failure.ts";

/**
 * Bytes up to which a list is read as a whole: only then can it be sent for again where it breaks
 * off, and be refused before any of it was shown.
 */
export const WHOLE_LIST = 256 * 1024;

type Options = Pick<ClientOptions, "signal" | "timeoutMs">;

/**
 * The records of a list that is too long to be held, checked and redacted as they come.
 * @throws {ServiceError} where one is not as specified or no JSON, or the rest does not come; those
 *   before it were yielded
 */
export async function* longList(
  answer: HttpAnswer & { readonly open: OpenBody },
  schema: ZodMiniType,
  call: RequestInfo,
  options: Options,
): AsyncGenerator<readonly unknown[]> {
  let before = 0;
  try {
    for await (const batch of recordsOf(chunksOf(answer, call, options))) {
      const { good, error } = checkedRecords({ answer, call }, batch, schema, before);
      if (good.length > 0) yield redactAnswer(good);
      if (error) throw error;
      before += batch.length;
    }
  } catch (error) {
    if (!(error instanceof JsonArrayError)) throw error;
    throw new ServiceError(
      `Could not ${call.does}: the answer ${error.message}`,
      answerFacts(answer, call),
      {
        cause: error,
      },
    );
  }
}

/** The bytes from the first. The time-out is for each wait: how fast they are read is the reader's. */
async function* chunksOf(
  { headers, open: { head, reader, limit } }: { headers: Headers; open: OpenBody },
  call: RequestInfo,
  { signal, timeoutMs }: Options,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for (const chunk of head) {
      size += chunk.byteLength;
      yield chunk;
    }
    for (;;) {
      signal.throwIfAborted();
      const { value } = await inTime(reader.read(), signal, timeoutMs, call);
      if (!value) return;
      size += value.byteLength;
      if (size > limit) throw new OversizeError(limit);
      yield value;
    }
  } catch (error) {
    if (signal.aborted) throw interruptedError(call, signal.reason, { head: { headers } });
    if (error instanceof AmpError) throw error;
    const known = { head: { headers }, outcome: "lost", attempts: 1, timeoutMs } as const;
    throw requestError(call, error, known);
  } finally {
    // A body that failed cannot be cancelled any more.
    await reader.cancel().catch(() => {});
  }
}

async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  timeoutMs: number,
  call: RequestInfo,
): Promise<Result> {
  const left = Promise.withResolvers<never>();
  const abort = () => left.reject(signal.reason);
  const late = () =>
    left.reject(
      new TimeoutError(`Nothing more came from ${call.host} within ${timeoutMs / 1000} s`, {
        remedy: "A longer wait is set with --timeout, for example --timeout 2m.",
      }),
    );
  const timer = setTimeout(late, timeoutMs);
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
