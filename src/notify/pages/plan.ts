import { isAbsolute } from "node:path";
import type {
  Difference,
  Duplicate,
  ItemDocument,
  KeptResource,
  PlanDocument,
  PlanTarget,
  RemovedResource,
  SecretUse,
} from "../../documents/routing.ts";
import { capitalised, counted, quotedNames } from "../../values/counted.ts";
import { visible } from "../../values/safe-data.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import {
  addressCell,
  type Block,
  id,
  note,
  type Page,
  type PageRow,
  type Tone,
  toned,
} from "../../view/view.ts";
import { type Address, addressParts } from "../model/address.ts";
import { RESOURCES } from "../model/resource.ts";
import { sharedTopicsText, unmanagedRoutesText } from "../plan/beyond.ts";
import { shownDifference } from "../plan/compare.ts";
import { conflictFields, conflictText } from "../plan/conflicts.ts";
import { isOpenCreate } from "../plan/plan.ts";
import type { ActionWord, ReasonWord } from "../plan/vocabulary.ts";
import { resolveCommands } from "../state/edit.ts";

/** An action as a page shows it: with the reason where that changes what a reader has to do. */
type ShownAction = ActionWord | "recreate" | "follows" | "id_unknown" | "clear";

const ACTION_WORDS: Readonly<
  Record<ShownAction, readonly [mark: string, tone: Tone, words: string, count: string]>
> = {
  unknown: ["?", "attention", "outcome unknown", "with unknown outcome"],
  id_unknown: ["?", "attention", "created, but its ID is unknown", "created without ID"],
  conflict: ["!", "bad", "", ""],
  follows: ["!", "dim", "", ""],
  create: ["+", "good", "", "to create"],
  recreate: ["+", "attention", "again", "to recreate"],
  update: ["~", "attention", "", "to update"],
  adopt: ["=", "good", "exists: adopt", "to adopt"],
  release: ["=", "dim", "no longer in this file: keep", "kept"],
  delete: ["-", "attention", "", "to delete"],
  clear: ["-", "dim", "not listed", "not listed any more"],
  in_place: ["=", "dim", "", "unchanged"],
};

const SHOWN_ACTIONS = Object.keys(ACTION_WORDS) as ShownAction[];

/** The reasons that a page shows in place of the action. */
const SHOWN_REASONS: Readonly<Partial<Record<ReasonWord, ShownAction>>> = {
  end_in_conflict: "follows",
  id_unknown: "id_unknown",
};

function shownAction({ action, reason, listed }: ItemDocument, lists: boolean): ShownAction {
  if (action === "delete" && lists && listed === undefined) return "clear";
  if (reason === undefined) return action;
  if (action === "create") return "recreate";
  return SHOWN_REASONS[reason] ?? action;
}

/** The key of what only the page of a plan shows: where it was saved, and the command for it. */
export const SAVED = Symbol("saved");

/** A plan as its page shows it. */
export interface ShownPlan extends PlanDocument {
  readonly [SAVED]?: { readonly path: string; readonly apply: SuggestedCommand };
}

/**
 * The page of a plan: the counts, the resources that it changes, and what a reader should know.
 * @param isDrawn whether a picture above it has what is new
 */
export function planPage(plan: ShownPlan, isDrawn = false): Page {
  const { items, kept, lists, all = false, target, [SAVED]: saved } = plan;
  const shown = items.filter(
    ({ action, reason, notKept }) =>
      (all || action !== "in_place" || notKept) && !(isDrawn && action === "create" && !reason),
  );
  return {
    title: titleOf(plan),
    ...(target && { aside: targetText(target) }),
    blocks: [
      ...itemBlocks(shown, lists),
      ...plan.duplicates.flatMap(duplicateBlock(items)),
      ...secretsBlock(plan.secrets),
      ...unknownOutcomes(plan),
      ...renamedBlock(plan),
      ...kept.flatMap((one) => note(keptText(one), one.reason === "in_use" ? "dim" : "attention")),
      ...(lists
        ? []
        : note("This service has no lists: only the state records what exists.", "dim")),
      ...removedBlock(plan),
      ...note(sharedTopicsText(plan.sharedTopics), "attention"),
      ...note(unmanagedRoutesText(plan.unmanaged), "attention"),
      ...othersBlock(plan),
      ...(saved
        ? [
            {
              kind: "command",
              heading: `Saved as ${saved.path}. To apply it:`,
              lines: [saved.apply],
            } as const,
          ]
        : []),
    ],
  };
}

