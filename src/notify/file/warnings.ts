import { destinationProblems } from "../../api/catalogue/destination-problems.ts";
import { DESTINATION_TYPE_NAMES, destinationType } from "../../api/catalogue/destination-types.ts";
import { nearest } from "../../values/nearest.ts";
import { eventWarnings, type NamedKind, nameCheck } from "../model/names.ts";
import type { NewDestination, RoutingModel } from "../model/routing.ts";
import { revealedSecrets } from "../model/secrets.ts";
import { type FileIssues, quoted } from "./issues.ts";
import { offsetOf, type YamlTree } from "./yaml-tree.ts";

/**
 * Warns of values that the live platform would refuse. They are not errors, since another service
 * may accept them, and the platform gets new types.
 */
export function warnOfRouting(model: RoutingModel, tree: YamlTree, issues: FileIssues): void {
  const warn = (path: readonly PropertyKey[], message: string, isKey = false) =>
    issues.warn(offsetOf(tree, path, isKey), message);
  for (const [name, part] of model.destinations) {
    if (part.kind !== "new") continue;
    const at = ["destinations", name];
    warnOfName("destination", name, (message) => warn(at, message, true));
    for (const { path, message } of contentWarnings(part)) {
      warn([...at, ...path], `destination ${quoted(name)}: ${message}`);
    }
  }
  for (const [name, { id, events }] of model.topics) {
    const at = ["topics", name];
    if (id === undefined) warnOfName("topic", name, (message) => warn(at, message, true));
    for (const [position, event] of events.entries()) {
      for (const message of eventWarnings([event])) warn([...at, "events", position], message);
    }
  }
}

function warnOfName(kind: NamedKind, name: string, warn: (message: string) => void): void {
  const problem = nameCheck(kind, [])(name);
  if (problem !== true) warn(`the ${kind} name ${quoted(name)} may be refused: ${problem}`);
}

function contentWarnings({ type, metadata, secrets }: NewDestination) {
  if (destinationType(type) === undefined) {
    const near = nearest(type, DESTINATION_TYPE_NAMES);
    const message = `unknown type ${quoted(type)}: did you mean ${near}? It is sent as it is.`;
    return near === undefined ? [] : [{ path: ["type"], message }];
  }
  const content = { metadata, secrets: revealedSecrets(secrets) };
  return destinationProblems(type, content).map((problem) => {
    const { part, name, detail, missing } = problem;
    const kind = part === "secrets" ? "secret" : part;
    const needed = missing?.map((field) => `${field.name} (${field.hint})`).join(" or ");
    const message = needed ? `type ${type} needs ${kind} ${needed}` : `${kind} ${name} ${detail}`;
    return { path: [part, name], message };
  });
}
