import type { Api } from "../api/operations/endpoint.ts";
import { listProjects } from "../api/operations/endpoints.ts";
import { ifAvailable, isUnavailable } from "../api/operations/optional-operation.ts";
import { lastLook, type Polling, poll } from "../api/operations/poll.ts";
import type { Invite } from "../api/schemas/project.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { Revocation } from "../documents/inspect.ts";
import { AmpError, ConflictError, isInterrupt, NotFoundError, PartialError } from "../errors.ts";
import { type Asker, chooseOne, type Lookup, noMatch, quotedInput } from "../questions/find.ts";
import { capitalised, counted } from "../values/counted.ts";
import { inputErrors } from "../values/errors.ts";
import { defined } from "../values/json.ts";
import { mistakes } from "../values/nearest.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { timeOf } from "../values/time.ts";
import { joined } from "../view/view.ts";
import { inspectErrors } from "./errors.ts";

/** The outcome for one invite. */
export interface RevocationOutcome extends Omit<Revocation, "error"> {
  readonly error?: AmpError;
}

/**
 * Revokes one invite.
 * @returns "already_revoked" where the service does not find it because it is
 * @throws {ConflictError} for one that was accepted or has expired
 */
export async function revokeOnce(
  context: Polling,
  { id, status: known }: FoundInvite,
  revoke: () => Promise<unknown>,
  { org, list }: { readonly org: string; readonly list: ListInvites },
): Promise<"revoked" | "already_revoked"> {
  // What the list says to be over is not sent, and not asked about.
  if (known === "revoked") return "already_revoked";
  const isKnownEnd = OVER.find((end) => end === known);
  if (isKnownEnd !== undefined) throw over(id, isKnownEnd);
  try {
    await revoke();
    return "revoked";
  } catch (error) {
    if (error instanceof PartialError && error.facts.status === 202) {
      if (await isRevoked(context, id, list)) return "revoked";
      const { status, requestId, clientRequestId } = error.facts;
      throw inspectErrors.revocation_unseen(id, defined({ status, requestId, clientRequestId }));
    }
    const isConflict = error instanceof ConflictError;
    if (!isConflict && !(error instanceof NotFoundError)) throw error;
    const all = await ifAvailable(list(context.api));
    const found = all?.find((one) => one.id === id);
    if (!isConflict && found?.status === "revoked") return "already_revoked";
    const end = OVER.find((known) => known === found?.status);
    if (isConflict && end !== undefined) throw over(id, end, error);
    if (!isConflict && all && found === undefined) throw unknownInvite(id, org, all);
    throw error;
  }
}

/** The pauses between the looks at the list for what was only accepted, in milliseconds. */
const PAUSES = [500, 1_500, 3_000];

type ListInvites = (api: Api) => Promise<readonly Invite[]>;

/** Whether the list no longer shows an invite as pending; false where there is no list. */
async function isRevoked(context: Polling, id: string, list: ListInvites): Promise<boolean> {
  const read = (api: Api) => ifAvailable(list(api));
  const isGone = (all?: readonly Invite[]) =>
    (all?.find((one) => one.id === id)?.status ?? "revoked") === "revoked";
  const patience = { pauses: PAUSES, maxLooks: PAUSES.length + 1 };
  const { answer: all } = await lastLook(poll(context, read, isGone, patience));
  return all !== undefined && isGone(all);
}

/** The states of an invite in which there is nothing to revoke. */
const OVER = ["accepted", "expired"] as const;

/** The error of an invite that can no longer be revoked, with what the service said. */
function over(id: string, status: (typeof OVER)[number], error?: ConflictError): ConflictError {
  const { status: code, requestId, clientRequestId } = error?.facts ?? {};
  const said = defined({ status: code, requestId, clientRequestId });
  return inspectErrors.invite_over(id, status === "accepted", said, error);
}

/**
 * Revokes invites one after another; a failure does not stop the rest.
 * @param again the command that tries the given invites once more
 * @returns the outcomes, where all were revoked
 * @throws the first failure where none was revoked, {@link PartialError} where only some were, or
 *   the interrupt; each has the outcome of every invite
 */
