import { type ErrorFacts, NotFoundError } from "../errors.ts";

/** The result of a call; if the requested resource does not exist, the error gets a remedy. */
export async function explainNotFound<Result>(
  facts: Pick<ErrorFacts, "remedy" | "suggestion">,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // What the service or the base URL lets one suspect is not lost.
    const remedy = [facts.remedy, error.facts.remedy].filter(Boolean).join(" ");
    throw error.addFacts({ ...facts, ...(remedy ? { remedy } : {}) });
  }
}
