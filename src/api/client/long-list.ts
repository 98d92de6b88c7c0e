import { AmpError, ServiceError, TimeoutError } from "../../errors.ts";
import { whenAborted } from "../../runtime/end-process.ts";
import { redactFacts } from "../../secrets/secret.ts";
import { type HttpAnswer, type OpenBody, OversizeError } from "../answer/answer.ts";
import {
  answerFacts,
  type CheckedAnswer,
  checkedRecords,
  type LoadedCheck,
} from "../answer/check.ts";
import { JsonArrayError, recordsOf } from "../answer/json-array.ts";
import type { RequestInfo } from "../request/request-info.ts";
import type { ClientOptions } from "./client-options.ts";
import { interruptedError, requestError, timeoutRemedy } from "./request-failure.ts";

/**
 * The number of bytes up to which a list is read as a whole. Only such a list can be requested
 * again when it is cut off, and refused before any of it was shown.
 */
export const WHOLE_LIST = 256 * 1024;

type Options = Pick<ClientOptions, "signal" | "timeoutMs">;

/**
 * The records of a list that is too long for the memory, checked and redacted as they arrive.
 * @param recordsBefore the number of records on earlier pages
 * @throws {ServiceError} if the rest does not arrive, or is not JSON; earlier records were yielded
 */
export async function* longList(
  checked: CheckedAnswer & { readonly answer: HttpAnswer & { readonly open: OpenBody } },
  check: LoadedCheck,
  options: Options,
  recordsBefore: number,
): AsyncGenerator<readonly unknown[]> {
  const { answer, info } = checked;
  let before = recordsBefore;
  try {
    const sizes = { maxRecord: answer.open.limits.single };
    for await (const batch of recordsOf(chunksOf(answer, info, options), sizes)) {
      yield await checkedRecords(checked, batch, check, before);
      before += batch.length;
    }
  } catch (error) {
    if (!(error instanceof JsonArrayError)) throw error;
    throw new ServiceError(
      `Could not ${info.does}: the response ${error.message}`,
      answerFacts(answer, info),
      { cause: error },
    );
  }
}

/** The batches of a long list, whose reader may have nothing to show until the last has come. */
export async function* arriving<Batch extends readonly unknown[]>(
  batches: AsyncIterable<Batch>,
  { does }: Pick<RequestInfo, "does">,
  { baseUrl, onWait = () => () => {} }: Pick<ClientOptions, "baseUrl" | "onWait">,
): AsyncGenerator<Batch> {
  const { host } = new URL(baseUrl);
  let received = 0;
  let end = onWait({ does, host, received });
  try {
    for await (const batch of batches) {
      yield batch;
      received += batch.length;
      // The new wait begins before the old one ends, so that the line that shows it stays.
      const next = onWait({ does, host, received });
      end();
      end = next;
    }
  } catch (error) {
    throw redactError(error);
  } finally {
    end();
  }
}

/** Redacts an error of the service, which may echo a secret. */
export function redactError(error: unknown): unknown {
  return error instanceof AmpError ? error.setFacts(redactFacts(error.facts)) : error;
}

/** All bytes of the body. The time-out limits each wait, because the reader sets the speed. */
async function* chunksOf(
  { headers, open: { head, reader, limits } }: { headers: Headers; open: OpenBody },
  info: RequestInfo,
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
      const { value } = await inTime(reader.read(), signal, timeoutMs, info);
      if (!value) return;
      size += value.byteLength;
      if (size > limits.stream) throw new OversizeError(limits.stream);
      yield value;
    }
  } catch (error) {
    if (signal.aborted) throw interruptedError(info, signal.reason, { head: { headers } });
    if (error instanceof AmpError) throw error;
    const known = { head: { headers }, outcome: "lost", attempts: 1, timeoutMs } as const;
    throw requestError(info, error, known);
  } finally {
    // A failed body cannot be cancelled any more.
    await reader.cancel().catch(() => {});
  }
}

async function inTime<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
  timeoutMs: number,
  info: RequestInfo,
): Promise<Result> {
  const left = Promise.withResolvers<never>();
  const abort = () => left.reject(signal.reason);
  const late = () =>
    left.reject(
      new TimeoutError(`${info.host} sent nothing more within ${timeoutMs / 1000} s`, {
        remedy: timeoutRemedy(info),
      }),
    );
  const timer = setTimeout(late, timeoutMs);
  whenAborted(signal, abort);
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
