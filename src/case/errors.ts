import { errorTable } from "../errors.ts";
import { suggest } from "../values/suggested-command.ts";

/** The errors of cases: their files, and what cannot be done inside one. */
export const caseErrors = errorTable({
  usage: {
    case_newer: (name: string, format: string, own: string) => ({
      text: `${name} was saved by a newer version of amp (format ${format})`,
      detail: `This version reads ${own}.`,
      remedy: "Update amp, and run the command again.",
    }),
    case_invalid: (name: string) => ({
      text: `${name} is not a case`,
      remedy: "Pass a file that was saved with amp case create --save.",
    }),
    case_damaged: (name: string, why: string) => ({
      text: `${name} is damaged: ${why}`,
      remedy: "Ask the person who created the case to send the file again.",
    }),
    case_inside_case: (path: string) => ({
      text: "Cannot create a case inside a case",
      detail: "A case has only counts of the others, so amp cannot compare them again.",
      remedy: "Show the verdict of this case instead.",
      suggestion: suggest("case show", [path]),
    }),
    case_already_open: (path: string | undefined, command: string | undefined) => ({
      text: `This shell is already inside the case ${path}`,
      remedy:
        command === undefined
          ? "Leave it first, for example with: exit"
          : `Run the command as it is: ${command}`,
    }),
    object_unknown: (typed: string, names: readonly string[]) => ({
      text: `--object: the installation does not read ${JSON.stringify(typed)}`,
      remedy: names.length > 0 ? `Choose one of: ${names.join(", ")}.` : "It reads no objects.",
    }),
    program_not_run: (program: string, why: string, cause: unknown) => ({
      text: `Cannot run ${JSON.stringify(program)}: ${why}`,
      cause,
    }),
  },
  "not-found": {
    list_not_recorded: (path: string, of: string) => ({
      text: "The case does not have the whole list of installations",
      detail: `The case ${path} has only those of one group, of ${of}.`,
      remedy: "Run the command outside the case.",
    }),
  },
});
