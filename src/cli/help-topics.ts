import { Help } from "commander";
import { EXIT } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import { describeParam, type Item, itemLines, MIN_TEXT_WIDTH } from "./help.ts";
import { globalOptions } from "./tree.ts";

/** The topics of `amp help <topic>`, which concern several commands. */
const TOPICS = {
  options: () => [
    "Global options",
    "",
    ...columns(globalOptions().map(describeParam)),
    "",
    "Precedence: option, environment variable, .amp.yaml, profile.",
  ],
  environment: () => [
    "Environment variables",
    "",
    ...columns(environmentVariables()),
    "",
    "An amp variable that is set but empty is an error, so that scripts do not run without it.",
  ],
  "exit-codes": () => ["Exit codes", "", ...columns(exitCodes())],
  output: () => [
    "Output",
    "",
    "Data goes to stdout; notices, prompts and errors go to stderr. On failure stdout is empty, except that a long list is written as it arrives.",
    "",
    ...columns([
      ["(default)", "a table on a terminal; in a pipe, its columns separated by tabs, no header"],
      ["table", "a table with a header, also in a pipe"],
      ["json, yaml", "the response of the service; secrets are replaced by [redacted]"],
      ["ndjson", "one item per line, as JSON"],
      ["csv, tsv", "the columns of the table, or the fields of --fields; csv has a header"],
      ["id", "only the IDs, one per line"],
    ]),
    "",
    "In csv, cells that a spreadsheet would read as a formula begin with '. Control sequences for terminals and CI logs are escaped: as \\u{1b} in text and csv, as JSON escapes in json and yaml. --csv-raw leaves out the ' and, in a file or pipe, the escapes of csv.",
    "",
    "--fields id,group.groupName selects fields; in a table they become the columns.",
    "--count prints only the number of items of a list.",
    'With JSON output, errors are JSON on stderr: {"error": {code, message, exitCode, …}}.',
  ],
} as const satisfies Record<string, () => string[]>;

/** The environment variables, each with its meaning. */
export function environmentVariables(): Item[] {
  return Object.values(SETTINGS).flatMap((setting) =>
    "env" in setting ? [[setting.env, setting.summary] as const] : [],
  );
}

/** The exit codes, each with its meaning. */
export function exitCodes(): Item[] {
  return Object.values(EXIT).map(({ code, meaning }) => [String(code), meaning]);
}

/** Whether `amp help <word>` names a topic and not a command. */
export function isTopic(word: string): word is keyof typeof TOPICS {
  return Object.hasOwn(TOPICS, word);
}

/** The names of the topics. */
export const topicNames = Object.keys(TOPICS);

/** The text of a topic. */
export function helpTopic(topic: keyof typeof TOPICS, width: number): string {
  helper.helpWidth = width;
  const lines = TOPICS[topic]().map((line) =>
    line.startsWith(" ") ? line : helper.boxWrap(line, width),
  );
  return `${lines.join("\n")}\n`;
}

const helper = new Help();
helper.minWidthToWrap = MIN_TEXT_WIDTH;

function columns(items: readonly Item[]): string[] {
  return itemLines(items, helper);
}
