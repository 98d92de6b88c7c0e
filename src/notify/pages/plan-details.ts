import { REDACTED } from "../../secrets/secret.ts";
import { counted, firstNames } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { type Block, id, note, type PageRow } from "../../view/view.ts";
import { type Address, addressParts } from "../model/address.ts";
import { alsoWanted, blockerText } from "../plan/conflicts.ts";
import { shownDifference, shownValue } from "../plan/diff.ts";
import type { Difference, KeptResource, RemovedResource } from "../plan/plan.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { MADE_BY_AMP } from "../plan/prune.ts";
import type { ItemDocument, ReasonWord } from "../plan/vocabulary.ts";
import { resolveCommands } from "../state/edit.ts";

/** The end of an item's row: whether others want it, and what is listed of one to delete. */
export function moreAbout({ action, owners = [], listed }: ItemDocument): string {
  if (owners.length > 0) {
    const isNamed = action === "release" || action === "unknown";
    return isNamed ? ` (in ${owners.join(", ")})` : " (shared)";
  }
  if (action !== "delete") return "";
  if (listed === undefined) return " (not listed)";
  return listed.type ? ` (${listed.type})` : "";
}

/** The details of an item beyond its row: differences and changes. */
export function itemDetails(item: ItemDocument): Block[] {
  const { address, action, reason, ids = [], differences = [], spelling } = item;
  if (reason === "ambiguous" || reason === "unclear") {
    const heading =
      reason === "unclear"
        ? `${address} may be one of these; the list does not show which`
        : `${address} exists ${ids.length} times`;
    return [{ kind: "rows", heading, rows: [["IDs", ids.map(id)]] }];
  }
  if (spelling !== undefined) {
    const heading = `${address} is in place; the service spells it differently`;
    return [{ kind: "rows", heading, rows: differenceRows(spelling) }];
  }
  if (action === "update") {
    const rows = differences.map(({ field, wanted, found }): PageRow => {
      return [field, changeText(wanted, found)];
    });
    const heading = `${updateHeading(item)}${alsoWanted(item)}`;
    return [
      { kind: "rows", heading, rows },
      ...note(reason === "not_kept" ? NOT_KEPT : undefined, "dim"),
      ...leftBlock(item),
    ];
  }
  if (action === "adopt") return leftBlock(item);
  if (action !== "conflict" || reason === "not_listed") return [];
  if (reason && IN_WORDS.has(reason)) return note(blockerText(item));
  const heading = `${address} exists with different settings${alsoWanted(item)}`;
  const rows = differenceRows(differences);
  return [{ kind: "rows", heading, rows: rows.length === 0 ? [HIDDEN_DIFFERENCE] : rows }];
}

/** The reasons of conflicts that a sentence says, without rows. */
const IN_WORDS: ReadonlySet<ReasonWord> = new Set(["declared_twice", "both_exist", "not_found"]);

/** Why an update sends what the service was sent before. */
const NOT_KEPT =
  "The service was sent these values before and lists others: it did not keep them, or its list is out of date.";

/** The fields that were named before: taking them out of the file does not take them away. */
function leftBlock({ address, keptFields = [] }: ItemDocument): Block[] {
  if (keptFields.length === 0) return [];
  const text = `${address}: no longer in the file, and left as it is: ${keptFields.join(", ")}`;
  return note(text, "dim");
}

function updateHeading({ address, renamedFrom, adopts }: ItemDocument): string {
  if (renamedFrom !== undefined) {
    return `${renamedFrom} is renamed to ${addressParts(address).names.join("/")}`;
  }
  return `${address} ${adopts ? "is adopted and updated" : "is updated in place"}`;
}

function changeText(wanted: unknown, found: unknown): string {
  if (wanted === REDACTED && found === REDACTED) return "changed (hidden)";
  const before = found === undefined ? "" : `${shownValue(found)} `;
  return `${before}→ ${shownValue(wanted)}`;
}

function differenceRows(differences: readonly Difference[]): PageRow[] {
  return differences.map((one): PageRow => [one.field, shownDifference(one)]);
}

const HIDDEN_DIFFERENCE = [
  "Differs",
  "in something that the service does not return, possibly a secret",
] as const;

const TEXTS_OF_UNKNOWN = {
  lists:
    "Unknown outcomes are looked up first, which can take a minute (AMP_COMMIT_HORIZON); changes that did not happen are made then.",
  none: "Unknown outcomes cannot be looked up at this service. Check there which resources exist.",
} as const;

const TEXTS_OF_CREATED = {
  lists:
    "Resources that were created without an ID are looked up first, which can take a minute (AMP_COMMIT_HORIZON), and are not created again.",
  none: "Resources that were created without an ID cannot be looked up at this service. Check there which IDs they have.",
} as const;

/** The blocks about unknown outcomes: what applying does, or the commands that record them. */
export function unknownOutcomes({ items, lists }: PlanDocument): Block[] {
  const unknown = items.filter(({ action }) => action === "unknown");
  if (unknown.length === 0) return [];
  const isCreated = unknown.every(({ reason }) => reason === "id_unknown");
  const text = (isCreated ? TEXTS_OF_CREATED : TEXTS_OF_UNKNOWN)[lists ? "lists" : "none"];
  const created = isCreated ? true : undefined;
  const lines = resolveCommands({ placeholder: "address" }, { created });
  const record: Block = { kind: "command", heading: "Record the results", lines };
  return [...note(text, "attention"), ...(lists ? [] : [record])];
}

/** Why a resource that could be deleted is kept. */
export function keptText({ address, id, routes, differences }: KeptResource): string {
  if (differences !== undefined) return keptResourceWarning(address, id, differences)[0];
  return `${address} is kept: other routes use it (${routes.join(", ")}).`;
}

/** The warning about a resource that is kept because its ID may be that of another one. */
export function keptResourceWarning(
  address: Address,
  id: string,
  differences: readonly Difference[],
): [text: string, forget: SuggestedCommand] {
  const found = differences
    .map(({ field, found }) => `${visible(field)} ${shownValue(found)}`)
    .join(", ");
  const text = `${address} is kept: the service lists ${id} with ${found}. If amp did not create that one, remove it from the state:`;
  return [text, suggest("notify state forget", [address])];
}

/** What a reader is told of them; undefined where there are none. `all`: each by its address. */
export function removedFromFileText(
  removed: readonly RemovedResource[],
  { all = false }: { readonly all?: boolean } = {},
): string | undefined {
  if (removed.length === 0) return undefined;
  const [are, exist, them] =
    removed.length === 1 ? ["is", "exists", "it"] : ["are", "exist", "them"];
  const names = removed.map(({ address }) => address);
  const own = removed.filter(({ origin }) => MADE_BY_AMP[origin]).length;
  const remedy =
    own === 0
      ? `--prune keeps ${them}: amp did not create ${them}.`
      : `Add --prune to delete ${own < removed.length ? "those that amp created" : them}.`;
  return `${counted(removed.length, "resource")} ${are} no longer in this file, but still ${exist}: ${all ? names.join(", ") : firstNames(names)}. ${remedy}`;
}
