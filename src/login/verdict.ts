import { AmpError } from "../errors.ts";

/** What a check that throws says of an answer, in the form that a question wants. */
export function verdict(check: () => unknown): true | string {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof AmpError) return error.message;
    throw error;
  }
}
