import type { FoundResource, OutcomeDocument, ReceiptJson } from "../../documents/routing.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { countsOf, OUTCOMES, type OutcomeWord } from "../plan/vocabulary.ts";
import type { Receipt } from "./types.ts";

// Makes the receipt. In: what a run came to. Out: its JSON, of which pages and progress lines are
// made, too. Each resource has one outcome in it, in the words of JSON.

/** The key of what only the page of a receipt shows: JSON has no such field. */
export const ON_PAGE = Symbol("on page");

interface OnPage {
  /** The time that the run took without its question, in milliseconds. */
  readonly ms?: number;
  /** Whether unchanged resources are listed. */
  readonly all?: boolean | undefined;
}

/** A receipt as JSON output and its page have it. */
export type ReceiptDocument = ReceiptJson & { readonly [ON_PAGE]: OnPage };

/**
 * A receipt as JSON: every resource with its outcome, what was deleted last.
 * @param warnings what is doubtful about the routing, as it was reported
 */
export function receiptJson(
  receipt: Receipt,
  warnings: readonly string[],
  onPage: OnPage = {},
): ReceiptDocument {
  const counts = countsOf(
    OUTCOMES,
    receipt.settled.map(({ outcome }) => outcome),
  );
  return { counts, ...receipt, warnings, [ON_PAGE]: onPage };
}

const OUTCOME_TEXTS: Readonly<Partial<Record<OutcomeWord, string>>> = {
  in_place: "unchanged",
  not_created: "not created",
};

/** An outcome in the words of a page. */
export function outcomeText({
  outcome,
  earlier,
  created,
}: Pick<OutcomeDocument, "outcome" | "earlier" | "created">): string {
  if (created) return "created, ID unknown";
  return earlier ? "created earlier" : (OUTCOME_TEXTS[outcome] ?? outcome);
}

/** What a create that was not done may have become, and the commands that add it to the state. */
export function othersText(
  { address }: Pick<OutcomeDocument, "address">,
  others: readonly FoundResource[],
): [string, ...SuggestedCommand[]] {
  const isSameName = others.every((one) => one.address === address);
  const how = isSameName ? "of that name with other values" : "of another name";
  return [
    `${address} was not created as it was sent, but the service has a new one ${how}. If somebody ${isSameName ? "changed" : "renamed"} it since, amp created it: delete it, or add it to the state.`,
    ...others.map((one) => suggest("notify state import", [one.address, one.id])),
  ];
}
