import { id, type Page, toned } from "../cli/view.ts";
import type { Receipt, Settled } from "./engine/engine.ts";

/** The receipt of an apply: every address with its id and how it came to be known. */
export function appliedPage(receipt: Receipt): Page {
  const { settled, deleted, duplicates, lists, state } = receipt;
  return {
    title: titleOf(receipt),
    blocks: [
      {
        kind: "grid",
        framed: true,
        columns: ["Address", "ID", ""],
        rows: settled.map((one) => [
          one.address,
          id(one.id),
          one.outcome === "in-place" ? "was in place" : one.outcome,
        ]),
      },
      ...(deleted.length === 0
        ? []
        : [
            {
              kind: "rows" as const,
              heading: "Deleted",
              rows: deleted.map((one) => [one.address, id(one.id)] as const),
            },
          ]),
      ...(duplicates.length === 0
        ? []
        : [
            {
              kind: "rows" as const,
              heading: "Several of one kind at the service: delete all but one",
              rows: duplicates.map(
                ({ address, ids }) => [address, ids.map((one) => toned("attention", one))] as const,
              ),
            },
          ]),
      {
        kind: "text",
        tone: "dim",
        text: lists
          ? `State: ${state.place} (serial ${state.serial})`
          : `State: ${state.place} (serial ${state.serial}). The service lists nothing: only this knows the IDs.`,
      },
    ],
  };
}

/** `9 in place: 6 created, 3 adopted`. */
function titleOf({ settled, deleted }: Receipt): string {
  const count = (outcome: Settled["outcome"]) =>
    settled.filter((one) => one.outcome === outcome).length;
  const parts = (["created", "adopted", "reconciled", "imported"] as const)
    .filter((outcome) => count(outcome) > 0)
    .map((outcome) => `${count(outcome)} ${outcome}`);
  if (deleted.length > 0) parts.push(`${deleted.length} deleted`);
  return parts.length === 0
    ? "Everything is in place."
    : `${settled.length} in place: ${parts.join(", ")}`;
}
