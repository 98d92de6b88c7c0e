import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Invite } from "../api/schemas/invite.ts";
import { AmpError, isInterrupt, NotFoundError, PartialError } from "../errors.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { type Asker, chooseOne, type Lookup, noMatch } from "./find.ts";

/** The outcome for one invite. */
export interface RevocationOutcome {
  readonly id: string;
  readonly outcome: "revoked" | "already_revoked" | "failed" | "not_tried";
  /** The reason of a failure. */
  readonly error?: AmpError;
}

/** The list of an organisation's invites, and the words for one of them. */
interface InviteSearch {
  readonly org: string;
  readonly list: () => Promise<readonly Invite[]>;
}

/**
 * The ID of the invite to an email address: the pending one, or else the newest. Anything else is
 * an ID already.
 * @throws {NotFoundError} if no invite has this address
 */
export async function inviteId(
  wanted: string,
  { org, list }: InviteSearch,
  asker: Asker,
): Promise<string> {
  if (!wanted.includes("@")) return wanted;
  const all = await list();
  const isWanted = ({ invitedEmail }: Invite) =>
    invitedEmail?.toLowerCase() === wanted.trim().toLowerCase();
  const found = all.filter(isWanted);
  const lookup: Lookup<Invite> = {
    noun: "invite",
    argument: "<invite>",
    list: suggest("invites list", [], { org }),
    // A guess is never offered as a command that revokes.
    again: () => suggest("invites list", [], { org }),
    ids: ({ id }) => [id],
    names: ({ invitedEmail }) => [invitedEmail],
    describe: ({ id, invitedEmail, status, parentType, parentId, createTime }) => ({
      id,
      email: invitedEmail,
      status,
      to: [parentType, parentId].filter(Boolean).join(" "),
      created: createTime,
    }),
    where: `Searched the ${all.length} invites of ${org}. Nothing was revoked.`,
  };
  const pending = found.filter(({ status }) => status === "pending");
  if (pending.length > 0) {
    return (await chooseOne(pending, JSON.stringify(wanted), lookup, asker)).id;
  }
  const [newest] = found.toSorted((one, other) =>
    (other.createTime ?? "").localeCompare(one.createTime ?? ""),
  );
  if (newest === undefined) throw noMatch(all, wanted, lookup);
  return newest.id;
}

/**
 * Revokes one invite.
 * @returns "already_revoked" where the service does not find it because it is
 */
export async function revokeOnce(
  id: string,
  revoke: () => Promise<unknown>,
  list: InviteSearch["list"],
): Promise<"revoked" | "already_revoked"> {
  try {
    await revoke();
    return "revoked";
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const listed = (await ifAvailable(list())) ?? [];
    if (listed.some((one) => one.id === id && one.status === "revoked")) return "already_revoked";
    throw error;
  }
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
  revoke: (id: string) => Promise<"revoked" | "already_revoked">,
  again: (ids: readonly string[]) => SuggestedCommand,
): Promise<RevocationOutcome[]> {
  const outcomes: RevocationOutcome[] = [];
  const unique = [...new Set(ids)];
  for (const id of unique) {
    try {
      outcomes.push({ id, outcome: await revoke(id) });
    } catch (error) {
      if (isInterrupt(error)) {
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
  const notTried = left.map((id): RevocationOutcome => ({ id, outcome: "not_tried" }));
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
  const said = (["revoked", "already_revoked"] as const).flatMap((state) => {
    const ids = outcomes.filter(({ outcome }) => outcome === state).map(({ id }) => id);
    const [first = "", ...rest] = outcomeWords(state);
    return ids.length === 0 ? [] : `${first.toUpperCase()}${rest.join("")}: ${ids.join(", ")}.`;
  });
  return said.length === 0 ? "Nothing was revoked." : said.join(" ");
}

/** An outcome in words: `already revoked`. */
export function outcomeWords(outcome: RevocationOutcome["outcome"]): string {
  return outcome.replaceAll("_", " ");
}

function causeOf({ id, error }: RevocationOutcome): string {
  return [`${id}: ${error?.message}`, error?.facts.detail].filter(Boolean).join(". ");
}

function outcomeJson({ id, outcome, error }: RevocationOutcome) {
  return { id, outcome, ...(error ? { code: error.exit, message: error.message } : {}) };
}
