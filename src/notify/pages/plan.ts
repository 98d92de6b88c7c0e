import { isAbsolute } from "node:path";
import { counted } from "../../values/counted.ts";
import {
  addressCell,
  type Block,
  type Cell,
  id,
  note,
  type Page,
  type Tone,
  toned,
} from "../../view/view.ts";
import { addressParts } from "../model/address.ts";
import { sharedTopicsText, unmanagedRoutesText } from "../plan/beyond.ts";
import { MISSING_REMEDY } from "../plan/conflicts.ts";
import { type Duplicate, isOpenCreate } from "../plan/plan.ts";
import type { PlanDocument, SecretUse } from "../plan/plan-document.ts";
import type { ActionWord, ItemDocument, ReasonWord } from "../plan/vocabulary.ts";
import {
  itemDetails,
  keptResourceWarning,
  keptText,
  moreAbout,
  removedFromFileText,
  unknownOutcomes,
} from "./plan-details.ts";

/** An action as a page shows it: with the reason where that changes what a reader has to do. */
type ShownAction = ActionWord | "recreate" | "ambiguous" | "not_listed" | "id_unknown";

/** The mark of an action, its tone, its words, and its part of the closing line. */
const ACTION_WORDS: Readonly<
  Record<ShownAction, readonly [mark: string, tone: Tone, words: string, count: string]>
> = {
  unknown: ["?", "attention", "outcome unknown", "outcome unknown"],
  id_unknown: ["?", "attention", "created, but its ID is unknown", "created without ID"],
  conflict: ["!", "bad", "differs", "in conflict"],
  ambiguous: ["!", "bad", "ambiguous", "ambiguous"],
  not_listed: ["!", "bad", "no longer listed", "no longer listed"],
  create: ["+", "good", "create", "to create"],
  recreate: ["+", "attention", "recreate", "to recreate"],
  update: ["~", "attention", "update", "to update"],
  adopt: ["=", "good", "exists, adopt", "to adopt"],
  in_place: ["=", "dim", "in place", "in place"],
  release: ["=", "dim", "no longer in this file, kept", "kept"],
  delete: ["-", "attention", "delete", "to delete"],
};

const SHOWN_ACTIONS = Object.keys(ACTION_WORDS) as ShownAction[];

/** The reasons that a page shows in place of the action. */
const SHOWN_REASONS: Readonly<Partial<Record<ReasonWord, ShownAction>>> = {
  ambiguous: "ambiguous",
  unclear: "ambiguous",
  not_listed: "not_listed",
  id_unknown: "id_unknown",
};

function shownAction({ action, reason }: ItemDocument): ShownAction {
  if (reason === undefined) return action;
  if (action === "create") return "recreate";
  return SHOWN_REASONS[reason] ?? action;
}

/** The maximum resources in place that a terminal shows: more are counted, and would hide the rest. */
const MAX_IN_PLACE = 20;

/**
 * The maximum lines of a drawing and the table below it: a review with its question fits 24 lines.
 * Of more, the table has what the drawing does not tell.
 */
const MAX_WITH_DRAWING = 9;

/**
 * The page of a plan: the action for each address, conflicts with their reasons, and the counts.
 * @param drawing how many lines of a setup are above it: its drawing, and remarks about it
 */
export function planPage(plan: PlanDocument, drawing = 0, words: PlanWords = APPLY_WORDS): Page {
  const { items, kept, lists } = plan;
  const inPlace = items.filter(({ action }) => action === "in_place").length;
  const isFolded = drawing > 0 && drawing + items.length > MAX_WITH_DRAWING;
  const shown = items.filter((item) =>
    isFolded
      ? !["create", "in_place"].includes(shownAction(item))
      : item.action !== "in_place" || inPlace <= MAX_IN_PLACE,
  );
  const isMissing = items.some((item) => shownAction(item) === "not_listed");
  return {
    title: titleOf(plan, words),
    blocks: [
      ...(isFolded && shown.length === 0
        ? []
        : [
            {
              kind: "grid" as const,
              columns: ["", "Address", "Action", "ID"],
              // A drawing has the others.
              rows: (isFolded ? shown : items).map(rowOf),
              ...(shown.length < items.length ? { onTerminal: shown.map(rowOf) } : {}),
              inRows: true,
            },
          ]),
      ...items.flatMap(itemDetails),
      ...plan.duplicates.flatMap(duplicateBlock(items)),
      ...secretsBlock(plan.secrets),
      ...(isMissing ? note(MISSING_REMEDY) : []),
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
      ...note(countLine(plan), "strong"),
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

/** The counts, and the project: nobody typed one of a project file, which a change may bring. */
function countLine({ items, counts, warnings, target }: PlanDocument): string {
  const shown = items.map(shownAction);
  const parts = SHOWN_ACTIONS.flatMap((one) => {
    const count = shown.filter((each) => each === one).length;
    return count === 0 || one === "delete" ? [] : [`${count} ${ACTION_WORDS[one][3]}`];
  });
  const gone = counts.delete;
  if (gone > 0) parts.push(`${counted(gone, "resource")} will be deleted`);
  const doubts = warnings.length;
  if (doubts > 0) parts.push(counted(doubts, "warning"));
  if (parts.length === 0) parts.push("no resources");
  if (target !== undefined) {
    const { project, baseUrl, projectFrom } = target;
    const from = isAbsolute(projectFrom) ? ` (from ${projectFrom})` : "";
    parts.push(`project ${project} of ${baseUrl}${from}`);
  }
  return parts.join(" · ");
}

/** How a title names what is planned, and what would be done with it. */
export type PlanWords = Readonly<Record<"subject" | "done", string>>;

const APPLY_WORDS: PlanWords = { subject: "This routing", done: "applied" };

function titleOf(plan: PlanDocument, { subject, done }: PlanWords): string {
  const { counts, items, lists, pending, duplicates } = plan;
  if (counts.conflict > 0) return `${subject} cannot be ${done}:`;
  if (!lists && items.some(isOpenCreate)) {
    return `${subject} cannot be ${done} until the unknown outcomes are recorded:`;
  }
  if (pending) return `${subject} can be ${done}:`;
  if (duplicates.length > 0) return "Some of these resources have duplicates:";
  return counts.adopt > 0
    ? "Everything exists, and is only added to the state:"
    : "Everything is in place.";
}

function rowOf(item: ItemDocument): readonly Cell[] {
  const shownId = item.id ?? item.previousId;
  const [mark, tone, words] = ACTION_WORDS[shownAction(item)];
  return [
    toned(tone, mark),
    addressCell(item.address),
    toned(tone, `${words}${moreAbout(item)}`),
    shownId === undefined ? "" : id(shownId),
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
  if (kept.differences !== undefined) {
    const [text, command] = keptResourceWarning(kept.address, kept.id, kept.differences);
    return [...note(text, "attention"), { kind: "command", lines: [command] }];
  }
  return note(keptText(kept), "dim");
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
