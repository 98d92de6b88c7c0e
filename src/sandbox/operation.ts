import type { Store } from "./store.ts";

/** What an operation is given of its request. */
export interface Call {
  /** A parameter of the operation's path, decoded. */
  param(name: string): string;
  /** All values of a query parameter. */
  queries(name: string): readonly string[];
  /** @throws {Refusal} where the body is no JSON */
  body(): Promise<unknown>;
  readonly store: Store;
  /** The providers by name, as the catalogue has them. */
  readonly catalogue: ReadonlyMap<string, unknown>;
  readonly now: () => Date;
  /** The platform does no more than spec.md says. */
  readonly specOnly: boolean;
  /** Names are unique in their project. */
  readonly uniqueNames: boolean;
}

/** A success; without a body where there is nothing to tell. */
export interface Answer {
  readonly status: 200 | 201 | 204;
  readonly body?: unknown;
}

/**
 * One operation of the platform. Its path is written down here a second time, apart from the
 * client's, on purpose: a mistake in one of them shows as a 404 in the tests.
 */
export interface Operation {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below the base path, with `{names}`. */
  readonly path: string;
  /** Where it is specified; one of the `platform` is unknown to a sandbox of the spec only. */
  readonly source: "spec" | "platform";
  /** `none`: answers whatever the request presents. */
  readonly credential: "required" | "none";
  /** The part of the platform that a problem of it names. */
  readonly subsystem: string;
  /** @throws {Refusal} */
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

/** 200 with a body. */
export function found(body: unknown): Answer {
  return { status: 200, body };
}

/** 201 with the new record. */
export function created(body: unknown): Answer {
  return { status: 201, body };
}

/** 204. */
export const gone: Answer = { status: 204 };
