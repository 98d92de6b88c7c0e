import type { ZodMiniType } from "zod/mini";
import type { AmpError } from "../../errors.ts";

/** Methods that the service takes. */
export type Method = "GET" | "POST" | "DELETE";

/** The names in the braces of a path template. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/**
 * One operation of the service, as data. Schemas are loaded when a call needs them, so that help
 * never pays for them.
 */
export interface Endpoint<
  Path extends string = string,
  Query extends string = string,
  Body = unknown,
  Answer = unknown,
> {
  readonly method: Method;
  /** Relative to the base URL, with `{names}`. */
  readonly path: Path;
  /** What it does, as the middle of a sentence: "list the provider apps". */
  readonly does: string;
  readonly query?: readonly Query[];
  /** Checks what amp is about to send; absent where there is no body. */
  readonly body?: () => Promise<ZodMiniType<Body>>;
  /** Checks what the service answered; absent where any 2xx, with or without a body, is success. */
  readonly answer?: () => Promise<ZodMiniType<Answer>>;
  /** What a POST creates, for example "topic": its answer must hold an id. */
  readonly creates?: string;
  /**
   * Set where the specification does not require the operation. A service without it makes the
   * client throw `OperationMissingError`: "This service does not …", and what to do instead.
   */
  readonly optional?: { readonly does: string; readonly remedy?: string };
  /** `optional`: sent without a credential where there is none. */
  readonly credential: "required" | "optional";
  /** Where it is specified: a part of spec.md, or the further facts about the live platform. */
  readonly source: string;
}

/** What a call of an endpoint takes. */
export type CallInput<E> =
  E extends Endpoint<infer Path, infer Query, infer Body, unknown>
    ? ([PathNames<Path>] extends [never]
        ? { path?: never }
        : { path: Record<PathNames<Path>, string> }) &
        ([Query] extends [never]
          ? { query?: never }
          : { query?: Partial<Record<Query, string | undefined>> }) &
        (unknown extends Body ? { body?: never } : { body: Body } & CreateInput)
    : never;

/** What a create takes besides. */
export interface CreateInput {
  /** Sent as Idempotency-Key: the same for each attempt at one thing. Most servers ignore it. */
  readonly idempotencyKey?: string;
  /**
   * In place of the client's own: a create that was sent is better waited for than broken off, for
   * its outcome is unknown then.
   */
  readonly signal?: AbortSignal;
  /** The caller sends it again itself, with what has to be noted before. */
  readonly singleAttempt?: boolean;
  /** Told the service's identifier of the request, where the answer is a success and has one. */
  readonly onRequestId?: (requestId: string) => void;
}

/** What a call of an endpoint answers. */
// biome-ignore lint/suspicious/noExplicitAny: the body stands on both sides of the schema's type, so only any admits every one
export type AnswerOf<E> = E extends Endpoint<string, string, any, infer Answer> ? Answer : never;

/** Keeps the literal types of a record; adds nothing. */
export function endpoint<
  const Path extends string,
  const Query extends string = never,
  Body = unknown,
  Answer = unknown,
>(record: Endpoint<Path, Query, Body, Answer>): Endpoint<Path, Query, Body, Answer> {
  return record;
}

/** A request of the user's own making (`amp api`). */
export interface RawRequest {
  readonly method: string;
  /** Relative to the base URL, already filled and encoded; may hold a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What the service answered to a raw request, whatever its status. */
export interface RawAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Iterable<[string, string]>;
  /** The bytes as they come; `null` for an answer without a body. */
  readonly body: ReadableStream<Uint8Array> | null;
  /** The error that the status stands for; absent for a success. */
  readonly error?: AmpError;
}

/**
 * A list as it comes: at once where it is short, otherwise in batches, to be read once. Reading them
 * throws what {@link Api.call} would; whoever stops before the end breaks the download off.
 */
export type ListResult<Item> = readonly Item[] | AsyncIterable<readonly Item[]>;

/** What a list of an endpoint is a list of. */
export type ItemOf<E> = AnswerOf<E> extends readonly (infer Item)[] ? Item : never;

/** The service, as commands see it. */
export interface Api {
  /**
   * Calls an operation: fills the path, sends, checks.
   * @returns the service's answer as it is, unknown fields kept, credentials redacted.
   * @throws {AuthError | NotFoundError | ConflictError | RejectedError | ServiceError} for an
   *   answer that is no success, or none
   * @throws {PartialError} where a create may or may not have happened
   */
  // biome-ignore lint/suspicious/noExplicitAny: the bound only says "some endpoint"; CallInput and AnswerOf recover its types
  call<E extends Endpoint<any, any, any, any>>(
    endpoint: E,
    input: CallInput<E>,
  ): Promise<AnswerOf<E>>;
  /** The same for an operation that answers a list, which may be longer than memory. */
  // biome-ignore lint/suspicious/noExplicitAny: as above
  list<E extends Endpoint<any, any, any, readonly unknown[]>>(
    endpoint: E,
    input: CallInput<E>,
  ): Promise<ListResult<ItemOf<E>>>;
  /** Sends a request as it is; an answer of any status is returned, not thrown. */
  raw(request: RawRequest): Promise<RawAnswer>;
}
