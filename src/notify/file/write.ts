import { addressSecrets } from "../../secrets/address.ts";
import type { Secret } from "../../secrets/secret.ts";
import { needsYamlQuotes, SAFE_YAML, safeJson, safeYaml } from "../../values/safe-data.ts";
import {
  isSensitive,
  type Metadata,
  mapTexts,
  referenceAt,
  referenceText,
} from "../model/metadata.ts";
import type { DestinationPart, NewDestination, RoutingModel, TopicPart } from "../model/routing.ts";
import { type Variable, variableNames, writtenMetadata } from "../model/secrets.ts";

const HEADER = ` The notification routing that should exist, by name. Order does not matter.
 Secrets are references: env:NAME or file:PATH.`;

const UNFINISHED = ` The routing of an amp notify setup that did not finish, as it was typed.
 amp notify apply removes this file once everything is in place.`;

const PRIVATE = " Keep this file private: it contains secrets.";

/**
 * Whether the file of a routing has literal values that work like a password: parts of URLs that
 * look like tokens.
 */
export function isPrivate({ destinations }: RoutingModel): boolean {
  let found = false;
  for (const part of destinations.values()) {
    if (part.kind === "existing") continue;
    mapTexts(part.metadata, (text, path) => {
      const isReference = referenceAt(part.references, path, text) !== undefined;
      const isCredential = isSensitive(part.type, path, text);
      if (!isReference && !isCredential && addressSecrets(text).length > 0) found = true;
    });
  }
  return found;
}

/**
 * Writes the routing as a file: as YAML, and as JSON, which has no comments. Typed secrets and
 * credentials in the metadata become variables, named in the header.
 * @param options `remarks`: further lines of the header; `literal` keeps typed secrets and
 * credentials as they are, for the file of a setup that may not finish
 */
export async function routingFileTexts(
  model: RoutingModel,
  {
    project,
    remarks = [],
    literal = false,
  }: {
    readonly project?: string | undefined;
    readonly remarks?: readonly string[];
    readonly literal?: boolean;
  } = {},
): Promise<{ text: string; json(indent?: number): string; variables: readonly string[] }> {
  const { Document, isScalar, visit } = await import("yaml");
  const variables = variableNames();
  const needed = new Set<string>();
  const variable: Variable = (...parts) => {
    const name = variables(...parts);
    needed.add(name);
    return name;
  };
  const destinations = mapped(model.destinations, (part, name) =>
    destinationNode(part, {
      reference: (key, secret) => {
        if (secret.reference) return referenceText(secret.reference);
        return literal ? secret.reveal() : `env:${variable(name, key)}`;
      },
      metadata: (part) => writtenMetadata(name, part, variable, literal),
    }),
  );
  const document = new Document({
    version: 1,
    name: model.name,
    project,
    destinations,
    topics: mapped(model.topics, topicNode),
  });
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
  const notes = [...[...needed].map((name) => `${name} must be set.`), ...remarks];
  document.commentBefore = [
    ...(literal || isPrivate(model) ? [PRIVATE] : []),
    literal ? UNFINISHED : HEADER,
    ...notes.map((note) => ` ${note}`),
  ].join("\n");
  // Comments are escaped too: they repeat names of the service.
  return {
    text: safeYaml(document.toString(SAFE_YAML)),
    json: (indent) => `${safeJson(JSON.stringify(document, undefined, indent))}\n`,
    variables: [...needed],
  };
}

function destinationNode(
  part: DestinationPart,
  write: {
    reference(key: string, secret: Secret): string;
    metadata(part: NewDestination): Metadata;
  },
) {
  if (part.kind === "existing") return { id: part.id };
  const secrets = mapped(new Map(Object.entries(part.secrets)), (one, key) =>
    write.reference(key, one),
  );
  return {
    type: part.type,
    metadata: write.metadata(part),
    secrets: secrets.size === 0 ? undefined : secrets,
    "renamed-from": part.renamedFrom,
  };
}

function topicNode({ id, renamedFrom, events, destinations }: TopicPart) {
  return {
    id,
    "renamed-from": renamedFrom,
    events: [...new Set(events)],
    destinations: [...new Set(destinations)],
  };
}

/** Maps keep any name, also `__proto__`; objects would not. */
function mapped<Value, Result>(
  map: ReadonlyMap<string, Value>,
  change: (value: Value, key: string) => Result,
): Map<string, Result> {
  return new Map([...map].map(([key, value]) => [key, change(value, key)]));
}
