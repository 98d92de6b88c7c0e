import { AmpError, type ErrorFacts } from "../errors.ts";
import { withoutSecrets } from "../secret.ts";

/** Nobody threw it on purpose, so there is nothing that the reader could do differently. */
const DEFECT: ErrorFacts = {
  remedy:
    "This is a defect of amp, not of what you typed. Please report it with the output of the same command and --debug, which shows the stack.",
};

/** What an error says first; also of what is no error of amp, or no error at all. No secret is in it. */
export function messageOf(error: unknown): string {
  if (error instanceof AmpError) return withoutSecrets(error.message);
  const message = error instanceof Error ? error.message || error.name : String(error);
  return `Unexpected failure: ${withoutSecrets(message)}`;
}

/** What an error tells beyond its message, without secrets. */
export function factsOf(error: unknown): ErrorFacts {
  return error instanceof AmpError ? withoutSecrets(error.facts) : DEFECT;
}
