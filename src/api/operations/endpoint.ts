import type { ZodMiniType } from "zod/mini";
import type { AmpError } from "../../errors.ts";

/** The names in the braces of a path template. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** An operation of the service. Schemas are loaded with a call, so that help does not need them. */
export interface Endpoint<
  Path extends string = string,
  Query extends string = string,
  Body = unknown,
  Answer = unknown,
> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  /** The path relative to the base URL, with `{names}`. */
  readonly path: Path;
  /** The operation as the middle of a sentence: "list the provider apps". */
  readonly does: string;
  readonly query?: readonly Query[];
  /** The schema of the request; absent if it has no body. */
  readonly body?: () => Promise<ZodMiniType<Body>>;
  /** The schema of the answer; absent if any 2xx, with or without a body, is a success. */
  readonly answer?: () => Promise<ZodMiniType<Answer>>;
  /** The kind of record that is created, for example "topic": the answer must have an ID. */
  readonly creates?: string;
  /**
   * The words and remedy of an operation that a service may lack: the client then throws
   * `operation_missing`, "This service does not …".
   */
  readonly optional?: { readonly does: string; readonly remedy?: string };
  /** Whether a request is not sent again once it may have taken effect, as POST and PATCH. */
  readonly notRepeatable?: boolean;
  /**
   * Whether the answer has a secret that the user asked for, or that an update must repeat: it is
   * not redacted, and must reach nothing but standard output or that request.
   */
  readonly reveals?: boolean;
  /**
   * Whether the texts of the answer are compared with what was sent: the secrets that they quote
   * are redacted where they are shown.
   */
  readonly keepsTexts?: boolean;
  /** What the names of a list are of, which completion then offers. */
  readonly shows?: "project" | "integration" | "customer" | "destination" | "topic";
  /** Whether another request is what matters: that this one is sent again is not said. */
  readonly isAside?: boolean;
  /** Called for a list with the records of several projects; absent: that is an error. */
  readonly onForeign?: (detail: string) => void;
  /** Whether the operation may be at a host of its own, which `read-base-url` names. */
  readonly onReadHost?: boolean;
  /** `optional` if the operation works without a credential; absent if it requires one. */
  readonly credential?: "optional";
}

/** The input of a call. */
export type CallInput<E> =
  E extends Endpoint<infer Path, infer Query, infer Body, unknown>
    ? ([PathNames<Path>] extends [never]
        ? { path?: never }
        : { path: Record<PathNames<Path>, string> }) &
        ([Query] extends [never]
          ? { query?: never }
          : { query?: Partial<Record<Query, string | undefined>> }) &
        (unknown extends Body ? { body?: never } : { body: Body } & WriteInput)
    : never;

/** The further input of a create or update. */
export interface WriteInput {
  /** The Idempotency-Key, equal for each attempt at one write. Most servers ignore it. */
  readonly idempotencyKey?: string;
  /**
   * A replacement for the client's signal: an interrupted write would leave its outcome unknown.
   */
  readonly signal?: AbortSignal;
  /**
   * Whether the caller retries the request itself, because it saves an intent before each attempt.
   */
  readonly singleAttempt?: boolean;
  /** Called with the service's request ID, if the answer is a success and has one. */
  readonly onRequestId?: (requestId: string) => void;
}

/** The answer of a call. */
// biome-ignore lint/suspicious/noExplicitAny: the schema's type is invariant in the body, so only any admits every one
export type AnswerOf<E> = E extends Endpoint<string, string, any, infer Answer> ? Answer : never;

/** Keeps the literal types of an endpoint. */
export function endpoint<
  const Path extends string,
  const Query extends string = never,
  Body = unknown,
  Answer = unknown,
>(record: Endpoint<Path, Query, Body, Answer>): Endpoint<Path, Query, Body, Answer> {
  return record;
}

/** A request that the user composed (`amp api`). */
export interface RawRequest {
  readonly method: string;
  /** The path relative to the base URL, filled and encoded; may have a query. */
  readonly path: string;
  /** The body, sent as application/json. */
  readonly body?: string | Uint8Array;
}

/** The answer to a raw request, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<[string, string]>;
  /** The bytes as they arrive; `null` for an answer without a body. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** The error that the status means; absent for a success. */
  readonly error?: AmpError;
  /** The error with what the body says of it, for a caller that reads the body nowhere else. */
  readonly explained?: () => Promise<AmpError>;
}

/**
 * A list: in memory if it is short, otherwise batches that can be read once. Reading them throws
 * the errors of {@link Api.call}; a reader that stops early ends the download.
 */
export type ListResult<Item> = readonly Item[] | AsyncIterable<readonly Item[]>;

/** The items of a list. */
export type ItemOf<E> = AnswerOf<E> extends readonly (infer Item)[] ? Item : never;

/** The service as commands use it. */
export interface Api {
  /**
   * Calls an operation.
   * @returns the service's answer, unknown fields kept, credentials redacted
   * @throws {AmpError} if it was not a success
   * @throws {PartialError} if it is unknown whether a write took effect
   */
  // biome-ignore lint/suspicious/noExplicitAny: the bound only says "some endpoint"; CallInput and AnswerOf recover its types
  call<E extends Endpoint<any, any, any, any>>(
    endpoint: E,
    input: CallInput<E>,
  ): Promise<AnswerOf<E>>;
  /** Calls an operation that answers a list, which may be too long for the memory. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  list<E extends Endpoint<any, any, any, readonly unknown[]>>(
    endpoint: E,
    input: CallInput<E>,
  ): Promise<ListResult<ItemOf<E>>>;
  /** Sends a raw request; an answer of any status is returned. */
  raw(request: RawRequest): Promise<RawAnswer>;
}
