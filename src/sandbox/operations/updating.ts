import { destinationType, UPDATE_FIELDS } from "../../api/catalogue/destination-types.ts";
import { updateDestinationBody, updateTopicBody } from "../../api/schemas/notification.ts";
import { isJsonObject } from "../../values/json.ts";
import {
  assertNameIsFree,
  destinationContentRules,
  destinationNameRules,
  issueInBody,
  parseBody,
  topicNameRules,
} from "../body.ts";
import { type Operation, platform, recordInPath } from "../operation.ts";
import { invalidInput, type RefusedInput } from "../problem.ts";
import { updateRecord } from "../store.ts";
import type { WorldDestination } from "../world.ts";
import { publicDestination } from "./routing.ts";

const subsystem = "notifications";

/** The operations that change a record in place. Routes have none: they are deleted and created. */
export const updateOperations: readonly Operation[] = [
  platform(subsystem, "PATCH /projects/{projectIdOrName}/destinations/{id}", async (call) => {
    const found = recordInPath(call, "destination", call.store.world.destinations);
    const { updateMask, destination } = parseBody(
      updateDestinationBody,
      await call.body(),
      (body) => maskIssues(found.type, body.updateMask),
    );
    return call.store.change((world) => {
      // Another request may have changed or deleted it since.
      const current = recordInPath(call, "destination", world.destinations);
      const changed = masked(current, updateMask, destination);
      const issues = [
        ...(changed.name === undefined ? [issueInBody("name", undefined, "is required")] : []),
        ...destinationNameRules(changed),
        ...destinationContentRules(changed),
      ];
      if (issues.length > 0) throw invalidInput(issues);
      if (call.uniqueNames) {
        const others = world.destinations.filter(({ id }) => id !== current.id);
        assertNameIsFree("destination", others, changed);
      }
      const next = updateRecord(world, "destinations", current.id, changed, call.now());
      return { world: next.world, result: publicDestination(next.result) };
    });
  }),
  platform(subsystem, "PATCH /projects/{projectIdOrName}/topics/{id}", async (call) => {
    recordInPath(call, "topic", call.store.world.topics);
    const { name } = parseBody(updateTopicBody, await call.body(), topicNameRules);
    return call.store.change((world) => {
      const current = recordInPath(call, "topic", world.topics);
      if (call.uniqueNames) {
        const others = world.topics.filter(({ id }) => id !== current.id);
        assertNameIsFree("topic", others, { ...current, name });
      }
      return updateRecord(world, "topics", current.id, { name }, call.now());
    });
  }),
];

/** Checks that each path of a mask is a field that an update of the type may change. */
function maskIssues(type: string, mask: unknown): RefusedInput[] {
  if (!Array.isArray(mask)) return [];
  return mask.flatMap((path: unknown, at) => {
    const problem = pathProblem(type, path);
    return problem === undefined ? [] : issueInBody(`updateMask.${at}`, path, problem);
  });
}

function pathProblem(type: string, path: unknown): string | undefined {
  if (path === "name") return undefined;
  if (path === "type") return "cannot change: create another destination";
  const [, part, field] = /^(metadata|secrets)\.([^.]+)$/u.exec(String(path)) ?? [];
  if (field === undefined) return "must be name, metadata.FIELD or secrets.FIELD";
  const known = destinationType(type);
  if (known === undefined) return undefined;
  const fields = known[part === "secrets" ? "secrets" : "metadata"];
  const further = part === "secrets" ? [] : (UPDATE_FIELDS[type] ?? []);
  const isField = fields.some(({ name }) => name === field) || further.includes(field);
  return isField ? undefined : `is not a field of a ${type} destination`;
}

/** A destination with the fields of a mask replaced; a field that the request omits is removed. */
function masked(
  current: WorldDestination,
  mask: readonly string[],
  given: Readonly<Record<string, unknown>>,
): WorldDestination {
  let changed: Readonly<Record<string, unknown>> = current;
  for (const path of mask) {
    const [part = "", field] = path.split(".");
    const value = given[part];
    if (field === undefined) {
      changed = { ...changed, [part]: value };
      continue;
    }
    const below = isJsonObject(changed[part]) ? changed[part] : {};
    const rest = Object.entries(below).filter(([name]) => name !== field);
    const entry = isJsonObject(value) && Object.hasOwn(value, field) ? value[field] : undefined;
    const entries = entry === undefined ? rest : [...rest, [field, entry] as const];
    changed = { ...changed, [part]: Object.fromEntries(entries) };
  }
  return changed as WorldDestination;
}
