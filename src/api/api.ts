import type { AnswerOf, CallInput, Endpoint } from "./endpoint.ts";

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
}

/**
 * A list as it comes: at once where it is short, otherwise in batches, to be read once. Reading them
 * throws what {@link Api.call} would; whoever stops before the end breaks the download off.
 */
export type Listed<Item> = readonly Item[] | AsyncIterable<readonly Item[]>;

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
  ): Promise<Listed<ItemOf<E>>>;
  /** Sends a request as it is; an answer of any status is returned, not thrown. */
  raw(request: RawRequest): Promise<RawAnswer>;
}
