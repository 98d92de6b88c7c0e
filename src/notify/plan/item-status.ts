import type { Origin } from "../state/state.ts";
import { differencesOf } from "./compare.ts";
import type { LiveIndex } from "./natural-key.ts";
import type { PlanItem, PlannedAction } from "./plan.ts";
import type { Status, StatusRow } from "./status.ts";

/** Of what is known, and is not there. */
export const NOT_LISTED = "not listed any more";

/** What a plan's action says of the state of things; `prune` is judged by the record. */
const STATUS: Readonly<
  Record<Exclude<PlannedAction["action"], "prune">, readonly [status: Status, note?: string]>
> = {
  "in-place": ["in-place"],
  create: ["missing", "not created yet"],
  adopt: ["in-place", "not in the state yet"],
  reconcile: ["unknown", "was begun, and its outcome is not known"],
  conflict: ["changed"],
  ambiguous: ["duplicated"],
  missing: ["missing", NOT_LISTED],
};

/** How a thing is that the routing file names. */
export function itemStatus(
  item: PlanItem,
  origin: Origin | undefined,
  index: LiveIndex | undefined,
): StatusRow {
  const { address, kind, step, action } = item;
  const [status, note] = action === "prune" ? (["in-place"] as const) : STATUS[action];
  const row: StatusRow = {
    address,
    kind,
    status,
    ...("id" in item ? { id: item.id } : {}),
    ...("ids" in item ? { ids: item.ids } : {}),
    ...(origin === undefined ? {} : { origin }),
    ...(note === undefined ? {} : { note }),
    ...("differences" in item ? { differences: item.differences } : {}),
  };
  if (action !== "in-place") return row;
  if (index === undefined) return { ...row, note: NOT_SEEN };
  const found = index.byId(kind, item.id);
  const differences = found && step ? differencesOf(step, found) : [];
  return differences.length === 0
    ? row
    : { ...row, status: "changed", differences, note: "changed at the service" };
}

/** Of what nobody can check. */
export const NOT_SEEN = "as the state says: this service has no lists";
