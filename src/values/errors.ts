import { errorTable } from "../errors.ts";

/** The errors of what is typed, set or read from a file, whoever asks for it. */
export const inputErrors = errorTable({
  usage: {
    options_conflict: (one: string, other: string) => ({
      text: `${one} and ${other} conflict`,
      remedy: "Use one of them, not both.",
    }),
    file_unusable: (does: string, path: string, reason: string, cause: unknown) => ({
      text: `Cannot ${does} ${path}: ${reason}`,
      cause,
    }),
    link_leads_outside: (path: string, folder: string, instead: string) => ({
      text: `${path} is a link to a file outside ${folder}, which is not read in CI`,
      remedy: `Put the file itself there, or ${instead}.`,
    }),
  },
});
