import { isAbsolute } from "node:path";
import type {
  Duplicate,
  ItemDocument,
  PlanDocument,
  PlanTarget,
  SecretUse,
} from "../../documents/routing.ts";
import { counted } from "../../values/counted.ts";
import type { SuggestedCommand } from "../../values/suggested-command.ts";
import { addressCell, type Block, id, note, type Page, type Tone, toned } from "../../view/view.ts";
import { addressParts } from "../model/address.ts";
import { sharedTopicsText, unmanagedRoutesText } from "../plan/beyond.ts";
import { isOpenCreate } from "../plan/plan.ts";
import type { ActionWord, ReasonWord } from "../plan/vocabulary.ts";
import {
  changeRows,
  isCompared,
  itemDetails,
  itemText,
  keptText,
  removedFromFileText,
  resourceName,
  unknownOutcomes,
} from "./plan-details.ts";

/** An action as a page shows it: with the reason where that changes what a reader has to do. */
type ShownAction = ActionWord | "recreate" | "follows" | "id_unknown" | "clear";

const ACTION_WORDS: Readonly<
  Record<ShownAction, readonly [mark: string, tone: Tone, words: string, count: string]>
> = {
  unknown: ["?", "attention", "outcome unknown", "outcome unknown"],
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
      ...kept.flatMap(keptBlock),
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
    owners.join(", ") || toned("dim", "no owner"),
    id(itsId),
  ]);
  return [{ kind: "grid", heading, columns: ["Address", "Wanted by", "ID"], rows }];
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
    ...(rows.length === 0
      ? []
      : [{ kind: "grid", columns: NO_HEADINGS, rows, inRows: true } as const]),
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

function keptBlock(kept: PlanDocument["kept"][number]): Block[] {
  return note(keptText(kept), kept.reason === "in_use" ? "dim" : "attention");
}

function secretsBlock(uses: readonly SecretUse[]): Block[] {
  if (uses.length === 0) return [];
  const rows = uses.map(({ reference, destination, deliversTo, sent }) => [
    reference,
    [destination, ...deliversTo].join(", "),
    sent ? "" : toned("dim", "not sent: it exists"),
  ]);
  return [{ kind: "grid", columns: ["Secret", "Destination", ""], rows }];
}
