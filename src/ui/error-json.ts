import { AmpError, type ErrorFacts, EXIT, type ExitName } from "../errors.ts";
import { errorFactsOf, errorMessageOf } from "./error-facts.ts";

/** An error as a program reads it. Fields that are not known are absent. */
export interface ErrorJson {
  readonly error: Omit<ErrorFacts, "data"> & {
    readonly code: ExitName;
    readonly message: string;
    readonly exitCode: number;
    /** The further data of this error. */
    readonly [name: string]: unknown;
  };
}

/** In the order in which they are written. */
const FACTS = [
  "status",
  "type",
  "title",
  "detail",
  "requestId",
  "clientRequestId",
  "retryable",
  "retryAfter",
  "remedy",
  "href",
  "issues",
  "causes",
  "suggestion",
  "done",
] as const satisfies readonly (keyof ErrorFacts)[];

/** The record of an error for JSON output; further data never replaces what every error has. */
export function errorJson(error: unknown): ErrorJson {
  const code: ExitName = error instanceof AmpError ? error.exit : "unexpected";
  const facts = errorFactsOf(error);
  const known = FACTS.flatMap((name) => (facts[name] === undefined ? [] : [[name, facts[name]]]));
  const own = {
    code,
    message: errorMessageOf(error),
    exitCode: EXIT[code].code,
    ...Object.fromEntries(known),
  };
  return { error: { ...own, ...facts.data, ...own } };
}
