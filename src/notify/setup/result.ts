import type { Secret } from "../../secrets/secret.ts";
import { defined } from "../../values/json.ts";
import { changeDisplayCopy } from "../../values/odd-fields.ts";
import {
  type SuggestedCommand,
  type SuggestedOptions,
  suggest,
} from "../../values/suggested-command.ts";
import { type Block, note, type Page } from "../../view/view.ts";
import { metadataOptions } from "../model/destination-input.ts";
import { shortEvents } from "../model/names.ts";
import type { RoutingModel } from "../model/routing.ts";
import { type Variable, variableNames } from "../model/secrets.ts";
import { type ApplyResult, applyPage } from "../pages/apply.ts";
import {
  answersOfModel,
  type DestinationAnswer,
  type SavedFile,
  type SetupDecision,
} from "./answers.ts";

/**
 * The result of `amp notify setup`: the receipt or plan of an apply, and the command to repeat it.
 */
export type SetupResult = ApplyResult &
  Partial<SetupCommand> &
  Partial<SavedFile> & {
    /** The command that prints the signing secret of a new webhook. */
    readonly secretCommand?: SuggestedCommand;
  };

/** A result as its page shows it. */
type ShownResult = SetupResult & {
  /** Whether the typed command repeats the setup, and is not shown again. */
  readonly isTyped?: true;
};

/** The result of a setup, with the commands to type next. */
export function setupResult(
  {
    model,
    isTyped,
    earlier = [],
  }: SetupDecision & { readonly earlier?: readonly unknown[] | undefined },
  applied: ApplyResult,
  saved: SavedFile | undefined,
): SetupResult {
  const command = setupCommand(model);
  const secretCommand = secretStep(model, applied, earlier.length > 0);
  const result: SetupResult = { ...applied, ...command, ...saved, ...defined({ secretCommand }) };
  if (!isTyped || command?.variables.length !== 0) return result;
  return changeDisplayCopy<ShownResult>(result, (one) => ({ ...one, isTyped }));
}

/**
 * The step after the setup of a new webhook: its receiver needs the secret to verify messages.
 * @param isResumed whether an earlier run may have created it
 */
function secretStep(
  { destinations }: RoutingModel,
  applied: ApplyResult,
  isResumed: boolean,
): SuggestedCommand | undefined {
  if ("items" in applied) return undefined;
  const [name, part] = [...destinations][0] ?? [];
  const isWebhook = part?.kind === "new" && part.type === "webhook";
  const made = applied.settled.find(({ address }) => address === `destination/${name}`);
  return name !== undefined && isWebhook && (isResumed || made?.outcome === "created")
    ? suggest("notify destinations secret", [name])
    : undefined;
}

/** The page of apply, with every resource listed, and the command that repeats the setup. */
export function setupPage(result: ShownResult): Page {
  const { command, variables = [], savedTo, applyCommand, secretCommand } = result;
  const isSavedOnly = "items" in result && savedTo !== undefined;
  const page = isSavedOnly
    ? { title: `${savedText({ savedTo })} Nothing was created.`, blocks: [] }
    : applyPage(result, { inPlace: "listed" });
  const heading = isSavedOnly ? "To apply it" : "Non-interactive command";
  const shown = isSavedOnly ? applyCommand : result.isTyped ? undefined : command;
  const blocks: Block[] = [...page.blocks];
  if (variables.length > 0) blocks.push(...note(setFirst(variables)));
  if (shown !== undefined) blocks.push({ kind: "command", heading, lines: [shown] });
  if (secretCommand !== undefined) {
    const lines = [secretCommand];
    blocks.push({ kind: "command", heading: "Signing secret for the receiver", lines });
  }
  return { ...page, blocks };
}

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
 * destination, and for metadata that its options cannot express. The command contains no secret: a value without a reference becomes a variable.
 * @param more further options
 */
export function setupCommand(
  model: RoutingModel,
  more: SuggestedOptions = {},
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
  const options = destinationOptions(destination, variable);
  if (options === undefined) return undefined;
  const command = suggest("notify setup", [], {
    ...options,
    ...(topic.kind === "new" ? { topic: topic.name } : { topicId: topic.id }),
    event: shortEvents(events),
    ...more,
    yes: true,
  });
  return { command, variables: [...variables] };
}

function destinationOptions(part: DestinationAnswer, variable: Variable) {
  if (part.kind === "existing") return { destinationId: part.id };
  const { name } = part;
  const metadata = metadataOptions(name, part, variable);
  if (metadata === undefined) return undefined;
  return {
    destinationName: name,
    destinationType: part.type,
    ...metadata,
    secret: Object.entries(part.secrets).map(
      ([key, secret]) => `${key}=${source(secret, () => variable(name, key))}`,
    ),
  };
}

function source({ reference }: Secret, variable: () => string): string {
  if (reference?.from === "file") return `@${reference.path}`;
  return `env:${reference?.name ?? variable()}`;
}

/** The sentence about a file that was written. */
export function savedText({ savedTo }: Pick<SavedFile, "savedTo">): string {
  return `Saved the routing as ${savedTo}.`;
}
