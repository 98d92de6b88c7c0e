import type { PlatformEvents } from "./events/platform-events.ts";
import { invalidInput, Refusal, type RefusedInput } from "./problem.ts";
import type { Store } from "./store.ts";
import type { WorldProject } from "./world.ts";

/** The request that an operation handles, and its context. */
export interface OperationCall {
  /** Returns a parameter of the operation's path, decoded. */
  param(name: string): string;
  queries(name: string): readonly string[];
  /**
   * Returns the parsed body.
   * @throws {Refusal} unless the body is JSON
   */
  body(): Promise<unknown>;
  readonly store: Store;
  readonly events: PlatformEvents;
  /** The scheme, host and port by which the client reached the sandbox. */
  readonly origin: string;
  /** The providers by name, as the catalogue has them. */
  readonly catalogue: ReadonlyMap<string, unknown>;
  readonly now: () => Date;
  readonly specOnly: boolean;
  readonly uniqueNames: boolean;
  /** Names and event types that no rule applies to, since another service has them. */
  readonly foreignNames: ReadonlySet<unknown>;
}

/**
 * Returns the body of the response; a DELETE has none.
 * @throws {Refusal}
 */
type Handle = (call: OperationCall) => unknown;

/**
 * The method and the path below the base path, with `{parameters}`. It is written here a second
 * time, apart from the client's, on purpose: a mistake in either one shows as a 404 in the tests.
 */
type Route = `${"GET" | "POST" | "PATCH" | "DELETE"} /${string}`;

/** One operation of the platform. */
export interface Operation {
  /** The part of the platform, for problem documents. */
  readonly subsystem: string;
  readonly route: Route;
  readonly handle: Handle;
  /** The document that specifies it; with `specOnly`, those of `platform` do not exist. */
  readonly source: "spec" | "platform";
  /** Whether it needs no credential, and ignores one. */
  readonly isPublic?: true;
}

/** An operation that spec.md has. */
export function spec(subsystem: string, route: Route, handle: Handle): Operation {
  return { subsystem, route, handle, source: "spec" };
}

/** An operation that only the platform has, or only a sandbox. */
export function platform(subsystem: string, route: Route, handle: Handle): Operation {
  return { subsystem, route, handle, source: "platform" };
}

/** The project that the path of a call names, see {@link projectNamed}. */
export function projectOf(call: OperationCall): WorldProject {
  return projectNamed(call, call.param("projectIdOrName"));
}

/**
 * The project that a text names.
 * @throws {Refusal} 404 where there is no such project, 422 where the name is not valid
 */
export function projectNamed({ store }: Pick<OperationCall, "store">, value: string): WorldProject {
  if (value.trim() === "" || /\p{Cc}/u.test(value)) {
    const detail = "must not be blank or have control characters";
    throw invalidInput([{ in: "path", name: "projectIdOrName", value, detail }]);
  }
  const { projects } = store.world;
  return (
    // The ID has precedence: a project must not hide another whose ID it has as its name.
    projects.find(({ id }) => id === value) ??
    projects.find(({ name }) => name === value) ??
    throwNotFound("project", value)
  );
}

/** Selects the records of the project of a call. */
export function ofProject<Each extends { readonly projectId: string }>(
  call: OperationCall,
  records: readonly Each[],
): Each[] {
  const { id } = projectOf(call);
  return records.filter(({ projectId }) => projectId === id);
}

/**
 * Returns the record of the call's project that the path names, by its ID or by another key.
 * @throws {Refusal} 404 where there is none
 */
export function recordInPath<Each extends { readonly projectId: string }>(
  call: OperationCall,
  noun: string,
  records: readonly Each[],
  key: "id" | "name" = "id",
): Each {
  const wanted = { [key]: call.param(key), projectId: projectOf(call).id };
  return records.find((each) => hasValues(each, wanted)) ?? throwNotFound(noun, call.param(key));
}

/** @throws {Refusal} always: 404 */
export function throwNotFound(noun: string, id: string): never {
  throw new Refusal("not-found", `There is no ${noun} ${JSON.stringify(id)}.`, {
    context: { resource: noun, id },
  });
}

/**
 * Reads the query parameters of these names, as far as they are given.
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

/**
 * Reads a query parameter that is a whole number.
 * @throws {Refusal} 422 where it is another one
 */
export function wholeNumber(
  name: string,
  value: string | undefined,
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  if (value === undefined) return undefined;
  const number = /^\d{1,15}$/u.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  const limit = most === Number.MAX_SAFE_INTEGER ? "" : ` to ${most}`;
  const detail = `must be a number from ${least}${limit}`;
  throw invalidInput([{ in: "query", name, value, detail }]);
}

/** Whether a record has all of these values. */
export function hasValues(
  record: object,
  wanted: Readonly<Record<string, string | undefined>>,
): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => (record as Readonly<Record<string, unknown>>)[name] === value,
  );
}
