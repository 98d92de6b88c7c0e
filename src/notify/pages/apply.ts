import { type Block, id, type Page, resourceAddress, toned } from "../../view/view.ts";
import type { Receipt, ResourceOutcome } from "../engine/types.ts";

/**
 * The receipt of an apply: the changes, with their IDs. Resources that were in place are only
 * counted, unless `inPlace` is `listed`.
 */
export function appliedPage(receipt: Receipt, show: { readonly inPlace?: "listed" } = {}): Page {
  const { settled, deleted, duplicates } = receipt;
  const changed = settled.filter(({ outcome }) => show.inPlace || outcome !== "in-place");
  // The progress of a setup has the ID of each change, and its review what was in place.
  const hasProgress = settled.some(({ outcome }) => outcome !== "in-place");
  return {
    title: titleOf(receipt),
    blocks: [
      ...unlessEmpty(changed, {
        kind: "grid",
        framed: true,
        shown: show.inPlace !== undefined && hasProgress,
        columns: ["Address", "ID", "Result"],
        rows: changed.map((one) => [resourceAddress(one.address), id(one.id), outcomeText(one)]),
      }),
      ...unlessEmpty(deleted, {
        kind: "rows",
        heading: "Deleted",
        rows: deleted.map((one) => [one.address, id(one.id)]),
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

function stateLine({ lists, state }: Receipt): string {
  const where = `State: ${state.place} (serial ${state.serial})`;
  return lists ? where : `${where}. The service has no lists: only the state knows the IDs.`;
}

/** The outcome in words, as the title counts it. */
function outcomeText({ outcome }: ResourceOutcome): string {
  return outcome === "in-place" ? "unchanged" : outcome;
}

const CHANGED_OUTCOMES = ["created", "adopted", "reconciled", "imported"] as const;

/** The title, such as `Apply complete: 6 created, 3 adopted, 2 unchanged`. */
function titleOf({ settled, deleted, duplicates }: Receipt): string {
  const count = (outcome: ResourceOutcome["outcome"]) =>
    settled.filter((one) => one.outcome === outcome).length;
  const unchanged = count("in-place");
  const counts = [
    ...CHANGED_OUTCOMES.map((outcome) => [count(outcome), outcome] as const),
    [unchanged, "unchanged"] as const,
    [deleted.length, "deleted"] as const,
  ].filter(([number]) => number > 0);
  if (counts.some(([, words]) => words !== "unchanged")) {
    return `Apply complete: ${counts.map((each) => each.join(" ")).join(", ")}`;
  }
  const resources = `${unchanged} ${unchanged === 1 ? "resource" : "resources"} in place`;
  return duplicates.length > 0
    ? `${resources}, ${duplicates.length} of them duplicated; nothing was sent.`
    : `No changes: ${resources}; nothing was sent.`;
}
