import type { Secret } from "../../secrets/secret.ts";
import { needsYamlQuotes, SAFE_YAML, safeJson, safeYaml } from "../../values/safe-data.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model/routing.ts";
import { variableNames } from "../model/secrets.ts";

const HEADER = ` The notification routing that should exist, by name. Order does not matter.
 Secrets are references: env:NAME or file:PATH.`;

/**
 * Writes the routing as a file (YAML). A typed secret becomes a variable, named in the header.
 * @param remarks further lines of the header
 */
export async function routingFileText(
  model: RoutingModel,
  project?: string,
  remarks: readonly string[] = [],
): Promise<string> {
  return (await routingFileTexts(model, project, remarks)).text;
}

/** The file as YAML, and as JSON, which has no comments. */
export async function routingFileTexts(
  model: RoutingModel,
  project: string | undefined,
  remarks: readonly string[],
): Promise<{ readonly text: string; json(indent?: number): string }> {
  const { Document, isScalar, visit } = await import("yaml");
  const variables = variableNames();
  const needed: string[] = [];
  const reference = (destination: string, name: string, secret: Secret) => {
    if (secret.reference?.from === "file") return `file:${secret.reference.path}`;
    if (secret.reference) return `env:${secret.reference.name}`;
    const variable = variables(destination, name);
    needed.push(variable);
    return `env:${variable}`;
  };
  const destinations = mapped(model.destinations, (part, name) =>
    destinationNode(part, (key, secret) => reference(name, key, secret)),
  );
  // Maps keep any name, also `__proto__`; objects would not.
  const document = new Document(
    new Map<string, unknown>([
      ["version", 1],
      ...(project === undefined ? [] : [["project", project] as const]),
      ["destinations", destinations],
      ["topics", mapped(model.topics, topicNode)],
    ]),
  );
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === "string" && needsYamlQuotes(scalar.value)) {
        scalar.type = "QUOTE_DOUBLE";
      }
    },
    // A key such as `<<` would be a merge key without quotes.
    Pair: (_key, { key }) => {
      if (isScalar(key) && key.value === "<<") key.type = "QUOTE_DOUBLE";
    },
  });
  const notes = [...needed.map((name) => `${name} must be set.`), ...remarks];
  document.commentBefore = [HEADER, ...notes.map((note) => ` ${note}`)].join("\n");
  // Comments are escaped too: they repeat names of the service.
  return {
    text: safeYaml(document.toString(SAFE_YAML)),
    json: (indent) => `${safeJson(JSON.stringify(document, undefined, indent))}\n`,
  };
}

function destinationNode(
  part: DestinationPart,
  reference: (key: string, secret: Secret) => string,
): Map<string, unknown> {
  if (part.kind === "existing") return new Map([["id", part.id]]);
  const secrets = mapped(new Map(Object.entries(part.secrets)), (one, key) => reference(key, one));
  return new Map<string, unknown>([
    ["type", part.type],
    ["metadata", part.metadata],
    ...(secrets.size === 0 ? [] : [["secrets", secrets] as const]),
  ]);
}

function topicNode({ id, events, destinations }: TopicPart): Map<string, unknown> {
  return new Map<string, unknown>([
    ...(id === undefined ? [] : [["id", id] as const]),
    ["events", [...new Set(events)]],
    ["destinations", [...new Set(destinations)]],
  ]);
}

function mapped<Value, Result>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value, key: string) => Result,
): Map<string, Result> {
  return new Map([...map].map(([key, value]) => [key, change(value, key)]));
}
