import type { Call } from "./operation.ts";
import { type Issue, invalidInput, Refusal } from "./refusal.ts";
import type { WorldProject } from "./world.ts";

/** @throws {Refusal} 404 where there is none, 422 where it is no name at all */
export function projectOf(call: Call): WorldProject {
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
    missing("project", value)
  );
}

/** @throws {Refusal} always: 404 */
export function missing(what: string, id: string): never {
  throw new Refusal("not-found", `There is no ${what} ${JSON.stringify(id)}.`, {
    context: { resource: what, id },
  });
}

/**
 * The query parameters of these names that are given.
 * @throws {Refusal} 422 for those that are empty or given twice
 */
export function filters<Name extends string>(
  call: Call,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given: Partial<Record<Name, string>> = {};
  const issues: Issue[] = [];
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
export function matches(
  record: object,
  wanted: Readonly<Record<string, string | undefined>>,
): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => (record as Readonly<Record<string, unknown>>)[name] === value,
  );
}
