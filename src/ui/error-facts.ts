import { AmpError, type ErrorFacts } from "../errors.ts";
import { redactSecrets } from "../secrets/secret.ts";

/** Nobody threw it on purpose, so there is nothing that the reader could do differently. */
const DEFECT: ErrorFacts = {
  remedy:
    "This is a defect of amp, not of what you typed. Please report it with the output of the same command and --debug, which shows the stack.",
};

/** What an error says first; also of what is no error of amp, or no error at all. No secret is in it. */
export function errorMessageOf(error: unknown): string {
  if (error instanceof AmpError) return redactSecrets(error.message);
  const message = error instanceof Error ? error.message || error.name : String(error);
  return `Unexpected failure: ${redactSecrets(message)}`;
}

/** What an error tells beyond its message, without secrets. */
export function errorFactsOf(error: unknown): ErrorFacts {
  return error instanceof AmpError ? redactSecrets(error.facts) : DEFECT;
}
