import { type ErrorFacts, errorTable } from "../errors.ts";
import type { SuggestedCommand } from "./suggested-command.ts";

/** The errors of what is typed, set, read from a file or written, whoever asks for it. */
export const inputErrors = errorTable({
  usage: {
    options_conflict: (
      one: string,
      other: string,
      remedy = "Use one of them, not both.",
      done?: string,
    ) => ({ text: `${one} and ${other} conflict`, remedy, done }),
    option_idle: (
      names: readonly string[],
      where: string,
      remedy?: string,
      done?: string,
      suggestion?: SuggestedCommand,
    ) => ({
      text: `${names.join(", ")} ${names.length === 1 ? "has" : "have"} no effect ${where}`,
      remedy,
      suggestion,
      done,
    }),
    param_missing: (name: string, remedy: string, done?: string, detail?: string) => ({
      text: `Missing ${name.startsWith("<") ? "argument" : "option"} ${name}`,
      detail,
      remedy,
      done,
    }),
    stdin_twice: (remedy: string, which = "") => ({
      text: `Standard input can be read only once${which}`,
      remedy,
    }),
    format_not_supported: (command: string, format: string, remedy: string, detail?: string) => ({
      text: `${command} does not support --output ${format}`,
      detail,
      remedy,
      done: "Nothing was sent.",
    }),
    text_empty: () => "the value must not be empty",
    uuid_invalid: (typed: string) => `${JSON.stringify(typed)} is not a valid UUID`,
    pair_invalid: (typed: string) => `${JSON.stringify(typed)} must have the form key=value`,
    value_empty: (source: string) => `${source} is empty`,
    word_invalid: (typed: string, known: readonly string[], what = "valid") => ({
      text: `${JSON.stringify(typed)} is not ${what}`,
      choices: { typed, known },
    }),
    number_invalid: (typed: string, min: number, max: number) =>
      `${JSON.stringify(typed)} is not a whole number from ${min} to ${max}`,
    duration_invalid: (typed: string) =>
      `${JSON.stringify(typed)} is not a valid duration (for example 30s, 2m or 3d)`,
    duration_zero: (typed: string) => `${JSON.stringify(typed)} must be more than 0`,
    size_invalid: (typed: string) =>
      `${JSON.stringify(typed)} is not a valid size (for example 10MB or 512KB)`,
    size_too_large: (typed: string) =>
      `${JSON.stringify(typed)} is too large: the maximum is 500MB`,
    filter_invalid: (typed: string) => ({
      text: `${JSON.stringify(typed)} is not a valid filter`,
      remedy:
        "Write a field, an operator (= != ~ < <= > >=) and a value, for example 'status=working' or 'createTime>3d'.",
    }),
    filter_not_time: (filter: string, value: string, remedy: string) => ({
      text: `--filter ${filter}: ${JSON.stringify(value)} is not a time`,
      remedy,
    }),
    field_unknown: (
      option: string,
      name: string,
      what: string,
      meant: string,
      known: readonly string[],
    ) => ({
      text: `${option}: ${JSON.stringify(name)} is not a ${what}`,
      remedy: `${meant}Choose one of: ${known.join(", ")}. Use a path such as group.groupName for nested fields.`,
      done: "Nothing was sent.",
    }),
    file_unusable: (
      does: string,
      path: string,
      reason: string,
      cause: unknown,
      remedy?: string,
    ) => ({ text: `Cannot ${does} ${path}: ${reason}`, cause, remedy }),
    not_json: (source: string, cause?: unknown) => ({ text: `${source} is not valid JSON`, cause }),
    not_utf8: (source: string) => `${source} is not valid UTF-8`,
    file_too_large: (path: string, limit: string) => `${path} is larger than ${limit}`,
    file_not_regular: (path: string) => `${path} is not a regular file`,
    link_leads_outside: (path: string, folder: string, instead: string) => ({
      text: `${path} is a link to a file outside ${folder}, which is not read in CI`,
      remedy: `Put the file itself there, or ${instead}.`,
    }),
    confirmation_needed: (text: string, remedy: string, done: string) => ({ text, remedy, done }),
    address_unusable: (name: string, host: string, port: number, reason: string) =>
      `${name} cannot use ${host} port ${port}: ${reason}`,
    jq_failed: (what: string, detail: string, done?: string) => ({
      text: `--jq ${what}`,
      detail,
      remedy: "The program gets the JSON that --json prints, and is written in the jq language.",
      done,
    }),
    jq_list_too_large: (limit: string) => ({
      text: `--jq: the list is larger than ${limit}`,
      detail: "This program reads the whole list at once, which needs too much memory.",
      remedy:
        "Begin the program with .[] to get one item at a time, or pipe --output ndjson to jq.",
    }),
    result_without_id: () => ({
      text: "The result has no identifier to print",
      remedy: "Choose another --output, for example json.",
    }),
    env_value_too_large: (key: string, limit: string) => ({
      text: `-o env: the values of ${key} are larger than ${limit}`,
      remedy: "Choose fields with --fields or fewer items with --limit, or use -o json.",
      done: "Nothing was written.",
    }),
  },
  "not-found": {
    record_not_found: (what: string, typed: string, facts: ErrorFacts) => ({
      text: `No ${what} ${typed}`,
      ...facts,
    }),
  },
  conflict: {
    name_ambiguous: (text: string, facts: ErrorFacts) => ({ text, ...facts }),
    port_in_use: (port: number, host: string, suggestion: SuggestedCommand, remedy?: string) => ({
      text: `Port ${port} on ${host} is already in use`,
      suggestion,
      remedy,
    }),
  },
});
