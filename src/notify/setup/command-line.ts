import type { Secret } from "../../secrets/secret.ts";
import { type ShellWord, shellLine } from "../../values/shell.ts";
import { metadataArguments, type Variable } from "../model/destination-input.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model/routing.ts";
import { type Secrets, variableNames } from "../model/secrets.ts";

/** The command line that sets up a routing without questions. */
export interface SetupCommand {
  /** For a POSIX shell, on one line. */
  readonly line: string;
  /** The variables that it names for secrets: they must be set first. */
  readonly variables: readonly string[];
}

/**
 * The `amp notify setup` that creates this routing; `undefined` for more than one topic or
 * destination. It holds no secret: a value without a reference becomes a variable.
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
  const line = shellLine([
    "amp",
    "notify",
    "setup",
    ...destinationWords(...destination, variable),
    ...topicWords(...topic),
    "--yes",
  ]);
  return { line, variables: [...variables] };
}

function destinationWords(name: string, part: DestinationPart, variable: Variable): ShellWord[] {
  if (part.kind === "existing") return ["--destination-id", part.id];
  return [
    "--destination-name",
    name,
    "--destination-type",
    part.type,
    ...metadataArguments(name, part, variable),
    ...secretWords(name, part.secrets, variable),
  ];
}

function secretWords(destination: string, secrets: Secrets, variable: Variable): ShellWord[] {
  return Object.entries(secrets).flatMap(([name, secret]) => [
    "--secret",
    `${name}=${source(secret, () => variable(destination, name))}`,
  ]);
}

function source({ reference }: Secret, variable: () => string): string {
  if (reference?.from === "file") return `@${reference.path}`;
  return `env:${reference?.name ?? variable()}`;
}

function topicWords(name: string, { id, events }: TopicPart): ShellWord[] {
  return [
    ...(id === undefined ? ["--topic", name] : ["--topic-id", id]),
    ...[...new Set(events)].flatMap((event) => ["--event", event]),
  ];
}