/** The lines of the file that have had their effect. */
function renamedBlock({ renamed }: PlanDocument): Block[] {
  if (renamed.length === 0) return [];
  const text = `The rename is complete; remove renamed-from from the file: ${renamed.join(", ")}`;
  return note(text, "dim");
}

/** The resources that the file no longer contains; a new one may be one of them with a new name. */
function removedBlock({ removedFromFile, items, all = false }: PlanDocument): Block[] {
  const says = removedFromFileText(removedFromFile, { all });
  if (says === undefined) return [];
  const kinds = new Set(removedFromFile.map(({ address }) => addressParts(address).kind));
  const isRenamed = items.some(
    ({ action, kind }) =>
      action === "create" && kinds.has(kind) && ["destination", "topic"].includes(kind),
  );
  const text = `${says}${isRenamed ? " If one of them was renamed, add renamed-from instead." : ""}`;
  return note(text, "attention");
}

function othersBlock({ others, all }: PlanDocument): Block[] {
  if (others.length === 0 || all === undefined) return [];
  const heading = `${counted(others.length, "other resource")} in this state`;
  if (!all) return note(`${heading} (--all lists them)`, "dim");
  const rows = others.map(({ address, owners, id: itsId }) => [
    addressCell(address),
    owners.join(", ") || toned("dim", "(none)"),
    id(itsId),
  ]);
  return [{ kind: "grid", heading, columns: ["Address", "Owner", "ID"], rows }];
}

/** The project: nobody typed one of a project file, which a change may bring. */
function targetText({ project, baseUrl, projectFrom }: PlanTarget): string {
  const from = isAbsolute(projectFrom) ? ` (from ${projectFrom})` : "";
  return `project ${project} of ${baseUrl}${from}`;
}

/** The answer: whether anything is to be done, and how much of what. */
function titleOf(plan: PlanDocument): string {
  const { counts, items, lists, duplicates, removedFromFile, unmanaged } = plan;
  const beside = {
    duplicated: duplicates,
    "no longer in this file": removedFromFile,
    unmanaged,
  };
  const also = Object.entries(beside).flatMap(([what, { length }]) =>
    length === 0 ? [] : `${length} ${what}`,
  );
  if (counts.in_place === items.length) {
    const resources = items.length === 0 ? "no resources" : counted(items.length, "resource");
    return ["In sync: ", [resources, ...also].join(", ")].join("");
  }
  const shown = items.map((item) => shownAction(item, lists));
  const changes = SHOWN_ACTIONS.flatMap((one) => {
    const count = shown.filter((each) => each === one).length;
    if (count === 0 || CONFLICTS.has(one)) return [];
    return `${count} ${ACTION_WORDS[one][3]}`;
  });
  const conflicts = counts.conflict === 0 ? [] : [counted(counts.conflict, "conflict")];
  const text = [...conflicts, ...changes, ...also].join(", ");
  if (conflicts.length > 0) return `${text}: nothing would be sent`;
  const isStuck = !lists && items.some(isOpenCreate);
  return isStuck ? `${text}: nothing would be sent before you record what happened` : text;
}

const CONFLICTS: ReadonlySet<ShownAction> = new Set(["conflict", "follows"]);

const NO_HEADINGS = ["", "", "", ""];

