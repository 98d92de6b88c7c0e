import type { Address } from "../address.ts";
import { addressParts } from "../address.ts";
import type { LiveIndex } from "./natural-key.ts";
import type { PlanItem } from "./plan.ts";

/** What the routing says exists: in place, unless the list shows no such id. */
export function planStanding(
  [address, id]: readonly [Address, string],
  index: LiveIndex | undefined,
): PlanItem {
  const { kind } = addressParts(address);
  if (index === undefined || index.byId(kind, id) !== undefined) {
    return { address, kind, action: "in-place", id };
  }
  const differences = [{ field: "id", wanted: id, found: undefined }];
  return { address, kind, action: "conflict", id, differences };
}

/**
 * Lets no two addresses have the same record: what routes connect would be connected twice. The
 * first one keeps it.
 */
export function withoutDoubles(items: readonly PlanItem[]): PlanItem[] {
  const owners = new Map<string, Address>();
  return items.map((item) => {
    if (item.action !== "in-place" && item.action !== "adopt") return item;
    const { address, kind, step, id } = item;
    const owner = owners.get(`${kind} ${id}`);
    owners.set(`${kind} ${id}`, owner ?? address);
    if (owner === undefined) return item;
    const differences = [{ field: "id", wanted: "one of its own", found: `that of ${owner}` }];
    const found = { address, kind, action: "conflict", id, differences } as const;
    return step === undefined ? found : { ...found, step };
  });
}
