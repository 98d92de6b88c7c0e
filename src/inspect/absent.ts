import { type ErrorFacts, NotFoundError } from "../errors.ts";

/** The result of a call; if the requested resource does not exist, the error gets a remedy. */
export async function explainNotFound<Result>(
  facts: Pick<ErrorFacts, "remedy" | "suggestion">,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof NotFoundError ? error.addFacts(facts) : error;
  }
}
