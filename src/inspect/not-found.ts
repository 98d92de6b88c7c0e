import { type ErrorFacts, NotFoundError, NotRecordedError } from "../errors.ts";

/** The result of a call; if the requested resource does not exist, the error gets a remedy. */
export async function explainNotFound<Result>(
  facts: Pick<ErrorFacts, "remedy" | "suggestion">,
  call: Promise<Result>,
): Promise<Result> {
  try {
    return await call;
  } catch (error) {
    // What a case has not recorded may well exist.
    if (!(error instanceof NotFoundError) || error instanceof NotRecordedError) throw error;
    const remedy = combinedRemedy(error, facts.remedy);
    throw error.setFacts({ ...facts, ...(remedy ? { remedy } : {}) });
  }
}

/**
 * A remedy before that of an error: what the service or the base URL lets one suspect is not lost.
 */
export function combinedRemedy({ facts }: NotFoundError, remedy = ""): string {
  return [remedy, facts.remedy].filter(Boolean).join(" ");
}
