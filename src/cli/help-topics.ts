import { Help } from "commander";
import { EXIT } from "../errors.ts";
import { SETTINGS } from "../settings.ts";
import { describeParam, itemLines, MIN_TEXT_WIDTH } from "./help.ts";
import { globalOptions } from "./tree.ts";

/** `amp help <topic>`: what belongs to no one command. */
const TOPICS = {
  options: () => [
    "Options that work everywhere",
    "",
    ...columns(globalOptions().map(describeParam)),
    "",
    "A value comes from the option, else the environment, else .amp.yaml, else the profile.",
  ],
  environment: () => [
    "Environment variables",
    "",
    ...columns(
      Object.values(SETTINGS).flatMap((setting) =>
        "env" in setting ? [[setting.env, setting.summary] as const] : [],
      ),
    ),
    "",
    "A variable of amp that is set but empty is an error, so that a script's lost value is noticed.",
  ],
  "exit-codes": () => [
    "Exit codes",
    "",
    ...columns(Object.values(EXIT).map(({ code, meaning }) => [String(code), meaning] as const)),
  ],
  output: () => [
    "Output",
    "",
    "stdout is data; notices, questions and errors go to stderr. On failure stdout is empty;",
    "but a long list is written as it comes, and what came before the failure was written.",
    "",
    ...columns([
      ["(default)", "a table on a terminal; in a pipe the same columns, tab-separated, no header"],
      ["table", "a table with its header, wherever it goes"],
      ["json, yaml", "the service's answer as it is; secrets read [redacted]"],
      ["ndjson", "one item a line"],
      ["csv, tsv", "the table's columns, or those of --fields; csv has a header"],
      ["id", "only the identifiers, one a line"],
    ]),
    "",
    "In csv a ' stands before what a spreadsheet takes for a formula.",
    "What a terminal or CI log would obey is escaped: as \\u{1b} in text and csv,",
    "in json and yaml so that reading gives it back. --csv-raw leaves out the '",
    "and, in a file or pipe, the escapes of csv: every cell as it is.",
    "",
    "--fields id,group.groupName keeps those fields; with a table they become the columns.",
    "--count prints how many items a list has, and nothing else.",
    'With JSON output an error is JSON too, on stderr: {"error": {code, message, exitCode, …}}.',
  ],
} as const satisfies Record<string, () => string[]>;

/** Whether `amp help <word>` is about a topic and not about a command. */
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

function columns(items: readonly (readonly [string, string])[]): string[] {
  return itemLines(items, helper);
}
