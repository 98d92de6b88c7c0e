import { AmpError, InterruptedError, PartialError, TerminatedError } from "../errors.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";

/** The outcome for one invite. */
export interface RevocationOutcome {
  readonly id: string;
  readonly outcome: "revoked" | "failed" | "not tried";
  /** The reason of a failure. */
  readonly error?: AmpError;
}

/**
 * Revokes invites one after another; a failure does not stop the rest.
 * @param again the command that tries the given invites once more
 * @returns the outcomes, where all were revoked
 * @throws the first failure where none was revoked, {@link PartialError} where only some were, or
 *   the interrupt; each has the outcome of every invite
 */
export async function revokeInvites(
  ids: readonly string[],
  revoke: (id: string) => Promise<unknown>,
  again: (ids: readonly string[]) => SuggestedCommand,
): Promise<RevocationOutcome[]> {
  const outcomes: RevocationOutcome[] = [];
  const unique = [...new Set(ids)];
  for (const id of unique) {
    try {
      await revoke(id);
      outcomes.push({ id, outcome: "revoked" });
    } catch (error) {
      if (error instanceof InterruptedError || error instanceof TerminatedError) {
        throw interrupted(error, outcomes, unique);
      }
      if (!(error instanceof AmpError)) throw error;
      outcomes.push({ id, outcome: "failed", error });
    }
  }
  const failed = outcomes.filter(({ outcome }) => outcome === "failed");
  const [first] = failed;
  if (first?.error === undefined) return outcomes;
  if (outcomes.length === 1) throw first.error;
  const facts = { causes: failed.map(causeOf), data: { outcomes: outcomes.map(outcomeJson) } };
  if (failed.length === outcomes.length) {
    throw first.error.addFacts({ ...facts, done: "Nothing was revoked." });
  }
  throw new PartialError(
    `${outcomes.length - failed.length} of ${outcomes.length} invites revoked`,
    { ...facts, done: revokedOf(outcomes), suggestion: again(failed.map(({ id }) => id)) },
  );
}

function interrupted(
  error: AmpError,
  before: readonly RevocationOutcome[],
  ids: readonly string[],
): AmpError {
  const [current, ...left] = ids.slice(before.length);
  const notTried = left.map((id): RevocationOutcome => ({ id, outcome: "not tried" }));
  const done = [
    before.length > 0 && revokedOf(before),
    `It is unknown whether ${current} was revoked; revoking it again is safe.`,
    left.length > 0 && `Not tried: ${left.join(", ")}.`,
  ];
  return error.addFacts({
    done: done.filter(Boolean).join(" "),
    causes: before.filter((one) => one.error).map(causeOf),
    data: { outcomes: [...before, ...notTried].map(outcomeJson) },
  });
}

function revokedOf(outcomes: readonly RevocationOutcome[]): string {
  const revoked = outcomes.filter(({ outcome }) => outcome === "revoked").map(({ id }) => id);
  return revoked.length === 0 ? "Nothing was revoked." : `Revoked: ${revoked.join(", ")}.`;
}

function causeOf({ id, error }: RevocationOutcome): string {
  return [`${id}: ${error?.message}`, error?.facts.detail].filter(Boolean).join(". ");
}

function outcomeJson({ id, outcome, error }: RevocationOutcome) {
  return { id, outcome, ...(error ? { code: error.exit, message: error.message } : {}) };
}
