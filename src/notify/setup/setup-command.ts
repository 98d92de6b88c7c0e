import { ConflictError } from "../../errors.ts";
import type { Secret } from "../../secrets/secret.ts";
import {
  type SuggestedCommand,
  type SuggestedOptions,
  suggest,
} from "../../values/suggested-command.ts";
import { metadataOptions } from "../model/destination-input.ts";
import { shortEvents } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import { type Variable, variableNames } from "../model/secrets.ts";
import { commandsFor } from "../plan/conflict-text.ts";
import type { ItemDocument } from "../plan/vocabulary.ts";
import { answersOfModel, type DestinationAnswer } from "./answers.ts";

/** The command line that sets up a routing without questions. */
export interface SetupCommand {
  readonly command: SuggestedCommand;
  /** The variables that the command reads secrets from: they must be set first. */
  readonly variables: readonly string[];
}

/** The sentence about the variables of a {@link SetupCommand}. */
export function setFirst(variables: readonly string[]): string {
  return `Set these variables first: ${variables.join(", ")}`;
}

/**
 * The `amp notify setup` that creates this routing; `undefined` for more than one topic or
 * destination. The command contains no secret: a value without a reference becomes a variable.
 * @param options further options
 */
export function setupCommand(
  model: RoutingModel,
  options: SuggestedOptions = {},
): SetupCommand | undefined {
  const answers = answersOfModel(model);
  if (answers === undefined) return undefined;
  const { destination, topic, events } = answers;
  const variables = new Set<string>();
  const nameOf = variableNames();
  const variable: Variable = (...parts) => {
    const name = nameOf(...parts);
    variables.add(name);
    return name;
  };
  const command = suggest("notify setup", [], {
    ...destinationOptions(destination, variable),
    ...(topic.kind === "new" ? { topic: topic.name } : { topicId: topic.id }),
    event: shortEvents(events),
    ...options,
    yes: true,
  });
  return { command, variables: [...variables] };
}

function destinationOptions(part: DestinationAnswer, variable: Variable) {
  if (part.kind === "existing") return { destinationId: part.id };
  const { name } = part;
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

/** The error of a setup with conflicts: to recreate, it has no file to apply, but its own command. */
export function withRecreate(error: unknown, model: RoutingModel): unknown {
  if (!(error instanceof ConflictError)) return error;
  const conflicts = (error.facts.data?.conflicts ?? []) as readonly ItemDocument[];
  const again = setupCommand(model, { recreate: true })?.command;
  const others = conflicts.filter(({ reason }) => reason !== "not_listed");
  if (again === undefined || others.length === conflicts.length) return error;
  return error.addFacts({ suggestion: [again, ...others.flatMap(commandsFor)] });
}
