import { counted, firstNames } from "../../values/counted.ts";
import { type Address, addressParts } from "../model/address.ts";
import type { KnownRecord, RecordOrigin } from "../state/state.ts";
import type { LiveIndex } from "./live.ts";
import type { RemovedResource } from "./plan.ts";
import { otherOwners } from "./plan-change.ts";

/** True for origins whose resources amp created; others are never deleted. */
export const IS_OWN: Readonly<Record<RecordOrigin, boolean>> = {
  created: true,
  reconciled: true,
  adopted: false,
  imported: false,
};

/** What decides whether a resource of the state was removed from a file. */
export interface RemovalFacts {
  readonly index: LiveIndex | undefined;
  /** The name of the routing; absent: it owns nothing. */
  readonly name: string | undefined;
  /** Whether other files have the name: which of them contains a resource is not known. */
  readonly isNameShared: boolean;
}

/** True if only this routing wanted a resource, which still exists and is not half replaced. */
export function isRemoved(
  address: Address,
  record: Pick<KnownRecord, "id" | "owners" | "replacedBy">,
  { name, index, isNameShared }: RemovalFacts,
): boolean {
  const { id, owners = [], replacedBy } = record;
  if (name === undefined || isNameShared || replacedBy !== undefined) return false;
  const isOwn = owners.includes(name) && otherOwners(record, { name }).length === 0;
  return isOwn && (index === undefined || index.byId(addressParts(address).kind, id) !== undefined);
}

/** What a reader is told of them; undefined where there are none. `all`: each by its address. */
export function removedFromFileText(
  removed: readonly RemovedResource[],
  { all = false }: { readonly all?: boolean } = {},
): string | undefined {
  if (removed.length === 0) return undefined;
  const [are, exist, them] =
    removed.length === 1 ? ["is", "exists", "it"] : ["are", "exist", "them"];
  const names = removed.map(({ address }) => address);
  const own = removed.filter(({ origin }) => IS_OWN[origin]).length;
  const remedy =
    own === 0
      ? `--prune keeps ${them}: amp did not create ${them}.`
      : `Add --prune to delete ${own < removed.length ? "those that amp created" : them}.`;
  return `${counted(removed.length, "resource")} ${are} no longer in this file, but still ${exist}: ${all ? names.join(", ") : firstNames(names)}. ${remedy}`;
}
