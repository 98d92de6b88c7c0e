import { type ErrorFacts, errorTable, UNSENT } from "../errors.ts";
import {
  type SuggestedCommand,
  suggest,
  suggestHelp,
  suggestTopic,
} from "../values/suggested-command.ts";

type Advice = Pick<ErrorFacts, "remedy" | "suggestion">;

const LEAVE = "Leave the case first, for example with: exit";

/** The errors of command lines, and of what a command needs before it runs. */
export const cliErrors = errorTable({
  usage: {
    command_line_invalid: (text: string, advice: Advice) => ({ text, ...advice }),
    command_missing: (group: string, names: readonly string[], suggestion: SuggestedCommand) => ({
      text: `${group} needs a command`,
      remedy: `Commands: ${names.join(", ")}.`,
      suggestion,
    }),
    command_unknown: (group: string, word: string, advice: Advice) => ({
      text: `${group} has no command ${JSON.stringify(word)}`,
      ...advice,
    }),
    help_unknown: (word: string, topic: string | undefined) => ({
      text: `amp has no command or help topic ${JSON.stringify(word)}`,
      remedy: topic && `Did you mean the topic ${topic}?`,
      suggestion: suggestTopic(topic ?? "topics"),
    }),
    option_unknown: (command: string, typed: string, advice: Advice) => ({
      text: `${command} has no option ${typed}`,
      ...advice,
    }),
    option_value_missing: (option: string, advice: Advice) => ({
      text: `${option.replace(/ .*$/u, "")} needs a value: ${option}`,
      ...advice,
    }),
    option_twice: (path: string, names: readonly string[]) => ({
      text: `${names.join(", ")} ${names.length === 1 ? "was" : "were"} given twice`,
      remedy: `Pass ${names.length === 1 ? "it" : "each of them"} once.`,
      suggestion: suggestHelp(path),
      done: UNSENT,
    }),
    arguments_too_many: (
      command: string,
      wanted: number,
      given: number,
      suggestion: SuggestedCommand,
    ) => ({
      text: `${command} takes ${wanted || "no"} ${wanted === 1 ? "argument" : "arguments"}, but ${given} ${given === 1 ? "was" : "were"} given`,
      remedy: wanted > 0 ? "Quote a value that contains spaces." : undefined,
      suggestion,
    }),
    params_missing: (text: string, remedy: string | undefined, suggestion: SuggestedCommand) => ({
      text,
      remedy,
      suggestion,
    }),
    project_missing: () => ({
      text: "This command needs a project",
      remedy: "Add --project, set AMP_PROJECT, or save a default project when you log in.",
      suggestion: suggest("projects list"),
    }),
    stdin_empty: (name: string) => ({
      text: "Standard input is empty",
      remedy: `Pass the value of ${name} on standard input.`,
      done: UNSENT,
    }),
    case_base_url: (file: string) => ({
      text: "--base-url cannot be used inside a case",
      detail: `Inside the case ${file}, commands read only its recorded responses.`,
      remedy: LEAVE,
      done: UNSENT,
    }),
    case_login: (file: string) => ({
      text: "You cannot log in inside a case",
      detail: `This is inside the case ${file}, which has a credential of its own.`,
      remedy: LEAVE,
    }),
  },
  rejected: {
    case_read_only: (path: string, file: string) => ({
      text: "A case is read-only",
      detail: `amp ${path} would change something, but the case ${file} is a recording.`,
      remedy: LEAVE,
      done: "Nothing was sent to any service.",
    }),
  },
  timeout: {
    deadline_reached: (limit: string, facts: ErrorFacts) => ({
      text: `The time limit of ${limit} was reached`,
      ...facts,
    }),
  },
});
