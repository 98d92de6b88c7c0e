import { counted, firstNames, quotedNames } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { type Block, note, type PageRow } from "../../view/view.ts";
import { type Address, addressParts } from "../model/address.ts";
import { RESOURCES } from "../model/resource.ts";
import { blockerText } from "../plan/conflicts.ts";
import { shownDifference, shownValue } from "../plan/diff.ts";
import type { Difference, KeptResource, RemovedResource } from "../plan/plan.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { MADE_BY_AMP } from "../plan/prune.ts";
import type { ItemDocument, ReasonWord } from "../plan/vocabulary.ts";
import { resolveCommands } from "../state/edit.ts";

/** The kind and the name of a resource, as pages and progress lines have them. */
export function resourceName(address: Address, { oneTopic = false } = {}) {
  const { kind, names } = addressParts(address);
  const { key, words } = RESOURCES[kind];
  const own = names.filter((_, at) => key[at]?.references === undefined);
  // A notification travels from an event to a topic, and from a topic to a destination.
  const inFlow = [...own, ...names.filter((_, at) => key[at]?.references !== undefined)];
  return {
    // The column is narrow, and the name distinguishes event routes from destination routes.
    kind: words[0].split(" ").at(-1) ?? words[0],
    name: (oneTopic && own.length > 0 ? own : inFlow).join(" → "),
  };
}

/** Whether fields of an item differ, which have a block of their own. */
export function isCompared({ action, reason, differences = [] }: ItemDocument): boolean {
  if (action === "update") return differences.length > 0;
  return action === "conflict" && !(reason && NOT_COMPARED.has(reason));
}

/** The fields of an item that differ. */
export function changeRows({ differences = [] }: ItemDocument): readonly PageRow[] {
  if (differences.length === 0) return [HIDDEN_DIFFERENCE];
  return differences.map((one) => [one.field, shownDifference(one)]);
}

/**
 * What is said of an item beyond its name.
 * @param words those of its action
 */
export function itemText(item: ItemDocument, words: string): string {
  const { action, id, ids = [], previousId, owners = [], adopts } = item;
  const { type, deliversTo = [], listed } = item;
  const about = action === "delete" ? [listed ? listed.type : "not listed"] : [type, ...deliversTo];
  return [
    [words, ...about].filter(Boolean).join(" "),
    adopts && "exists: adopt",
    ...(isCompared(item) ? [] : [...ids, id ?? previousId]),
    owners.length > 0 && `also declared by ${quotedNames(owners)}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** What is said of an item below the rows. */
export function itemDetails(item: ItemDocument): Block[] {
  const { address, action, reason, spelling, keptFields = [] } = item;
  if (spelling !== undefined) {
    const heading = `${address} is in place; the service spells it differently`;
    const rows = spelling.map((one): PageRow => [one.field, shownDifference(one)]);
    return [{ kind: "rows", heading, rows }];
  }
  if (action === "conflict" && reason && IN_WORDS.has(reason)) return note(blockerText(item));
  const left = `${address}: no longer in the file, and left as it is: ${keptFields.join(", ")}`;
  return [
    ...note(reason === "not_kept" ? NOT_KEPT : undefined, "dim"),
    ...note(keptFields.length === 0 ? undefined : left, "dim"),
  ];
}

/** The reasons of conflicts that a sentence says. */
const IN_WORDS: ReadonlySet<ReasonWord> = new Set(["declared_twice", "both_exist", "not_found"]);

/** The reasons of conflicts that are not about fields. */
const NOT_COMPARED: ReadonlySet<ReasonWord> = new Set([
  ...IN_WORDS,
  ...(["ambiguous", "unclear", "not_listed"] as const),
]);

/** Why an update sends what the service was sent before. */
const NOT_KEPT =
  "The service was sent these values before and lists others: it did not keep them, or its list is out of date.";

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
