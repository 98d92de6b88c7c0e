import { counted } from "../../values/counted.ts";
import { addressCell, type Block, id, type Page, toned } from "../../view/view.ts";
import { type OutcomeDocument, outcomeText, type ReceiptDocument } from "../engine/receipt.ts";
import { exceptForText } from "../plan/blockers.ts";
import { removedFromFileText } from "../plan/removed.ts";

/**
 * The receipt of an apply: the changes, with their IDs. Resources that were in place are only
 * counted, unless `inPlace` is `listed`. `done` is what is complete.
 */
export function appliedPage(
  receipt: ReceiptDocument,
  show: { readonly inPlace?: "listed"; readonly done?: string } = {},
): Page {
  const { settled, duplicates } = receipt;
  const removed = removedFromFileText(receipt.removedFromFile ?? []);
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
      ...leftOutBlock(receipt),
      ...(removed === undefined
        ? []
        : [{ kind: "text" as const, tone: "attention" as const, text: removed }]),
      { kind: "text", tone: "dim", text: stateLine(receipt) },
    ],
  };
}

/** The conflicts and what depends on them, for a page that is read without its error. */
function leftOutBlock({ conflicts = [], notTried = [] }: ReceiptDocument): readonly Block[] {
  const rows = [
    ...conflicts.map((one) => [
      addressCell(one.address),
      id(one.id ?? ""),
      toned("bad", "conflict"),
    ]),
    ...notTried.map((address) => [
      addressCell(address),
      "",
      conflicts.length > 0 ? "left out: depends on a conflict" : "not tried",
    ]),
  ];
  const columns = ["Address", "ID", "Reason"];
  return unlessEmpty(rows, {
    kind: "grid",
    heading: conflicts.length > 0 ? "Left out" : "Not tried",
    // The error on stderr has them.
    shown: true,
    inRows: true,
    columns,
    rows,
  });
}

function unlessEmpty(list: readonly unknown[], block: Block): readonly Block[] {
  return list.length === 0 ? [] : [block];
}

function stateLine({ lists, state }: ReceiptDocument): string {
  const where = `State: ${state.location} (serial ${state.serial})`;
  return lists ? where : `${where}. The service has no lists: only the state has the IDs.`;
}

/** The title, such as `Apply complete: 6 created, 3 adopted, 2 unchanged`. */
function titleOf(receipt: ReceiptDocument, done = "Apply"): string {
  const { settled, duplicates, conflicts = [] } = receipt;
  const groups = Map.groupBy(settled.toSorted(byChange), outcomeText);
  const unchanged = groups.get(UNCHANGED)?.length ?? 0;
  const partly = conflicts.length > 0 ? exceptForText(conflicts) : undefined;
  if (settled.length > unchanged) {
    const counts = [...groups].map(([words, { length }]) => `${length} ${words}`);
    return `${partly ?? `${done} ${isWhole(receipt) ? "complete" : "incomplete"}`}: ${counts.join(", ")}`;
  }
  if (unchanged === 0) return `${partly ?? "No changes"}: nothing was sent.`;
  const resources = `${counted(unchanged, "resource")} in place`;
  return duplicates.length > 0 && partly === undefined
    ? `${resources}, ${duplicates.length} of them duplicated; nothing was sent.`
    : `${partly ?? "No changes"}: ${resources}; nothing was sent.`;
}

/** Whether the run came to its end; else its receipt is read beside its error. */
function isWhole({ settled, notTried = [] }: ReceiptDocument): boolean {
  const isOpen = settled.some(({ outcome }) => outcome === "failed" || outcome === "unknown");
  return notTried.length === 0 && !isOpen;
}

const UNCHANGED = outcomeText({ outcome: "in_place" });

/** The order of the counts: deletions are last. */
const ORDER = ["created", "updated", "adopted", "not_created", "in_place", "deleted"];

function byChange(one: OutcomeDocument, other: OutcomeDocument): number {
  const rank = ({ outcome, earlier }: OutcomeDocument) =>
    ORDER.indexOf(outcome) + (earlier ? 0.5 : 0);
  return rank(one) - rank(other);
}