export async function revokeInvites(
  invites: readonly FoundInvite[],
  revoke: (invite: FoundInvite) => Promise<"revoked" | "already_revoked">,
  again: (ids: readonly string[]) => SuggestedCommand,
): Promise<RevocationOutcome[]> {
  const outcomes: RevocationOutcome[] = [];
  const ids = invites.map(({ id }) => id);
  for (const invite of invites) {
    const { id, invitedEmail } = invite;
    const about = { id, ...(invitedEmail ? { email: invitedEmail } : {}) };
    try {
      outcomes.push({ ...about, outcome: await revoke(invite) });
    } catch (error) {
      if (isInterrupt(error)) throw interrupted(error, outcomes, ids);
      if (!(error instanceof AmpError)) throw error;
      outcomes.push({ ...about, outcome: "failed", error });
    }
  }
  const failed = outcomes.filter(({ outcome }) => outcome === "failed");
  const [first] = failed;
  if (first?.error === undefined) return outcomes;
  if (outcomes.length === 1) throw first.error;
  const facts = { causes: failed.map(causeOf), data: { outcomes: outcomes.map(outcomeJson) } };
  if (failed.length === outcomes.length) {
    const isOpen = failed.some(({ error }) => error instanceof PartialError);
    const done = isOpen ? "It is unknown whether some were revoked." : "Nothing was revoked.";
    throw first.error.setFacts({ ...facts, done });
  }
  throw inspectErrors.revocations_partly(
    outcomes.length - failed.length,
    outcomes.length,
    { ...facts, done: revokedOf(outcomes) },
    again(failed.map(({ id }) => id)),
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

function outcomeJson({ error, ...about }: RevocationOutcome) {
  return { ...about, ...(error ? { code: error.exit, message: error.message } : {}) };
}

/** The list of an organisation's invites. */
interface InviteSearch {
  readonly org: string;
  readonly list: () => Promise<readonly Invite[]>;
}

/** An invite by its ID; with its record where the list was read. */
type FoundInvite = Pick<Invite, "id"> & Partial<Invite>;

/** An address, also in what a mail program copies: "Ada <ada@acme.example>". */
const ADDRESS = /[^\s<>"',;:()]+@[^\s<>"',;:()]+/gu;

/**
 * The invites that texts mean. An email address is its pending invite, or else the newest; anything
 * else is an ID already.
 * @param isChecked whether an ID is looked up too: before a question, and not where the service has
 * no list
 * @throws {NotFoundError} if no invite has this address or ID
 */
export async function findInvites(
  wanted: readonly string[],
  search: InviteSearch,
  asker: Asker,
  isChecked: boolean,
): Promise<FoundInvite[]> {
  const found: FoundInvite[] = [];
  for (const text of wanted) {
    const [address, second] = text.match(ADDRESS) ?? [];
    if (address !== undefined && second === undefined) {
      found.push(await inviteTo(address, search, asker));
      continue;
    }
    const all = isChecked ? await ifAvailable(search.list()) : undefined;
    const known = all?.find(({ id }) => id === text.trim());
    if (all !== undefined && known === undefined) throw unknownInvite(text, search.org, all);
    found.push(known ?? { id: text.trim() });
  }
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

async function inviteTo(
  address: string,
  { org, list }: InviteSearch,
  asker: Asker,
): Promise<FoundInvite> {
  const all = await list();
  const isWanted = ({ invitedEmail }: Invite) =>
    invitedEmail?.toLowerCase() === address.toLowerCase();
  const found = all.filter(isWanted);
  const pending = found.filter(({ status }) => status === "pending");
  if (pending.length > 0) {
    return chooseOne(pending, quotedInput(address), lookupIn(org, all), asker);
  }
  const madeAt = ({ createTime }: Invite) => timeOf(createTime) ?? 0;
  const [newest] = found.toSorted((one, other) => madeAt(other) - madeAt(one));
  if (newest !== undefined) return newest;
  const near = all.filter(({ invitedEmail }) => isNearAddress(address, invitedEmail ?? ""));
  throw unrevoked(noMatch(near, address, lookupIn(org, all)));
}

/** The error for an ID that no invite has: a part of an ID or an address is only looked for. */
function unknownInvite(text: string, org: string, all: readonly Invite[]) {
  return unrevoked(noMatch(all, text, { ...lookupIn(org, all), exact: true }));
}

function unrevoked(error: NotFoundError): NotFoundError {
  return error.setFacts({ done: "Nothing was revoked." });
}

function lookupIn(org: string, all: readonly Invite[]): Lookup<Invite> {
  return {
    noun: "invite",
    argument: "<invite>",
    list: suggest("invites list", [], { org }),
    again: (invite) => suggest("invites revoke", [invite], { org }),
    ids: ({ id }) => [id],
    names: ({ invitedEmail }) => [invitedEmail],
    describe: ({ id, invitedEmail, status, parentType, parentId, createTime }) => ({
      id,
      email: invitedEmail,
      status,
      to: [parentType, parentId].filter(Boolean).join(" "),
      created: createTime,
    }),
    where: `Searched the ${counted(all.length, "invite")} of ${org}.`,
  };
}

/** Whether an address is spelled like another: the names are, and what follows them is. */
function isNearAddress(typed: string, other: string): boolean {
  const parts = (address: string) => address.trim().toLowerCase().split("@");
  const [name = "", host = ""] = parts(typed);
  const [otherName = "", otherHost = ""] = parts(other);
  return Number.isFinite(mistakes(name, otherName)) && Number.isFinite(mistakes(host, otherHost));
}

/** The question before invites are revoked; undefined where none of them is open any more. */
export function revokeQuestion(invites: readonly FoundInvite[], org: string): string | undefined {
  const open = invites.filter(({ status }) => ![...OVER, "revoked"].includes(status ?? ""));
  const [first] = open;
  if (first === undefined) return undefined;
  if (open.length > 1) return `Revoke ${open.length} invites of ${org}?`;
  const { id, invitedEmail, status } = first;
  const state = status ? `the ${status} invite` : "invite";
  return `Revoke ${state} ${id}${invitedEmail ? ` to ${invitedEmail}` : ""} of ${org}?`;
}

type OrganisationContext = Pick<
  CommandContext,
  "api" | "settings" | "report" | "interactive" | "prompt"
>;

/**
 * The organisation of a command without `--org`: that of the project, or the only one that the
 * projects are of, or the one that is chosen on a terminal.
 * @throws {UsageError} with those that there are, where none of this says it
 */
export async function organisationOf(context: OrganisationContext): Promise<string> {
  const { api, settings, report, interactive, prompt } = context;
  const project = settings.get("project")?.value;
  const projects = await api.call(listProjects, {}).catch((error: unknown) => {
    if (isUnavailable(error)) return [];
    throw error;
  });
  const own = projects.find(({ id, name }) => project && [id, name].includes(project));
  const names = new Map<string, string[]>();
  for (const { orgId, name, id } of projects) {
    if (orgId) names.set(orgId, [...(names.get(orgId) ?? []), name || id]);
  }
  const [only, ...others] = names.keys();
  const found = own?.orgId || (others.length === 0 ? only : undefined);
  const textOf = (org: string) => `project ${names.get(org)?.join(", ")}`;
  if (found) {
    report.notice(`Organisation ${found}, of ${textOf(found)}.`);
    return found;
  }
  const organisations = [...names.keys()];
  if (interactive && organisations.length > 0) {
    const choices = organisations.map((value) => ({ value, label: value, note: textOf(value) }));
    return prompt.select({ message: "Which organisation?", flag: "--org", choices });
  }
  const known = organisations.map((org) => `${org} (${textOf(org)})`);
  const remedy = [
    "--org can also come from AMP_ORG or the profile.",
    project &&
      projects.length > 0 &&
      own === undefined &&
      `The service lists no project ${project}.`,
    known.length > 0 && `The organisations are ${known.join(", ")}.`,
  ];
  throw inputErrors.param_missing("--org", joined(remedy, " ") ?? "");
}
