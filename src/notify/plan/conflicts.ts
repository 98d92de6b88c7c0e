import { ConflictError } from "../../errors.ts";
import { quotedNames } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { type Address, addressParts } from "../model/address.ts";
import { shownDifference } from "./diff.ts";
import type { Plan } from "./plan.ts";
import { type ItemDocument, itemDocument, type ReasonWord } from "./vocabulary.ts";

/** The items that keep a plan from being applied. */
export function blockersOf({ items }: Pick<Plan, "items">): readonly ItemDocument[] {
  return items.map(itemDocument).filter(isBlocker);
}

/** Whether an item keeps a plan from being applied. */
export function isBlocker({ action }: ItemDocument): boolean {
  return action === "conflict";
}

/**
 * Checks that a plan can be applied.
 * @throws {ConflictError} naming every conflict, with IDs and remedies
 */
export function assertApplicable(plan: Plan): void {
  const blockers = blockersOf(plan);
  const error = blockedError(blockers);
  if (error === undefined) return;
  throw error.setFacts({ detail: blockers.map(blockerText).join("\n") });
}

/** The error of a plan that cannot be applied, for a reader who sees the plan itself. */
export function blockedError(items: readonly ItemDocument[]): ConflictError | undefined {
  const blockers = items.filter(isBlocker);
  const [first] = blockers;
  if (first === undefined) return undefined;
  const several = blockers.length > 1;
  return new ConflictError(
    several ? `${blockers.length} conflicts` : `Conflict: ${first.address}`,
    {
      remedy: [...new Set(blockers.map(remedyOf))].join(" "),
      done: blockers.some(isOfChange) ? "Nothing was changed." : "Nothing was created.",
      // Many have the same.
      suggestion: [...new Set(blockers.flatMap(commandsFor))],
      data: { conflicts: blockers },
    },
  );
}

/** The remedy for resources that are no longer listed. */
export const MISSING_REMEDY =
  "A resource that is no longer listed was deleted elsewhere, or the list is out of date. If it was deleted, add --accept recreate.";

/** True for a conflict that prevents an update, not a create. */
export function isOfChange({ reason, differences = [] }: ItemDocument): boolean {
  return (
    reason === "both_exist" ||
    reason === "shared" ||
    differences.some(({ field }) => field === "name")
  );
}

const REMEDIES: Readonly<Partial<Record<ReasonWord, string>>> = {
  not_managed:
    "Add --accept adopt to change its settings, use another name, or reference it by ID.",
  both_exist:
    "If they are two resources, do not rename one to the other; otherwise delete the one that you do not need.",
  declared_twice: "Keep one of them, with the routes of both.",
  not_found: "Correct the ID, or check which project it belongs to.",
  ambiguous: "Delete all but one at the service, or import the ID of the right one.",
  unclear: "Check at the service which of them is the right one, and import its ID.",
  not_listed: MISSING_REMEDY,
};

/** What to do where an update is not possible. */
export const ANOTHER_NAME = "Give it another name, and prune or delete the old one.";

/** The remedy for one conflict. */
export function remedyOf(item: ItemDocument): string {
  const { address, reason = "differs", differences = [], owners = [] } = item;
  if (isRenamedElsewhere(item)) {
    const [name] = addressParts(address).names;
    return `Restore its name at the service, or use the new name in the file, with renamed-from: ${name}.`;
  }
  const isOther = differences.some(({ field }) => field === "type");
  if (reason === "cannot_change" || (reason === "shared" && isOther)) {
    return `It cannot be changed in place. ${ANOTHER_NAME}`;
  }
  if (reason === "shared") {
    return `Use the settings of ${quotedNames(owners)}, or add --accept shared to change them for all.`;
  }
  return REMEDIES[reason] ?? "Use another name, reference it by ID, or delete it first.";
}

const FILE = { placeholder: "file" };
const RECREATE = suggest("notify apply", [], { f: FILE, accept: "recreate" }).asCorrection();

/** The commands that resolve a conflict without a change of the file. */
export function commandsFor(item: ItemDocument): SuggestedCommand[] {
  const { address, reason, ids = [] } = item;
  if (reason === "not_listed") return [RECREATE];
  if (isRenamedElsewhere(item)) return renameBack(item);
  return ids.map((id) => suggest("notify state import", [address, id]));
}

/** The command that gives a resource the name back that the state has. */
export function renameBack({
  address,
  id = "",
}: Pick<ItemDocument, "address" | "id">): SuggestedCommand[] {
  const { kind, names } = addressParts(address);
  const [name] = names;
  if (kind !== "destination" && kind !== "topic") return [];
  return [suggest(`notify ${kind}s update`, [id], { name })];
}

/** True if a resource of the state was renamed at the service. */
function isRenamedElsewhere({ reason = "differs", differences = [] }: ItemDocument): boolean {
  return reason === "differs" && differences.some(({ field }) => field === "name");
}

/** One conflict, with what differs, in lines of text. */
export function blockerText(item: ItemDocument): string {
  const { address, kind, reason, id, ids = [], differences = [] } = item;
  switch (reason) {
    case "unclear":
      return `${address} may be one of these; the list does not show which: ${ids.join(", ")}`;
    case "ambiguous":
      if (ids.length < 2) return `${address}: what it connects exists several times`;
      return `${address} exists ${ids.length} times: ${ids.join(", ")}`;
    case "not_listed":
      return `${address} was ${id} and is no longer listed`;
    case "both_exist":
      return `${address}: the name is taken: ${differences.map(({ found }) => String(found)).join(", ")}`;
    case "declared_twice":
      return declaredTwiceText(item);
    case "not_found":
      return `${address}: the service does not list ${kind} ${id}`;
    default: {
      const how = differences.map((one) => `${visible(one.field)}: ${shownDifference(one)}`);
      const unseen = "it differs in something that the service does not return, possibly a secret";
      const lines = how.length > 0 ? how : [unseen];
      const heading = `${address} exists as ${id} with different settings${alsoWanted(item)}:`;
      return [heading, ...lines].join("\n  ");
    }
  }
}

/**
 * The conflict of a resource that the routing declares at two addresses.
 * @param place where the file has an address
 */
export function declaredTwiceText(
  { address, kind, id, differences = [] }: ItemDocument,
  place: (address: Address) => string = () => "",
): string {
  const both = [...differences.map(({ found }) => found as Address), address];
  return `${both.map((one) => one + place(one)).join(" and ")} are one ${kind}: ${id}`;
}

/** The end of a sentence about a resource that other routings want. */
export function alsoWanted({ owners = [] }: Pick<ItemDocument, "owners">): string {
  return owners.length === 0 ? "" : `, also declared by ${quotedNames(owners)}`;
}
