import type { ZodMiniType } from "zod/mini";

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
  readonly once?: boolean;
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
