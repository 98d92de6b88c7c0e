import { AmpError, InterruptedError, PartialError, TerminatedError } from "../errors.ts";

/** What became of one invite. */
export interface Outcome {
  readonly id: string;
  readonly outcome: "revoked" | "failed";
  /** Why it failed. */
  readonly error?: AmpError;
}

/** Waits for one revocation; an interrupt is no outcome and passes. */
export async function outcomeOf(id: string, revocation: Promise<unknown>): Promise<Outcome> {
  try {
    await revocation;
    return { id, outcome: "revoked" };
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    if (error instanceof InterruptedError || error instanceof TerminatedError) throw error;
    return { id, outcome: "failed", error };
  }
}

/**
 * The outcomes where all were revoked.
 * @throws the first failure where none was, {@link PartialError} where only some were
 */
export function settleRevocations(outcomes: readonly Outcome[]): Outcome[] {
  const failed = outcomes.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (first?.error === undefined) return [...outcomes];
  if (failed.length === outcomes.length) {
    const rest = failed.slice(1).map(({ id, error }) => `${id}: ${error?.message}`);
    throw first.error.with({
      done: "Nothing was revoked.",
      causes: [...(first.error.facts.causes ?? []), ...rest],
    });
  }
  throw new PartialError(
    `${outcomes.length - failed.length} of ${outcomes.length} invites were revoked`,
    {
      causes: failed.map(({ id, error }) => `${id}: ${error?.message}`),
      done: `Revoked: ${outcomes
        .filter(({ error }) => !error)
        .map(({ id }) => id)
        .join(", ")}`,
      data: {
        outcomes: outcomes.map(({ id, outcome, error }) => ({
          id,
          outcome,
          ...(error ? { code: error.exit, message: error.message } : {}),
        })),
      },
      suggestion: `amp invites revoke ${failed.map(({ id }) => id).join(" ")}`,
    },
  );
}
