import { expect } from "vitest";
import type { AmpError } from "../../../src/errors.ts";
import type { StateTarget } from "../../../src/notify/state/state.ts";

/** The target of the states of the tests. */
export const TARGET: StateTarget = {
  origin: "https://api.example.test",
  basePath: "/v1",
  project: "acme",
};

/** The error that a promise is rejected with. */
export async function thrownBy(work: Promise<unknown>): Promise<AmpError> {
  return work.then(
    () => expect.unreachable("nothing was thrown"),
    (error: AmpError) => error,
  );
}

/** The error that a function throws at once. */
export function thrownAtOnce(run: () => unknown): AmpError {
  try {
    run();
  } catch (error) {
    return error as AmpError;
  }
  return expect.unreachable("nothing was thrown");
}
