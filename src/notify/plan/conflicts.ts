import type { ItemDocument } from "../../documents/routing.ts";
import type { ConflictError } from "../../errors.ts";
import { quotedNames } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { routingErrors } from "../errors.ts";
import { type Address, addressParts } from "../model/address.ts";
import { referencesOf } from "../model/resource.ts";
import { shownDifference } from "./compare.ts";
import { itemDocument, type Plan } from "./plan.ts";
import type { ConflictReason } from "./vocabulary.ts";

/** The items that keep a plan from being applied. */
export function blockersOf({ items }: Pick<Plan, "items">): readonly ItemDocument[] {
  return items.map(itemDocument).filter(isBlocker);
}

/** Whether an item keeps a plan from being applied; a route between conflicts only follows them. */
export function isBlocker({ action, reason }: ItemDocument): boolean {
  return action === "conflict" && reason !== "end_in_conflict";
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
  if (blockers.length === 0) return undefined;
  // Many have the same.
  const remedy = [...new Set(blockers.map(remedyOf).filter(Boolean))].join(" ");
  const next = [...new Set(blockers.flatMap(commandsFor))];
  return routingErrors.plan_blocked(blockers, blockers.some(isOfChange), remedy, next);
}

/** True for a conflict that prevents an update or a delete, not a create. */
function isOfChange({ reason, differences = [] }: ItemDocument): boolean {
  return (
    (reason !== undefined && OF_CHANGE.has(reason)) ||
    differences.some(({ field }) => field === "name")
  );
}

const OF_CHANGE: ReadonlySet<string> = new Set([
  "both_exist",
  "shared",
  "in_reads",
  "takeover",
  "changed_both",
  "name_taken",
] satisfies ConflictReason[]);

/** What to do where an update is not possible. */
export const ANOTHER_NAME = "Give it another name, and prune or delete the old one.";

/** What a reader is told of a conflict: what is wrong with the resource, and the ways out of it. */
interface ConflictWords {
  readonly says: (item: ItemDocument) => string;
  readonly remedy: string | ((item: ItemDocument) => string);
}

const WORDS: Readonly<Record<ConflictReason, ConflictWords>> = {
  same_id: {
    says: ({ address, elsewhere, id }) =>
      elsewhere === address
        ? `is no longer listed as ${id}, and is the same route as another one in the state`
        : `is the same resource as ${elsewhere}: ${id}`,
    remedy: (item) => {
      if (item.elsewhere === item.address)
        return "Remove it from the state; the next plan takes the other one.";
      const keep = "Keep one of the two in the file, with the routes of both";
      return isDeclaredById(item) ? `${keep}.` : `${keep}, or remove one of them from the state.`;
    },
  },
  not_found: {
    says: ({ id }) => `has the ID ${id} in the file, which the service does not list`,
    remedy: "Correct the ID, or check which project it belongs to.",
  },
  both_exist: {
    says: ({ differences = [] }) =>
      `exists under both names: ${differences.map(({ found }) => String(found)).join(", ")}`,
    remedy:
      "If they are two resources, take renamed-from out of the file; otherwise delete the one that you do not need.",
  },
  end_in_conflict: {
    says: ({ elsewhere }) => `needs ${elsewhere}, which is in conflict`,
    remedy: "",
  },
  shared: {
    says: (item) =>
      [
        `is owned by ${quotedNames(item.owners ?? [])}`,
        item.elsewhere ? ` as ${item.elsewhere}` : isGone(item) && ", and no longer listed",
      ]
        .filter(Boolean)
        .join(""),
    remedy: (item) => {
      const owners = quotedNames(item.owners ?? []);
      if (item.elsewhere) return `Use the name that ${owners} has for it, or ${TAKE_OVER}`;
      if (isGone(item)) return `Apply the file of ${owners}, or ${TAKE_OVER}`;
      return `Use the settings of ${owners}, or add --accept shared to change them and own it.`;
    },
  },
  name_taken: {
    says: ({ id, ids = [], differences = [] }) => {
      const name = differences.find(({ field }) => field === "name")?.found;
      const called = typeof name === "string" ? `named ${visible(name)}` : "renamed";
      return `is ${id}, which is ${called} at the service now; ${ids.join(", ")} has its name`;
    },
    remedy: "Rename or delete one of them at the service.",
  },
  ambiguous: {
    says: ({ ids = [] }) => `exists ${ids.length} times: ${ids.join(", ")}`,
    remedy: (item) =>
      isRoute(item)
        ? "Delete all but one at the service."
        : "Delete all but one at the service, or import the ID of the right one.",
  },
  unclear: {
    says: ({ ids = [] }) => `may be one of these; the list does not show which: ${ids.join(", ")}`,
    remedy: "Check at the service which of them is the right one, and import its ID.",
  },
  gone: {
    says: ({ id }) => `is no longer listed (ID ${id})`,
    remedy: "If it was deleted elsewhere, add --accept recreate, or take it out of the file.",
  },
  replaced: {
    says: ({ id, ids = [] }) => `is listed as ${ids.join(", ")}, and no longer as ${id}`,
    remedy: "Add --accept adopt to take that one in its place.",
  },
  cannot_change: { says: () => "cannot be changed in place", remedy: ANOTHER_NAME },
  not_managed: {
    says: () => "exists with different settings",
    remedy: "Add --accept adopt to change its settings, use another name, or reference it by ID.",
  },
  changed_both: {
    says: () => "was changed in the file and at the service",
    remedy:
      "Put the value of the service in the file, or add --accept adopt to send that of the file.",
  },
  in_reads: {
    says: ({ uses = [] }) => `is in use: ${uses.join("; ")}`,
    remedy: "Keep its name, or add --accept references to delete or rename it anyway.",
  },
  takeover: {
    says: () => "would be deleted, but the file declares nothing that its name owns",
    remedy:
      "If another file has the same name, change name: in this one. If this file replaces the earlier one, add --accept takeover.",
  },
};

