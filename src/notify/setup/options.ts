import type { CommandContext } from "../../context/command-context.ts";
import { NotFoundError, UsageError } from "../../errors.ts";
import { kebabCase } from "../../settings.ts";
import { asList } from "../../values/as-list.ts";
import { uncapitalised } from "../../values/counted.ts";
import { needsYes } from "../apply.ts";
import type { DestinationOptions } from "../model/destination-input.ts";
import type { NamedKind } from "../model/resource.ts";
import type { DestinationContent } from "../model/secrets.ts";
import type { LiveRouting } from "../plan/live.ts";
import type { SessionContext, SessionOptions } from "../session.ts";
import {
  type DestinationAnswer,
  existingAnswer,
  findExisting,
  type SetupAnswers,
} from "./answers.ts";

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
 * Whether the setup asks questions, with these options missing.
 * @throws {UsageError} where it must ask, and the terminal is not interactive
 */
export function needsQuestions(
  { interactive, yes, dryRun, environment }: SetupContext,
  missing: readonly string[],
): boolean {
  const asks = interactive && (missing.length > 0 || !yes);
  const agreed = yes || dryRun;
  if (!asks && (missing.length > 0 || !agreed))
    throw notInteractive(missing, agreed, environment.ci);
  return asks;
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
  const unlisted: NotFoundError[] = [];
  const existing = (kind: NamedKind, id: string) =>
    findExisting(kind, live?.[kind], id, asker).catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      unlisted.push(error);
      return existingAnswer({ id });
    });
  const destination: DestinationAnswer =
    destinationId === undefined
      ? { kind: "new", name: destinationName, type: destinationType, ...content }
      : await existing("destination", destinationId);
  const answers: SetupAnswers = {
    destination,
    topic: topicId === undefined ? { kind: "new", name: topic } : await existing("topic", topicId),
    events: [...new Set(options.event)],
  };
  const [first, second] = unlisted;
  if (first === undefined) return answers;
  if (second === undefined) throw first;
  throw new NotFoundError(`${first.message}; ${uncapitalised(second.message)}`, {
    suggestion: unlisted.flatMap(({ facts }) => facts.suggestion ?? []),
  });
}
