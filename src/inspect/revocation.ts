import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Invite } from "../api/schemas/invite.ts";
import { AmpError, ConflictError, isInterrupt, NotFoundError, PartialError } from "../errors.ts";
import { capitalised, counted } from "../values/counted.ts";
import { withoutUndefined } from "../values/json.ts";
import { mistakes } from "../values/nearest.ts";
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
    where: `Searched the ${counted(all.length, "invite")} of ${org}. Nothing was revoked.`,
  };
  const pending = found.filter(({ status }) => status === "pending");
  if (pending.length > 0) {
    return (await chooseOne(pending, JSON.stringify(wanted), lookup, asker)).id;
  }
  const [newest] = found.toSorted((one, other) =>
    (other.createTime ?? "").localeCompare(one.createTime ?? ""),
  );
  if (newest === undefined) {
    const near = all.filter(({ invitedEmail }) => isNearAddress(wanted, invitedEmail ?? ""));
    throw noMatch(near, wanted, lookup);
  }
  return newest.id;
}

/** Whether an address is spelled like another: the names are, and what follows them is. */
function isNearAddress(typed: string, other: string): boolean {
  const parts = (address: string) => address.trim().toLowerCase().split("@");
  const [name = "", host = ""] = parts(typed);
  const [otherName = "", otherHost = ""] = parts(other);
  return Number.isFinite(mistakes(name, otherName)) && Number.isFinite(mistakes(host, otherHost));
}

/**
 * Revokes one invite.
 * @returns "already_revoked" where the service does not find it because it is
 * @throws {ConflictError} for one that was accepted or has expired
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
    const isConflict = error instanceof ConflictError;
    if (!isConflict && !(error instanceof NotFoundError)) throw error;
    const status = (await ifAvailable(list()))?.find((one) => one.id === id)?.status;
    if (!isConflict && status === "revoked") return "already_revoked";
    const end = OVER.find((known) => known === status);
    if (isConflict && end !== undefined) throw over(id, end, error);
    throw error;
  }
}

/** The states of an invite in which there is nothing to revoke. */
const OVER = ["accepted", "expired"] as const;

/** The error of an invite that cannot be revoked any more, with what the service said of the request. */
function over(id: string, status: (typeof OVER)[number], error: ConflictError): ConflictError {
  const { status: code, requestId, clientRequestId } = error.facts;
  const said = withoutUndefined({ status: code, requestId, clientRequestId });
  const verb = status === "accepted" ? "was already accepted" : "has expired";
  const remedy =
    status === "accepted"
      ? "The person may be a member now: remove them from the organisation instead."
      : "Nobody can accept it any more: there is nothing to do.";
  return new ConflictError(
    `Invite ${id} ${verb}, and cannot be revoked`,
    { ...said, remedy },
    { cause: error },
  );
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
    throw first.error.setFacts({ ...facts, done: "Nothing was revoked." });
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
  return error.setFacts({
    done: done.filter(Boolean).join(" "),
    causes: before.filter((one) => one.error).map(causeOf),
    data: { outcomes: [...before, ...notTried].map(outcomeJson) },
  });
}

function revokedOf(outcomes: readonly RevocationOutcome[]): string {
  const said = (["revoked", "already_revoked"] as const).flatMap((state) => {
    const ids = outcomes.filter(({ outcome }) => outcome === state).map(({ id }) => id);
    return ids.length === 0 ? [] : `${capitalised(outcomeWords(state))}: ${ids.join(", ")}.`;
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
