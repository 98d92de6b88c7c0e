import type { CommandContext } from "../../context/command-context.ts";
import { UsageError } from "../../errors.ts";
import { kebabCase } from "../../settings.ts";
import { asList } from "../../values/as-list.ts";
import { mistypedName } from "../../values/nearest.ts";
import { needsYes } from "../confirm.ts";
import type { DestinationContent, DestinationOptions } from "../model/destination-input.ts";
import { nameCheck, nearestEvent, nearestName } from "../model/names.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { SessionContext, SessionOptions } from "../session.ts";
import { findExisting, type SetupAnswers } from "./answers.ts";

/** The part of a command's context that a setup uses. */
export type SetupContext = SessionContext &
  Pick<CommandContext, "dryRun" | "files" | "interactive" | "prompt" | "yes">;

/** The options of `amp notify setup`. */
export interface SetupOptions extends DestinationOptions, SessionOptions {
  readonly destinationName?: string | undefined;
  readonly destinationType?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly topic?: string | undefined;
  readonly topicId?: string | undefined;
  readonly event: readonly string[];
  readonly save?: string | undefined;
  readonly overwrite: boolean;
  /** Resumes the setup that did not finish. */
  readonly resume?: boolean | undefined;
}

/** The options of a new destination. */
const NEW_DESTINATION = [
  "destinationName",
  "destinationType",
  "url",
  "metadata",
  "metadataJson",
  "secret",
] as const;

/**
 * Refuses options of a new resource together with the ID of an existing one, and answers together
 * with `--resume`.
 * @throws {UsageError} naming the options
 */
export function assertConsistent(
  options: SetupOptions,
  context: Pick<SetupContext, "interactive">,
): void {
  const refuse = (what: string, names: readonly (keyof SetupOptions)[]) => {
    const given = names.filter((name) => asList<unknown>(options[name]).length > 0);
    if (given.length === 0) return;
    const flags = given.map((name) => `--${kebabCase(name)}`);
    throw new UsageError(`${what} and cannot be combined with ${flags.join(", ")}`, {
      remedy: "Use one or the other.",
      done: "Nothing was sent.",
    });
  };
  if (options.resume) {
    // The others choose one of several unfinished setups.
    const content = NEW_DESTINATION.filter((name) => name !== "destinationName");
    refuse("--resume uses the earlier answers", [...content, "destinationId", "topicId"]);
  }
  if (options.destinationId !== undefined) {
    refuse("--destination-id selects an existing destination", NEW_DESTINATION);
  }
  if (options.topicId !== undefined) refuse("--topic-id selects an existing topic", ["topic"]);
  // A wizard may save a file that no option names.
  if (options.overwrite && options.save === undefined && !context.interactive) {
    throw new UsageError("--overwrite has no effect without --save", {
      remedy: "Add --save, or leave it out.",
      done: "Nothing was sent.",
    });
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
 * The error for a setup that would ask questions where the terminal is not interactive.
 * @param missing options, beside `--yes`
 */
export function notInteractive(missing: readonly string[], yes: boolean, ci = false): UsageError {
  if (missing.length === 0) return needsYes("amp notify setup");
  const all = yes ? missing : [...missing, "--yes"];
  const noun = all.length === 1 ? "option" : "options";
  return new UsageError(`missing ${noun} ${all.join(", ")}`, {
    remedy: `Not interactive${ci ? ", because CI is set" : ""}: pass all of these options.`,
    done: "Nothing was sent.",
  });
}

/**
 * Whether the setup asks questions.
 * @throws {UsageError} where it must ask, and the terminal is not interactive
 */
export function needsQuestions(
  { interactive, yes, dryRun, environment }: SetupContext,
  options: SetupOptions,
  content: DestinationContent,
): boolean {
  const missing = missingOptions(options, content);
  const asks = interactive && (missing.length > 0 || !yes);
  const agreed = yes || dryRun;
  if (!asks && (missing.length > 0 || !agreed))
    throw notInteractive(missing, agreed, environment.ci);
  return asks;
}

/**
 * Refuses mistyped event types, also with `--yes`, which a setup without questions always has.
 * @throws {UsageError} where a known event type has nearly this name
 */
export function assertEvents(events: readonly string[]): void {
  for (const event of events) {
    const near = nearestEvent(event);
    if (near === undefined) continue;
    throw mistypedName(`Unknown event type ${JSON.stringify(event)}`, {
      near,
      anyway: "add its route with amp notify event-routes create",
      done: "Nothing was sent.",
    });
  }
}

/**
 * Refuses names that the live platform refuses, which it would do after the first create. What exists
 * may have any name, and of a service without lists no rule is known.
 * @param live lists the routing; called only for such a name
 * @throws {UsageError} naming the option
 */
export async function assertNames(
  { destinationName, topic }: Pick<SetupOptions, "destinationName" | "topic">,
  live: () => Promise<LiveRouting | undefined>,
): Promise<void> {
  const given = [
    ["destination", "--destination-name", destinationName],
    ["topic", "--topic", topic],
  ] as const;
  for (const [kind, flag, name] of given) {
    const problem = name === undefined || nameCheck(kind)(name);
    if (name === undefined || problem === true) continue;
    const listed = (await live())?.[kind];
    if (listed === undefined || listed.some((record) => record.name === name)) continue;
    const near = nearestName(name);
    throw new UsageError(
      `${flag} ${JSON.stringify(name)}: ${problem.charAt(0).toLowerCase()}${problem.slice(1)}`,
      near === undefined ? {} : { remedy: `Use another name, for example ${near}.` },
    );
  }
}

/** The options, which select a destination that exists where they give nothing but its name. */
export async function withExistingDestination(
  options: SetupOptions,
  content: DestinationContent,
  live: () => Promise<LiveRouting | undefined>,
): Promise<SetupOptions> {
  const { destinationName: name, destinationType: type } = options;
  const selecting = {
    ...options,
    destinationName: undefined,
    destinationType: undefined,
    destinationId: name,
  };
  const isOnlyNamed =
    Object.keys(content.metadata).length + Object.keys(content.secrets).length === 0 &&
    missingOptions(options, content).length > 0 &&
    missingOptions(selecting, content).length === 0;
  if (name === undefined || !isOnlyNamed) return options;
  const isMeant = (one: { name?: unknown; type?: unknown }) =>
    one.name === name && [undefined, one.type].includes(type);
  return (await live())?.destination.some(isMeant) ? selecting : options;
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
  const {
    destinationId,
    destinationName = "",
    destinationType = "",
    topicId,
    topic = "",
  } = options;
  return {
    destination:
      destinationId === undefined
        ? { kind: "new", name: destinationName, type: destinationType, ...content }
        : await findExisting("destination", live?.destination, destinationId, asker),
    topic:
      topicId === undefined
        ? { kind: "new", name: topic }
        : await findExisting("topic", live?.topic, topicId, asker),
    events: [...new Set(options.event)],
  };
}