const TAKE_OVER = "add --accept shared to own it.";

function isRoute({ kind }: ItemDocument): boolean {
  return referencesOf(kind).length > 0;
}

/** Whether the file declares one of two by its ID: without an entry, both would still be the same. */
function isDeclaredById({ differences = [] }: ItemDocument): boolean {
  return differences.some(({ field }) => field === "id");
}

/** Whether the resource of another file is not there any more. */
function isGone({ elsewhere, differences = [] }: ItemDocument): boolean {
  return elsewhere === undefined && differences.length === 0;
}

/** The reasons that say what differs themselves. */
const WITHOUT_FIELDS: ReadonlySet<string> = new Set([
  "same_id",
  "not_found",
  "both_exist",
  "end_in_conflict",
  "name_taken",
] satisfies ConflictReason[]);

/** The fields of a conflict that its sentence does not say. */
export function conflictFields({ reason, differences = [] }: ItemDocument) {
  return reason !== undefined && WITHOUT_FIELDS.has(reason) ? [] : differences;
}

/** What a conflict says of an item, without its name. */
export function conflictText(item: ItemDocument): string {
  return wordsOf(item)?.says(item) ?? "";
}

/** What a conflict says of an item; undefined for an item that is not in conflict. */
function wordsOf({ action, reason }: ItemDocument): ConflictWords | undefined {
  return action === "conflict" ? WORDS[reason as ConflictReason] : undefined;
}

/** The remedy for one conflict. */
export function remedyOf(item: ItemDocument): string {
  const { remedy = "" } = wordsOf(item) ?? {};
  return typeof remedy === "string" ? remedy : remedy(item);
}

/** One conflict, with what differs, in lines of text. */
export function blockerText(item: ItemDocument): string {
  const { address, id } = item;
  const says = conflictText(item);
  const heading = [address, id && !says.includes(id) ? ` (${id})` : "", ` ${says}`].join("");
  const how = conflictFields(item).map((one) => `${visible(one.field)}: ${shownDifference(one)}`);
  return how.length === 0 ? heading : [`${heading}:`, ...how].join("\n  ");
}

const FILE = { placeholder: "file" };

/** The commands that resolve a conflict without a change of the file. */
export function commandsFor(item: ItemDocument): SuggestedCommand[] {
  const { address, reason, id, ids = [], elsewhere } = item;
  switch (reason) {
    case "gone":
      return [suggest("notify apply", [], { f: FILE, accept: "recreate" }).asCorrection()];
    case "replaced":
      return [suggest("notify apply", [], { f: FILE, accept: "adopt" }).asCorrection()];
    case "ambiguous":
    case "unclear": {
      if (reason === "ambiguous" && isRoute(item)) {
        return ids.slice(1).map((one) => suggest("notify routes delete", [one]));
      }
      // An address that has an ID takes no other one.
      const forget = id === undefined ? [] : [suggest("notify state forget", [address])];
      return [...forget, ...ids.map((one) => suggest("notify state import", [address, one]))];
    }
    case "same_id":
      if (elsewhere === undefined || isDeclaredById(item)) return [];
      return [suggest("notify state forget", [elsewhere])];
    case "name_taken":
      return renameBack(address, id);
    default:
      return [];
  }
}

/** The command that gives a resource the name back that the state has. */
function renameBack(address: Address, id = ""): SuggestedCommand[] {
  const { kind, names } = addressParts(address);
  const [name] = names;
  if (kind !== "destination" && kind !== "topic") return [];
  return [suggest(`notify ${kind}s update`, [id], { name })];
}
