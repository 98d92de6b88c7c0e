import { destinationProblems } from "../../api/catalogue/destination-problems.ts";
import type { CommandContext } from "../../context/command-context.ts";
import { UsageError } from "../../errors.ts";
import { needsYes } from "../apply.ts";
import type { DestinationContent, DestinationOptions } from "../model/destination-input.ts";
import { revealedSecrets } from "../model/secrets.ts";
import type { SessionContext } from "../session.ts";

/** The part of a command's context that a setup uses. */
export type SetupContext = SessionContext &
  Pick<CommandContext, "dryRun" | "files" | "interactive" | "prompt" | "yes">;

/** The options of `amp notify setup`. */
export interface SetupOptions extends DestinationOptions {
  readonly destinationName?: string | undefined;
  readonly destinationType?: string | undefined;
  readonly destinationId?: string | undefined;
  readonly topic?: string | undefined;
  readonly topicId?: string | undefined;
  readonly event: readonly string[];
  readonly save?: string | undefined;
  /** Resumes the setup that did not finish. */
  readonly resume?: boolean | undefined;
}

const NEW_DESTINATION_FLAGS = {
  destinationName: "--destination-name",
  destinationType: "--destination-type",
  url: "--url",
  metadata: "--metadata",
  metadataJson: "--metadata-json",
  secret: "--secret",
} as const;
const ANSWER_FLAGS = {
  ...NEW_DESTINATION_FLAGS,
  destinationId: "--destination-id",
  topic: "--topic",
  topicId: "--topic-id",
  event: "--event",
} as const;

/**
 * Refuses options of a new resource together with the ID of an existing one, and answers together
 * with `--resume`.
 * @throws {UsageError} naming the options
 */
export function assertConsistent(options: SetupOptions): void {
  const refuse = (what: string, flags: Readonly<Partial<typeof ANSWER_FLAGS>>) => {
    const given = Object.entries(flags).filter(
      ([name]) => (options[name as keyof typeof flags]?.length ?? 0) > 0,
    );
    if (given.length === 0) return;
    throw new UsageError(
      `${what} and cannot be combined with ${given.map(([, flag]) => flag).join(", ")}`,
      { remedy: "Use one or the other.", done: "Nothing was sent." },
    );
  };
  if (options.resume) refuse("--resume uses the earlier answers", ANSWER_FLAGS);
  if (options.destinationId !== undefined) {
    refuse("--destination-id selects an existing destination", NEW_DESTINATION_FLAGS);
  }
  if (options.topicId !== undefined) {
    refuse("--topic-id selects an existing topic", { topic: "--topic" });
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
export function notInteractive(missing: readonly string[], yes: boolean): UsageError {
  if (missing.length === 0) return needsYes("amp notify setup");
  const all = yes ? missing : [...missing, "--yes"];
  const noun = all.length === 1 ? "option" : "options";
  return new UsageError(`missing ${noun} ${all.join(", ")}`, {
    remedy: "Not interactive: pass all of these options.",
    done: "Nothing was sent.",
  });
}

/**
 * The fields that the live platform requires and that are missing. They are warnings only: another
 * server may know the type by other fields.
 */
export function fieldWarnings(type: string, { metadata, secrets }: DestinationContent): string[] {
  const problems = destinationProblems(type, { metadata, secrets: revealedSecrets(secrets) });
  const lacking = problems.flatMap(({ part, missing = [] }) => {
    const option = part === "secrets" ? "--secret" : "--metadata";
    const flags = missing.map(({ name }) => (name === "url" ? "--url" : `${option} ${name}=…`));
    return flags.length === 0 ? [] : [flags.join(" or ")];
  });
  return lacking.length === 0 ? [] : [`A ${type} destination usually needs ${lacking.join(", ")}.`];
}
