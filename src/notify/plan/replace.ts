import { UsageError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import { type Address, addressParts, asideAddress } from "../model/address.ts";
import { referencesOf } from "../model/resource.ts";
import { dependenciesOf, ownResources, type RoutingModel } from "../model/routing.ts";
import type { RoutingState } from "../state/state.ts";
import type { LiveRouting } from "./live.ts";
import { lostId, type Plan, type PlanItem } from "./plan.ts";
import { otherRoutes } from "./prune.ts";

/** The actions of a resource that exists, and that a replace takes the place of. */
const REPLACEABLE: ReadonlySet<PlanItem["action"]> = new Set([
  "in_place",
  "adopt",
  "update",
  "conflict",
]);

/** The actions of a resource that matches the routing: a replace of it has been done. */
const MATCHES: ReadonlySet<PlanItem["action"]> = new Set(["in_place", "adopt"]);

function isShared(item: PlanItem): boolean {
  return item.action === "conflict" && item.reason === "shared";
}

interface ReplaceFacts {
  readonly state: Pick<RoutingState, "records"> | undefined;
  readonly live: LiveRouting | undefined;
}

/**
 * Plans the resources that are to be replaced: each of them, and each of its routes, is created
 * anew, and the old ones are deleted at the end. What the state does not have is not replaced, nor
 * is what matches the routing: the same command, run again, does nothing. A resource that other
 * routes use is a conflict: they would be deleted with it.
 */
export function planReplaced(
  items: readonly PlanItem[],
  replace: readonly Address[],
  { state, live }: ReplaceFacts,
): readonly PlanItem[] {
  const setAside = new Set(
    [...(state?.records.values() ?? [])].map(({ replacedBy }) => replacedBy),
  );
  const wanted = new Set(replace.filter((address) => state?.records.has(address)));
  // An earlier run has set the old one aside: it is only deleted.
  for (const address of wanted) if (setAside.has(address)) wanted.delete(address);
  for (const item of items)
    if (MATCHES.has(item.action) || isShared(item)) wanted.delete(item.address);
  if (wanted.size === 0) return items;
  const planned = items.map((item): PlanItem => {
    const { address, kind, resource } = item;
    const isMeant =
      wanted.has(address) ||
      (resource !== undefined && dependenciesOf(resource).some((one) => wanted.has(one)));
    if (!isMeant || !REPLACEABLE.has(item.action) || lostId(item) || !("id" in item)) return item;
    const differences = "differences" in item ? item.differences : [];
    const { id } = item;
    return { address, kind, ...defined({ resource }), action: "replace", id, differences };
  });
  const replaced = planned.filter((item) => item.action === "replace");
  const routesOf = otherRoutes(state, replaced, live);
  return planned.map((item) => {
    if (item.action !== "replace" || referencesOf(item.kind).length > 0) return item;
    const found = routesOf(item);
    if (found.length === 0) return item;
    const differences = [{ field: "routes", wanted: "none of others", found }];
    return { ...item, action: "conflict", reason: "in_use", differences };
  });
}

/**
 * The resources that need no replace: they match the routing, and no earlier one is left to delete.
 */
export function needlessReplaces({
  items,
  kept,
  choices: { replace },
}: Pick<Plan, "items" | "kept" | "choices">): readonly Address[] {
  const left = [...items.filter((item) => item.action === "delete"), ...kept];
  const matching = new Set(items.flatMap((one) => (MATCHES.has(one.action) ? one.address : [])));
  return replace.filter(
    (address) =>
      matching.has(address) && !left.some((one) => one.address === asideAddress(address, one.id)),
  );
}

/**
 * Checks that a routing can replace the requested resources.
 * @throws {UsageError} for an address that the routing does not declare as new, or a route
 */
export function assertReplaceable(model: RoutingModel, replace: readonly Address[]): void {
  if (replace.length === 0) return;
  const addresses = ownResources(model).map(({ address }) => address);
  for (const address of replace) {
    const done = "Nothing was sent.";
    if (referencesOf(addressParts(address).kind).length > 0) {
      throw new UsageError(`--replace ${address}: routes cannot be replaced`, {
        remedy: "Use the address of its destination or topic: its routes are replaced too.",
        done,
      });
    }
    if (addresses.includes(address)) continue;
    const near = nearest(address, addresses);
    throw new UsageError(`--replace ${address}: the routing file does not declare it`, {
      ...(near === undefined ? {} : { remedy: `Did you mean ${near}?` }),
      done,
    });
  }
}
