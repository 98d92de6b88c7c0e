import type { Secret } from "../../secrets/secret.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { metadataOptions, type Variable } from "../model/destination-input.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model/routing.ts";
import { variableNames } from "../model/secrets.ts";

/** The command line that sets up a routing without questions. */
export interface SetupCommand {
  readonly command: SuggestedCommand;
  /** The variables that the command reads secrets from: they must be set first. */
  readonly variables: readonly string[];
}

/**
 * The `amp notify setup` that creates this routing; `undefined` for more than one topic or
 * destination. The command contains no secret: a value without a reference becomes a variable.
 */
export function setupCommand({ destinations, topics }: RoutingModel): SetupCommand | undefined {
  const [destination, ...furtherDestinations] = destinations;
  const [topic, ...furtherTopics] = topics;
  if (!destination || !topic || furtherDestinations.length + furtherTopics.length > 0) {
    return undefined;
  }
  const variables = new Set<string>();
  const nameOf = variableNames();
  const variable: Variable = (...parts) => {
    const name = nameOf(...parts);
    variables.add(name);
    return name;
  };
  const command = suggest("notify setup", [], {
    ...destinationOptions(...destination, variable),
    ...topicOptions(...topic),
    yes: true,
  });
  return { command, variables: [...variables] };
}

function destinationOptions(name: string, part: DestinationPart, variable: Variable) {
  if (part.kind === "existing") return { destinationId: part.id };
  return {
    destinationName: name,
    destinationType: part.type,
    ...metadataOptions(name, part, variable),
    secret: Object.entries(part.secrets).map(
      ([key, secret]) => `${key}=${source(secret, () => variable(name, key))}`,
    ),
  };
}

function source({ reference }: Secret, variable: () => string): string {
  if (reference?.from === "file") return `@${reference.path}`;
  return `env:${reference?.name ?? variable()}`;
}

function topicOptions(name: string, { id, events }: TopicPart) {
  return { ...(id === undefined ? { topic: name } : { topicId: id }), event: [...new Set(events)] };
}
