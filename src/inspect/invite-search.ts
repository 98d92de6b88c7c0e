import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Invite } from "../api/schemas/project.ts";
import type { NotFoundError } from "../errors.ts";
import { compareText } from "../values/compare-text.ts";
import { counted } from "../values/counted.ts";
import { mistakes } from "../values/nearest.ts";
import { suggest } from "../values/suggested-command.ts";
import { type Asker, chooseOne, type Lookup, noMatch } from "./find.ts";

/** The list of an organisation's invites. */
export interface InviteSearch {
  readonly org: string;
  readonly list: () => Promise<readonly Invite[]>;
}

/** An invite by its ID; with its record where the list was read. */
export type FoundInvite = Pick<Invite, "id"> & Partial<Invite>;

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
    return chooseOne(pending, JSON.stringify(address), lookupIn(org, all), asker);
  }
  const [newest] = found.toSorted((one, other) =>
    compareText(other.createTime ?? "", one.createTime ?? ""),
  );
  if (newest !== undefined) return newest;
  const near = all.filter(({ invitedEmail }) => isNearAddress(address, invitedEmail ?? ""));
  throw unrevoked(noMatch(near, address, lookupIn(org, all)));
}

/**
 * The error for an ID that no invite has: a part of an ID or an address revokes nothing, but is
 * looked for.
 */
export function unknownInvite(text: string, org: string, all: readonly Invite[]) {
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

/** The states of an invite in which there is nothing to revoke. */
const OVER: ReadonlySet<unknown> = new Set(["accepted", "expired", "revoked"]);

/** The question before invites are revoked; undefined where none of them is open any more. */
export function revokeQuestion(invites: readonly FoundInvite[], org: string): string | undefined {
  const open = invites.filter(({ status }) => !OVER.has(status));
  const [first] = open;
  if (first === undefined) return undefined;
  if (open.length > 1) return `Revoke ${open.length} invites of ${org}?`;
  const { id, invitedEmail, status } = first;
  const state = status ? `the ${status} invite` : "invite";
  return `Revoke ${state} ${id}${invitedEmail ? ` to ${invitedEmail}` : ""} of ${org}?`;
}
