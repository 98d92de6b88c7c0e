import type { AmpError, ExitName } from "../errors.ts";
import type { Page } from "../view/view.ts";
import type { ReceiptDocument } from "./engine/receipt.ts";
import { appliedPage } from "./pages/apply.ts";
import { planPage } from "./pages/plan.ts";
import { blockedError, isBlocker, partlyAppliedError } from "./plan/blockers.ts";
import { duplicatesExit } from "./plan/duplicates.ts";
import type { PlanDocument } from "./plan/plan-document.ts";
import type { ItemDocument } from "./plan/vocabulary.ts";

/** The result of an apply: its receipt, or its plan after `--dry-run`. */
export type ApplyResult = ReceiptDocument | PlanDocument;

/** The page of an apply: its receipt, or its plan after `--dry-run`. */
export function applyPage(result: ApplyResult, show: Parameters<typeof appliedPage>[1] = {}): Page {
  if (!("items" in result)) return appliedPage(result, show);
  const { blocks, ...page } = planPage(result);
  return { ...page, blocks: [...blocks, { kind: "text", text: "Nothing was sent.", tone: "dim" }] };
}

/** The IDs of an apply, for `-o id`. */
export function appliedIds(result: ApplyResult): readonly string[] {
  if ("items" in result) return [];
  return result.settled.flatMap(({ id, outcome }) => (outcome === "deleted" ? [] : (id ?? [])));
}

/** The end of an apply or a plan; a plan that cannot be applied ends with its error. */
export function applyExit(result: ApplyResult): ExitName | AmpError {
  if ("items" in result) {
    const conflicts = result.items.filter(isBlocker);
    const skipped = result.items.flatMap(({ address, reason }) =>
      reason === "depends_on_conflict" ? address : [],
    );
    const blocked = result.keepGoing
      ? partlyAppliedError(conflicts, skipped, false)
      : blockedError(conflicts);
    if (blocked !== undefined) return blocked;
  }
  const partly =
    "settled" in result
      ? partlyAppliedError(result.conflicts ?? [], result.notTried ?? [])
      : undefined;
  if (partly !== undefined) return partly;
  const isMissing = "items" in result && result.items.some(isAbsent);
  return duplicatesExit(result.duplicates, isMissing);
}

function isAbsent({ action, reason }: ItemDocument): boolean {
  return action === "create" || action === "unknown" || reason === "not_listed";
}
