import { invalidInput, Refusal, type RefusedInput } from "./problem.ts";
import type { Store } from "./store.ts";
import type { WorldProject } from "./world.ts";

/** What an operation is given of its request. */
export interface OperationCall {
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
export interface OperationResult {
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
  readonly handle: (call: OperationCall) => OperationResult | Promise<OperationResult>;
}

/** 200 with a body. */
export function okResult(body: unknown): OperationResult {
  return { status: 200, body };
}

/** 201 with the new record. */
export function createdResult(body: unknown): OperationResult {
  return { status: 201, body };
}

/** 204. */
export const NO_CONTENT: OperationResult = { status: 204 };

/** @throws {Refusal} 404 where there is none, 422 where it is no name at all */
export function projectOf(call: OperationCall): WorldProject {
  const value = call.param("projectIdOrName");
  if (value.trim() === "" || /\p{Cc}/u.test(value)) {
    const detail = "must not be blank or hold control characters";
    throw invalidInput([{ in: "path", name: "projectIdOrName", value, detail }]);
  }
  const { projects } = call.store.world;
  return (
    // An id first: a project may not hide another by taking its id as a name.
    projects.find(({ id }) => id === value) ??
    projects.find(({ name }) => name === value) ??
    throwNotFound("project", value)
  );
}

/** @throws {Refusal} always: 404 */
export function throwNotFound(what: string, id: string): never {
  throw new Refusal("not-found", `There is no ${what} ${JSON.stringify(id)}.`, {
    context: { resource: what, id },
  });
}

/**
 * The query parameters of these names that are given.
 * @throws {Refusal} 422 for those that are empty or given twice
 */
export function queryFilters<Name extends string>(
  call: OperationCall,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  const issues: RefusedInput[] = [];
  for (const name of names) {
    const values = call.queries(name);
    const [value] = values;
    if (value === undefined) continue;
    if (values.length > 1) {
      issues.push({ in: "query", name, value: values, detail: "must be given once" });
    } else if (value === "") {
      issues.push({ in: "query", name, value, detail: "must not be empty" });
    }
    given[name] = value;
  }
  if (issues.length > 0) throw invalidInput(issues);
  return given;
}

/** Whether a record has all values that are asked for. */
export function hasValues(
  record: object,
  wanted: Readonly<Record<string, string | undefined>>,
): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => (record as Readonly<Record<string, unknown>>)[name] === value,
  );
}
