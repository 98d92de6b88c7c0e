import { addressCell, type Block, id, type Page, toned } from "../../view/view.ts";
import { type OutcomeDocument, outcomeText, type ReceiptDocument } from "../engine/receipt.ts";

/**
 * The receipt of an apply: the changes, with their IDs. Resources that were in place are only
 * counted, unless `inPlace` is `listed`. `done` is what is complete.
 */
export function appliedPage(
  receipt: ReceiptDocument,
  show: { readonly inPlace?: "listed"; readonly done?: string } = {},
): Page {
  const { settled, duplicates } = receipt;
  const changed = settled.filter(({ outcome }) => show.inPlace || outcome !== "in_place");
  // The progress has the ID of each change, and the review of a setup what was in place.
  const hasProgress = settled.some(({ outcome }) => outcome !== "in_place");
  return {
    title: titleOf(receipt, show.done),
    blocks: [
      ...unlessEmpty(changed, {
        kind: "grid",
        framed: true,
        inRows: true,
        shown: hasProgress,
        columns: ["Address", "ID", "Result"],
        rows: changed.map((one) => [addressCell(one.address), id(one.id), outcomeText(one)]),
      }),
      ...unlessEmpty(duplicates, {
        kind: "rows",
        heading: "Duplicates at the service: delete all but one",
        rows: duplicates.map(({ address, ids }) => [
          address,
          ids.map((one) => toned("attention", one)),
        ]),
      }),
      { kind: "text", tone: "dim", text: stateLine(receipt) },
    ],
  };
}

function unlessEmpty(list: readonly unknown[], block: Block): readonly Block[] {
  return list.length === 0 ? [] : [block];
}

function stateLine({ lists, state }: ReceiptDocument): string {
  const where = `State: ${state.place} (serial ${state.serial})`;
  return lists ? where : `${where}. The service has no lists: only the state has the IDs.`;
}

/** The title, such as `Apply complete: 6 created, 3 adopted, 2 unchanged`. */
function titleOf({ settled, duplicates }: ReceiptDocument, done = "Apply"): string {
  const groups = Map.groupBy(settled.toSorted(byChange), outcomeText);
  const unchanged = groups.get(UNCHANGED)?.length ?? 0;
  if (settled.length > unchanged) {
    const counts = [...groups].map(([words, { length }]) => `${length} ${words}`);
    return `${done} complete: ${counts.join(", ")}`;
  }
  if (unchanged === 0) return "No changes: nothing was sent.";
  const resources = `${unchanged} ${unchanged === 1 ? "resource" : "resources"} in place`;
  return duplicates.length > 0
    ? `${resources}, ${duplicates.length} of them duplicated; nothing was sent.`
    : `No changes: ${resources}; nothing was sent.`;
}

const UNCHANGED = outcomeText({ outcome: "in_place" });

/** The order of the counts: deletions are last. */
const ORDER = ["created", "updated", "adopted", "not_created", "in_place", "deleted"];

function byChange(one: OutcomeDocument, other: OutcomeDocument): number {
  const rank = ({ outcome, earlier }: OutcomeDocument) =>
    ORDER.indexOf(outcome) + (earlier ? 0.5 : 0);
  return rank(one) - rank(other);
}
