import { type ErrorFacts, errorTable } from "../errors.ts";

/** The errors of the files that a sandbox starts from and keeps. */
export const sandboxErrors = errorTable({
  usage: {
    sandbox_data_there: (path: string | undefined, option: string) => ({
      text: `${path} already has data, so ${option} has no effect`,
      remedy: `Leave out ${option}, or use another file.`,
    }),
    sandbox_file_unreadable: (path: string, reason: string, cause: unknown) => ({
      text: `${path} cannot be read: ${reason}`,
      cause,
    }),
    sandbox_file_unusable: (path: string, reason: string, cause: unknown) => ({
      text: `The sandbox cannot use ${path}: ${reason}`,
      cause,
    }),
    document_not_json: (file: string, facts: ErrorFacts | undefined, cause: Error) => ({
      text: `${file} is not valid JSON${/ at position \d+/u.exec(cause.message)?.[0] ?? ""}`,
      ...facts,
      cause,
    }),
    document_of_link: (file: string) => ({
      text: `${file} is not valid`,
      detail: "It was reached by a link, so nothing of it is shown.",
      remedy: "Pass its own path to see what is wrong.",
      done: "The file was not changed.",
    }),
    document_invalid: (file: string, problem: string, facts?: ErrorFacts) => ({
      text: `${file} is not valid: ${problem}`,
      ...facts,
    }),
  },
});
