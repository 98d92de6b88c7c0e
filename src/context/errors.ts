import { errorTable } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";

/** The errors of what every command has: its files, standard input, questions, output and guards. */
export const contextErrors = errorTable({
  usage: {
    names_empty: (option: string) => ({
      text: `${option} contains an empty name`,
      remedy: `Separate names by commas, for example ${option} id,group.groupName`,
    }),
    file_exists: (path: string) => ({
      text: `${path} already exists`,
      remedy: "Choose another file name, or add --overwrite to replace it.",
    }),
    stdin_is_terminal: () => ({
      text: "Standard input is a terminal, not a pipe or file",
      remedy: "Pipe the text in, or pass a file name instead of -.",
    }),
    profile_read_only: (name: string) => ({
      text: `Profile ${name} is read-only`,
      done: "Nothing was changed.",
      remedy: "Use another profile with --profile, or allow this one to write:",
      suggestion: suggest("auth protect", [name], { readOnly: true, off: true }),
    }),
    profile_not_confirmed: (name: string) => ({
      text: `Profile ${name} is protected, and this is not an interactive terminal`,
      done: "Nothing was changed.",
      remedy: `Add --confirm ${name}.`,
    }),
    profile_not_in_use: (source: string, value: string, chosen: string | undefined) => ({
      text: `${source} is ${value}, but ${chosen ? `the profile in use is ${chosen}` : "no profile is in use"}`,
      done: "Nothing was changed.",
      remedy: chosen
        ? `Choose the profile with --profile, or correct ${source}.`
        : `Remove ${source}; --expect-project guards a credential without a profile.`,
    }),
  },
});
