import type { CommandContext } from "../../context/command-context.ts";
import { type InputIssue, NotFoundError, type UsageError } from "../../errors.ts";
import { kebabCase } from "../../settings.ts";
import { asList } from "../../values/basics.ts";
import { uncapitalised } from "../../values/counted.ts";
import { inputErrors } from "../../values/errors.ts";
import type { ApplyContext } from "../apply.ts";
import { routingErrors } from "../errors.ts";
import type { DestinationOptions } from "../model/destination-input.ts";
import { nameCheck, nearestName } from "../model/names.ts";
import type { NamedKind } from "../model/resource.ts";
import { type DestinationContent, hasContent } from "../model/secrets.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { SessionOptions } from "../session.ts";
import {
  type DestinationAnswer,
  existingAnswer,
  findExisting,
  type SetupAnswers,
} from "./answers.ts";

/** The part of a command's context that a setup uses. */
export type SetupContext = ApplyContext & Pick<CommandContext, "files">;

/** The options of `amp notify setup`. */
export interface SetupOptions extends DestinationOptions, SessionOptions {
  readonly destinationName?: string | undefined;
  readonly destinationType?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly topic?: string | undefined;
  readonly topicId?: string | undefined;
  readonly event: readonly string[];
  /** The words of `--allow`. */
  readonly allow: readonly string[];
  readonly save?: string | undefined;
  readonly overwrite: boolean;
}

const NEW_DESTINATION = [
  "destinationName",
  "destinationType",
  "url",
  "metadata",
  "secret",
] as const;

/**
 * Refuses options of a new resource together with the ID of an existing one.
 * @throws {UsageError} naming the options
 */
export function assertConsistent(
  options: SetupOptions,
  context: Pick<SetupContext, "interactive">,
): void {
  const refuse = (what: string, names: readonly (keyof SetupOptions)[]) => {
    const given = names.filter((name) => asList<unknown>(options[name]).length > 0);
    if (given.length === 0) return;
    const flags = given.map((name) => `--${kebabCase(name)}`).join(", ");
    throw routingErrors.setup_options_conflict(what, flags);
  };
  if (options.destinationId !== undefined) {
    refuse("--destination-id selects an existing destination", NEW_DESTINATION);
  }
  if (options.topicId !== undefined) refuse("--topic-id selects an existing topic", ["topic"]);
  // A wizard may save a file that no option names.
  if (options.overwrite && options.save === undefined && !context.interactive) {
    const remedy = "Add --save, or leave it out.";
    throw inputErrors.option_idle(["--overwrite"], "without --save", remedy);
  }
}

/** The options that are missing, for each of which the wizard would ask. */
export function missingOptions(options: SetupOptions, content: DestinationContent): string[] {
  const { destinationId, destinationName, destinationType: type } = options;
  const isNew = destinationId === undefined;
  const url = content.metadata.url;
  return [
    isNew && destinationName === undefined && "--destination-name (or --destination-id)",
    isNew && type === undefined && "--destination-type",
    // The specification shows only this type, with this field.
    isNew && (type ?? "webhook") === "webhook" && (url === undefined || url === "") && "--url",
    options.topic === undefined && options.topicId === undefined && "--topic (or --topic-id)",
    options.event.length === 0 && "--event",
  ].filter((flag) => flag !== false);
}

/**
 * Whether the setup asks questions, with these options missing.
 * @throws {UsageError} where it must ask, and the terminal is not interactive
 */
export function needsQuestions(
  { interactive, yes, dryRun, environment: { ci } }: SetupContext,
  missing: readonly string[],
): boolean {
  if (interactive && (missing.length > 0 || !yes)) return true;
  const agreed = yes || dryRun;
  if (missing.length === 0 && agreed) return false;
  if (missing.length === 0) throw routingErrors.apply_unconfirmed("amp notify setup");
  const all = agreed ? missing : [...missing, "--yes"];
  throw routingErrors.setup_options_missing(all, ci);
}

/** The options, which select a destination that exists where they give nothing but its name. */
export async function withExistingDestination(
  options: SetupOptions,
  content: DestinationContent,
  live: () => Promise<LiveRouting | undefined>,
): Promise<SetupOptions> {
  const { destinationName: name, destinationType: type } = options;
  const { destinationName: _name, destinationType: _type, ...others } = options;
  const selecting = { ...others, destinationId: name };
  const isOnlyNamed =
    !hasContent(content) &&
    missingOptions(options, content).length > 0 &&
    missingOptions(selecting, content).length === 0;
  if (name === undefined || !isOnlyNamed) return options;
  const listed = (await live())?.destination ?? [];
  const isListed = listed.some((one) => one.name === name && [undefined, one.type].includes(type));
  return isListed ? selecting : options;
}

/**
 * The answers that options give.
 * @param live the live routing, which only existing resources need; undefined where the service has
 *   no lists
 * @throws {NotFoundError} where the service lists no such ID or name
 */
export async function answersOfOptions(
  options: SetupOptions,
  content: DestinationContent,
  live: LiveRouting | undefined,
  asker: Pick<SetupContext, "interactive" | "prompt">,
): Promise<SetupAnswers> {
  const { destinationId, destinationName: name = "", destinationType: type = "" } = options;
  const { topicId, topic = "" } = options;
  const unlisted: NotFoundError[] = [];
  const existing = (kind: NamedKind, id: string) =>
    findExisting(kind, live?.[kind], id, asker).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      unlisted.push(error);
      return existingAnswer({ id });
    });
  const destination: DestinationAnswer =
    destinationId === undefined
      ? { kind: "new", name, type, ...content }
      : await existing("destination", destinationId);
  const answers: SetupAnswers = {
    destination,
    topic: topicId === undefined ? { kind: "new", name: topic } : await existing("topic", topicId),
    events: [...new Set(options.event)],
  };
  const [first, second] = unlisted;
  if (first === undefined) return answers;
  if (second === undefined) throw first;
  throw routingErrors.options_not_listed(first, second);
}

/**
 * Refuses names that the live platform refuses, which it would do after the first create; all in one
 * error. What exists may have any name, and of a service without lists no rule is known.
 * @param live lists the routing; called only for such a name
 * @throws {UsageError}
 */
export async function assertValidNames(
  { destinationName, topic }: Pick<SetupOptions, "destinationName" | "topic">,
  live: () => Promise<LiveRouting | undefined>,
): Promise<void> {
  const given = [
    ["destination", "--destination-name", destinationName],
    ["topic", "--topic", topic],
  ] as const;
  const errors: UsageError[] = [];
  const issues: InputIssue[] = [];
  for (const [kind, flag, value] of given) {
    const verdict = value === undefined || nameCheck(kind)(value);
    if (value === undefined || verdict === true) continue;
    const listed = (await live())?.[kind];
    if (listed === undefined || listed.some((record) => record.name === value)) continue;
    const near = nearestName(value);
    const rule = uncapitalised(verdict);
    const detail = near === undefined ? rule : `${rule}; for example ${near}`;
    errors.push(routingErrors.setup_name_invalid(flag, value, rule, near));
    issues.push({ flag, value, detail });
  }
  const [first, second] = errors;
  if (second !== undefined) throw routingErrors.setup_options_invalid(issues);
  if (first !== undefined) throw first;
}