/** The rows of items, and below them a block for each of which fields differ. */
function itemBlocks(items: readonly ItemDocument[], lists: boolean): Block[] {
  const [plain, changed] = [items.filter((one) => !isCompared(one)), items.filter(isCompared)];
  const rows = plain.map((item) => {
    const [mark, tone, words] = ACTION_WORDS[shownAction(item, lists)];
    const { kind, name } = resourceName(item.address);
    return [toned(tone, mark), kind, addressCell(name), itemText(item, words)];
  });
  return [
    { kind: "grid", columns: NO_HEADINGS, rows, inRows: true },
    ...changed.map((item): Block => {
      const [mark, , words] = ACTION_WORDS[shownAction(item, lists)];
      const { kind, name } = resourceName(item.address);
      const heading = [mark, kind, name, itemText(item, words)].filter(Boolean).join(" ");
      return { kind: "rows", heading, rows: changeRows(item) };
    }),
    ...items.flatMap(itemDetails),
  ];
}

/** The block of a duplicate of a resource in place; the plan shows ambiguous ones already. */
function duplicateBlock(items: readonly ItemDocument[]): (duplicate: Duplicate) => Block[] {
  const ambiguous = new Set(
    items.flatMap(({ reason, address }) => (reason === "ambiguous" ? address : [])),
  );
  return ({ address, ids }) =>
    ambiguous.has(address)
      ? []
      : [
          {
            kind: "rows",
            heading: `${address} exists ${ids.length} times: delete all but one`,
            rows: [["IDs", ids.map(id)]],
          },
        ];
}

function secretsBlock(uses: readonly SecretUse[]): Block[] {
  const rows = uses.map(({ reference, destination, deliversTo, sent }) => [
    reference,
    [destination, ...deliversTo].join(", "),
    sent ? "" : toned("dim", "not sent: it exists"),
  ]);
  return [{ kind: "grid", columns: ["Secret", "Destination", ""], rows }];
}

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

/** A resource in a sentence, by an address that was read. */
export function resourceText(address: string): string {
  const { kind, name } = resourceName(address as Address);
  return `${kind} ${name}`;
}

/** Whether fields of an item differ, which have a block of their own. */
export function isCompared(item: ItemDocument): boolean {
  return fieldsOf(item).length > 0;
}

function changeRows(item: ItemDocument): readonly PageRow[] {
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
function itemText(item: ItemDocument, words: string): string {
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
function itemDetails(item: ItemDocument): Block[] {
  const { address, notKept = [], keptFields = [] } = item;
  const left = `${address}: no longer in the file, and left as it is: ${keptFields.join(", ")}`;
  const heading = `${address}: the service did not keep what it was sent`;
  const rows = notKept.map((one): PageRow => [one.field, shownDifference(one)]);
  return [
    { kind: "rows", heading, rows },
    ...note(keptFields.length === 0 ? undefined : left, "dim"),
  ];
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
function unknownOutcomes({ items, lists }: PlanDocument): Block[] {
  const unknown = items.filter(({ action }) => action === "unknown");
  if (unknown.length === 0) return [];
  const isCreated = unknown.every(({ reason }) => reason === "id_unknown");
  const text = (isCreated ? TEXTS_OF_CREATED : TEXTS_OF_UNKNOWN)[lists ? "lists" : "none"];
  const lines = resolveCommands({ placeholder: "address" }, { created: isCreated || undefined });
  const record: Block = { kind: "command", heading: "Record the results", lines };
  return [...note(text, "attention"), ...(lists ? [] : [record])];
}

/** Why a resource that is no longer in the file is kept. */
export function keptText({ address, id, reason, routes, listedName }: KeptResource): string {
  const what = capitalised(resourceText(address));
  switch (reason) {
    case "in_use":
      return `${what} is kept: other routes use it (${routes.join(", ")}).`;
    default: {
      const called = listedName === undefined ? "differently" : `as ${visible(listedName)}`;
      return `${what} is kept: the service lists ${id} ${called}. If amp did not create that one, remove it from the state: amp notify state forget ${address}`;
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
