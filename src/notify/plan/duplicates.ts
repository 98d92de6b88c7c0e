import type { ExitName } from "../../errors.ts";
import type { LiveIndex } from "./live.ts";
import type { Duplicate, PlanItem, StatusRow } from "./plan.ts";

const IS_THERE: ReadonlySet<PlanItem["action"]> = new Set([
  "in_place",
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
    if ("ids" in item) {
      // A single route of one of several topics is not a duplicate itself.
      return item.reason === "unclear" || item.ids.length < 2 ? [] : [{ address, ids: item.ids }];
    }
    const ids =
      IS_THERE.has(action) && "id" in item ? index?.duplicateIds(kind, item.id) : undefined;
    return ids === undefined ? [] : [{ address, ids }];
  });
}

/** The duplicates among statuses. */
export function duplicateRows(rows: readonly StatusRow[]): readonly Duplicate[] {
  return rows.flatMap(({ address, status, ids }) =>
    status === "duplicated" && ids !== undefined && ids.length > 1 ? [{ address, ids }] : [],
  );
}

/** The warning about duplicates on stderr; undefined where there are none. */
export function duplicatesWarning(duplicates: readonly Duplicate[]): string | undefined {
  if (duplicates.length === 0) return undefined;
  const named = duplicates.map(
    ({ address, ids }) => `${address} exists ${ids.length} times: ${ids.join(", ")}`,
  );
  // A terminal shows the beginning of a long text.
  return ["Delete all but one of each:", ...named].join("\n");
}

/** The exit code of a result with duplicates: `partial` where something is missing, too. */
export function duplicatesExit(
  duplicates: readonly Duplicate[],
  isMissing: boolean,
): Extract<ExitName, "ok" | "check" | "partial"> {
  if (duplicates.length === 0) return "ok";
  return isMissing ? "partial" : "check";
}
