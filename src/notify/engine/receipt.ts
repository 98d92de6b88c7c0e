import type { FoundResource, OutcomeDocument, ReceiptJson } from "../../documents/routing.ts";
import { addressParts } from "../model/address.ts";
import { OUTCOMES, type OutcomeWord } from "../plan/vocabulary.ts";
import type { Receipt, ResourceOutcome } from "./types.ts";

// Makes the receipt. In: what a run came to. Out: its JSON, of which pages and progress lines are
// made, too. Each resource has one outcome in it, in the words of JSON.

type Words = Pick<OutcomeDocument, "outcome" | "earlier" | "created">;

const WORDS = {
  created: { outcome: "created" },
  reconciled: { outcome: "created", earlier: true },
  adopted: { outcome: "adopted" },
  updated: { outcome: "updated" },
  "in-place": { outcome: "in_place" },
  refused: { outcome: "failed" },
  unknown: { outcome: "unknown" },
  ambiguous: { outcome: "unknown" },
  "id-unknown": { outcome: "unknown", created: true },
  absent: { outcome: "not_created" },
} as const satisfies Record<ResourceOutcome["outcome"], Words>;

/** An outcome of the engine in the words of JSON output. */
export function outcomeDocument({ address, kind, outcome, ...facts }: ResourceOutcome) {
  return { address, kind, ...(WORDS[outcome] as Words), ...facts };
}

/** A record that was deleted, in the words of JSON output. */
export function deletedDocument({ address, id }: FoundResource) {
  return { address, kind: addressParts(address).kind, outcome: "deleted", id, sent: true } as const;
}

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
  const { settled, deleted, duplicates, verified, hasLists, ...facts } = receipt;
  const all: readonly OutcomeDocument[] = [
    ...settled.map(outcomeDocument),
    ...deleted.map(deletedDocument),
  ];
  return {
    counts: outcomeCounts(all),
    settled: all,
    duplicates,
    verified,
    lists: hasLists,
    ...facts,
    warnings,
    [ON_PAGE]: onPage,
  };
}

function outcomeCounts(all: readonly OutcomeDocument[]): Record<OutcomeWord, number> {
  const words = Object.keys(OUTCOMES) as OutcomeWord[];
  return Object.fromEntries(
    words.map((word) => [word, all.filter(({ outcome }) => outcome === word).length]),
  ) as Record<OutcomeWord, number>;
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
