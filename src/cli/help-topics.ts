import { Help } from "commander";
import { DESTINATION_TYPES } from "../api/catalogue/destination-types.ts";
import { EXIT } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import {
  describeParam,
  type HeadingStyle,
  type Item,
  itemLines,
  MIN_TEXT_WIDTH,
  type TopicName,
} from "./help.ts";
import { type HelpPart, PROSE_TOPICS } from "./help-prose.ts";
import { globalOptions } from "./tree.ts";

/** The topics of `amp help <topic>`: those that follow from tables, and those in prose. */
const TOPICS: Readonly<Record<TopicName, () => readonly HelpPart[]>> = {
  ...PROSE_TOPICS,
  options: () => [
    "Global options",
    globalOptions().map(describeParam),
    "Precedence: option, environment variable, .amp.yaml, profile.",
  ],
  environment: () => [
    "Environment variables",
    environmentVariables(),
    "An amp variable that is set but empty is an error, so that scripts do not run without it.",
  ],
  "exit-codes": () => [
    "Exit codes",
    exitCodes(),
    "amp <command> --help names those that a command can end with; any command can also end with 1, 124, 130 or 143.",
  ],
  destinations: () => [
    "Destination types",
    "The fields of each type, optional ones in brackets. Metadata is given with --url or --metadata key=value, secrets with --secret key=env:NAME. A type or field that is not listed is sent as typed, with a warning.",
    Object.entries(DESTINATION_TYPES).map(([type, { metadata, secrets }]) => [
      type,
      [metadata.map(fieldName).join(", "), secrets.map(fieldName).join(", ")]
        .filter((fields) => fields !== "")
        .join("; secrets: "),
    ]),
  ],
};

function fieldName({ name, required }: { name: string; required: boolean }): string {
  return required ? name : `[${name}]`;
}

/** Variables that are no settings of amp: those of state servers, CI systems and the machine. */
const OTHER_VARIABLES = {
  AMP_STATE_USERNAME: "user name for --state https://… and gitlab",
  AMP_STATE_PASSWORD: "password for --state https://… and gitlab",
  AMP_STATE_LOCK_ADDRESS: "URL of the lock (default: that of the state)",
  AMP_STATE_LOCK_METHOD: "HTTP method that locks (default LOCK)",
  AMP_STATE_UNLOCK_ADDRESS: "URL that unlocks (default: that of the lock)",
  AMP_STATE_UNLOCK_METHOD: "HTTP method that unlocks (default UNLOCK)",
  CI_API_V4_URL: "set by GitLab CI; for --state gitlab",
  CI_PROJECT_ID: "set by GitLab CI; for --state gitlab",
  CI_JOB_TOKEN: "set by GitLab CI; for --state gitlab without AMP_STATE_PASSWORD",
  AWS_ACCESS_KEY_ID: "access key for --state s3://…",
  AWS_SECRET_ACCESS_KEY: "secret key for --state s3://…",
  AWS_SESSION_TOKEN: "token of temporary AWS credentials, for --state s3://…",
  AWS_REGION: "region of the bucket, unless the URL names it",
  AWS_DEFAULT_REGION: "region of the bucket if AWS_REGION is not set",
  GITHUB_ACTIONS:
    "set by GitHub Actions: amp asks the runner to mask secrets of files and profiles",
  RUNNER_TOOL_CACHE: "set by GitHub Actions: no state is saved there",
  NODE_TLS_REJECT_UNAUTHORIZED: "0 is refused without --insecure-tls",
  XDG_CONFIG_HOME: "folder above the profiles (default ~/.config)",
  XDG_STATE_HOME: "folder above the saved states (default ~/.local/state)",
  XDG_CACHE_HOME: "no state is saved there",
  APPDATA: "folder above the profiles on Windows",
  TERM: "dumb disables colour",
} as const satisfies Record<string, string>;

/** The environment variables that any part of amp reads, each with its meaning. */
export function environmentVariables(): Item[] {
  const settings = Object.values(SETTINGS).flatMap((setting) =>
    "env" in setting ? [[setting.env, setting.summary] as const] : [],
  );
  return [...settings, ...Object.entries(OTHER_VARIABLES)];
}

/** The exit codes, each with its meaning. */
export function exitCodes(): Item[] {
  return Object.values(EXIT).map(({ code, meaning }) => [String(code), meaning]);
}

/** The title of a topic. */
export function topicTitle(topic: TopicName): string {
  return String(TOPICS[topic]()[0]);
}

/**
 * The text of a topic.
 * @param heading adds weight to its title
 */
export function helpTopic(topic: TopicName, width: number, heading: HeadingStyle): string {
  const helper = new Help();
  helper.minWidthToWrap = MIN_TEXT_WIDTH;
  helper.helpWidth = width;
  const [title = "", ...parts] = TOPICS[topic]().map((part) => {
    if (typeof part !== "string") return itemLines(part, helper).join("\n");
    return part.startsWith(" ") ? part : helper.boxWrap(part, width);
  });
  return `${[heading(title), ...parts].join("\n\n")}\n`;
}
