import type { ExitName } from "../../errors.ts";
import type { LiveIndex } from "./live.ts";
import type { Duplicate, PlanItem, StatusRow } from "./plan.ts";

const IS_THERE: ReadonlySet<PlanItem["action"]> = new Set([
  "in-place",
  "adopt",
  "update",
  "conflict",
]);

/** The duplicates of a plan's resources, also of those in the state. */
export function duplicatesOf(
  items: readonly PlanItem[],
  index: LiveIndex | undefined,
): readonly Duplicate[] {
  return items.flatMap((item): readonly Duplicate[] => {
    const { address, kind, action } = item;
    if (action === "ambiguous") return item.unclear ? [] : [{ address, ids: item.ids }];
    const ids =
      IS_THERE.has(action) && "id" in item ? index?.duplicateIds(kind, item.id) : undefined;
    return ids === undefined ? [] : [{ address, ids }];
  });
}

/** The duplicates among statuses. */
export function duplicateRows(rows: readonly StatusRow[]): readonly Duplicate[] {
  return rows.flatMap(({ address, status, ids }) =>
    status === "duplicated" && ids !== undefined ? [{ address, ids }] : [],
  );
}

/** The maximum duplicates in a warning; the result has all. */
const MAX_NAMED = 10;

/** The warning about duplicates on stderr; undefined where there are none. */
export function duplicatesWarning(duplicates: readonly Duplicate[]): string | undefined {
  if (duplicates.length === 0) return undefined;
  const named = duplicates
    .slice(0, MAX_NAMED)
    .map(({ address, ids }) => `${address} exists ${ids.length} times: ${ids.join(", ")}`);
  const more = duplicates.length - named.length;
  return [...named, ...(more > 0 ? [`and ${more} more`] : []), "Delete all but one of each."].join(
    "\n",
  );
}

/** The exit code of a result with duplicates: `partial` where something is missing, too. */
export function duplicatesExit(
  duplicates: readonly Duplicate[],
  isMissing: boolean,
): Extract<ExitName, "ok" | "check" | "partial"> {
  if (duplicates.length === 0) return "ok";
  return isMissing ? "partial" : "check";
}
