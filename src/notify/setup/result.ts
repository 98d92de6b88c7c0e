import type { SetupCommands } from "../../documents/routing.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import type { Secret } from "../../secrets/secret.ts";
import { asList } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import {
  type SuggestedCommand,
  type SuggestedOptions,
  suggest,
} from "../../values/suggested-command.ts";
import type { Block, Page } from "../../view/view.ts";
import { metadataOptions } from "../model/destination-input.ts";
import { shortEvents } from "../model/names.ts";
import { type Variable, variableNames } from "../model/secrets.ts";
import { type ApplyResult, applyPage } from "../pages/apply.ts";
import type { AnswersSoFar, SetupAnswers } from "./answers.ts";
import type { SavedFile } from "./save.ts";

/** The result of `amp notify setup`: that of an apply, and what to type next. */
export type SetupResult = ApplyResult & SetupCommands;

/** What a result says beyond that of the apply. */
interface Finished {
  readonly baseUrl: string;
  readonly saved: SavedFile | undefined;
  /** Whether questions were asked, so that the typed command does not repeat the setup. */
  readonly isAsked: boolean;
}

/** The result of a setup, with the commands to type next. */
export function setupResult(
  answers: SetupAnswers,
  applied: ApplyResult,
  { baseUrl, saved, isAsked }: Finished,
): SetupResult {
  const command = setupCommand(answers, { yes: true });
  const isRepeated = isAsked || (command?.variables.length ?? 0) > 0;
  const next = "items" in applied ? {} : nextCommands(answers, applied, baseUrl);
  return { ...applied, ...(isRepeated && command), ...saved, ...next };
}

/** How to see a message arrive: a sandbox sends one by itself, else amp sends one to the URL. */
function nextCommands(
  { destination, events: [event = ""] }: SetupAnswers,
  { settled }: Extract<ApplyResult, { settled: unknown }>,
  baseUrl: string,
) {
  const made = settled.find(({ address }) => address === `destination/${destination.name}`);
  const isWebhook = destination.kind === "new" && destination.type === "webhook";
  const isMade = isWebhook && made?.outcome === "created";
  const secretCommand = isMade
    ? suggest("notify destinations secret", [destination.name])
    : undefined;
  const { url } = isWebhook ? (metadataOptions("", destination, () => "") ?? {}) : {};
  const receiver = { to: url, secret: "env:WEBHOOK_SECRET" };
  const isSandbox = isLoopback(new URL(baseUrl).hostname);
  const triggerCommand = isSandbox
    ? suggest("trigger", [event])
    : url?.startsWith("http") && suggest("trigger", [event], receiver);
  const host = URL.parse(url ?? "")?.hostname;
  const isForeign = isSandbox && host !== undefined && !isLoopback(host);
  const listenCommand = isForeign ? suggest("listen", [], { event: [event] }) : undefined;
  return {
    ...(triggerCommand ? { triggerCommand } : {}),
    ...defined({ listenCommand, secretCommand }),
  };
}

/** The page of apply, with the commands to type next. */
export function setupPage(result: SetupResult): Page {
  const { command, variables = [], savedTo, applyCommand, secretCommand } = result;
  const { listenCommand, triggerCommand } = result;
  const isUndoable =
    "settled" in result && result.settled.some(({ outcome }) => outcome === "created");
  const undo = isUndoable ? suggest("notify undo") : undefined;
  const see = listenCommand ? undefined : triggerCommand;
  const headings = [
    see && "See it arrive",
    secretCommand && "Signing secret for the receiver",
    undo && "To undo this setup",
  ].filter((heading) => heading !== undefined);
  const afterwards = headings.length > 1 ? "Next" : (headings[0] ?? "");
  const isSavedOnly = "items" in result && savedTo !== undefined;
  const page = isSavedOnly
    ? { title: `${savedText({ savedTo })} Nothing was created.`, blocks: [] }
    : applyPage({ ...result, removedFromFile: [] });
  const block = (heading: string, ...lines: readonly (string | SuggestedCommand | undefined)[]) =>
    ({ kind: "command", heading, lines: asList(...lines) }) as const;
  const exports = variables.map((name) => `export ${name}=…`);
  const listened = "See it arrive: listen, then trigger in another terminal";
  const blocks: Block[] = [
    ...page.blocks,
    block(listened, listenCommand, listenCommand && triggerCommand),
    block(afterwards, see, secretCommand, undo),
    applyCommand === undefined
      ? block("Non-interactive command", ...exports, command)
      : block(isSavedOnly ? "To apply it" : `To apply ${savedTo} again`, ...exports, applyCommand),
  ];
  return { ...page, blocks };
}

/** What gives the same answers again; variables that it reads secrets from must be set first. */
type SetupCommand = Required<Pick<SetupCommands, "command" | "variables">>;

/**
 * The `amp notify setup` that gives these answers; undefined for metadata that its options cannot
 * express. It contains no secret: a value without a reference becomes a variable.
 * @param more further options
 */
export function setupCommand(
  { destination, topic, events = [] }: AnswersSoFar,
  more: SuggestedOptions = {},
): SetupCommand | undefined {
  const variables = new Set<string>();
  const nameOf = variableNames();
  const variable: Variable = (...parts) => {
    const name = nameOf(...parts);
    variables.add(name);
    return name;
  };
  const options = destination === undefined ? {} : destinationOptions(destination, variable);
  if (options === undefined) return undefined;
  const command = suggest("notify setup", [], {
    ...options,
    ...(topic && (topic.kind === "new" ? { topic: topic.name } : { topicId: topic.id })),
    event: events.length === 0 ? [] : shortEvents(events),
    ...more,
  });
  return { command, variables: [...variables] };
}

function destinationOptions(part: NonNullable<AnswersSoFar["destination"]>, variable: Variable) {
  if (part.kind === "existing") return { destinationId: part.id };
  const { name, type = "", metadata = {}, secrets = {}, references = [] } = part;
  const content = { kind: "new", type, metadata, secrets, references } as const;
  const written = metadataOptions(name ?? "", content, variable);
  if (written === undefined) return undefined;
  return {
    destinationName: name,
    destinationType: type || undefined,
    ...written,
    secret: Object.entries(secrets).map(
      ([key, secret]) => `${key}=${source(secret, () => variable(name ?? "", key))}`,
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
