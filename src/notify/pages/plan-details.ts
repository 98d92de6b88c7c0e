import type {
  Difference,
  ItemDocument,
  KeptResource,
  PlanDocument,
  RemovedResource,
} from "../../documents/routing.ts";
import { counted, quotedNames } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import { type Block, note, type PageRow } from "../../view/view.ts";
import { type Address, addressParts } from "../model/address.ts";
import { RESOURCES } from "../model/resource.ts";
import { conflictFields, conflictText } from "../plan/conflicts.ts";
import { shownDifference } from "../plan/differences.ts";
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
export function isCompared(item: ItemDocument): boolean {
  return fieldsOf(item).length > 0;
}

/** The fields of an item that differ. */
export function changeRows(item: ItemDocument): readonly PageRow[] {
  return fieldsOf(item).map((one) => [one.field, shownDifference(one)]);
}

function fieldsOf(item: ItemDocument): readonly Difference[] {
  const { action, differences = [] } = item;
  if (action === "update") return differences;
  return action === "conflict" ? conflictFields(item) : [];
}

/**
 * What is said of an item beyond its name.
 * @param words those of its action
 */
export function itemText(item: ItemDocument, words: string): string {
  const { action, id, ids = [], previousId, owners = [], adopts } = item;
  if (action === "conflict") return conflictText(item);
  const { type, deliversTo = [], listed } = item;
  const about = action === "delete" ? [listed?.type] : [type, ...deliversTo];
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
  const { address, notKept = [], keptFields = [] } = item;
  const left = `${address}: no longer in the file, and left as it is: ${keptFields.join(", ")}`;
  return [
    ...(notKept.length === 0 ? [] : [notKeptBlock(address, notKept)]),
    ...note(keptFields.length === 0 ? undefined : left, "dim"),
  ];
}

/** The fields that the service was sent and shows otherwise: they are not sent again. */
function notKeptBlock(address: Address, notKept: readonly Difference[]): Block {
  const heading = `${address}: the service did not keep what it was sent`;
  return { kind: "rows", heading, rows: notKept.map((one) => [one.field, shownDifference(one)]) };
}

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

/** Why a resource that is no longer in the file is kept. */
export function keptText({ address, id, reason, routes, listedName }: KeptResource): string {
  switch (reason) {
    case "in_use":
      return `${address} is kept: other routes use it (${routes.join(", ")}).`;
    default: {
      const called = listedName === undefined ? "differently" : `as ${visible(listedName)}`;
      return `${address} is kept: the service lists ${id} ${called}. If amp did not create that one, remove it from the state: amp notify state forget ${address}`;
    }
  }
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
  const shared = removed.filter(({ alsoIn = [] }) => alsoIn.length > 0);
  const found = removed.filter((one) => !shared.includes(one) && one.made === "found");
  const isNone = shared.length + found.length === removed.length;
  const why = [
    found.length > 0 && (isNone ? `amp did not create ${them}` : "amp created"),
    shared.length > 0 && (isNone ? `another file declares ${them}` : "no other file declares"),
  ].filter((text) => text !== false);
  const remedy = isNone
    ? `--prune keeps ${them}: ${why.join(", or ")}.`
    : `Add --prune to delete ${why.length > 0 ? `those that ${why.join(" and ")}` : them}.`;
  return `${counted(removed.length, "resource")} ${are} no longer in this file, but still ${exist}${all ? `: ${names.join(", ")}` : ` (--all lists ${them})`}. ${remedy}`;
}
