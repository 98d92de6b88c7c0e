import { addressOf } from "../model/address.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  referencesOf,
} from "../model/resource.ts";
import { indexLive, type LiveIndex, type LiveRouting } from "./live.ts";
import type { StatusRow } from "./plan.ts";

/**
 * The resources at the service that neither the state nor the file name.
 * @param rows of the resources that they name
 */
export function unmanaged(rows: readonly StatusRow[], live: LiveRouting | undefined): StatusRow[] {
  if (live === undefined) return [];
  const index = indexLive(live);
  const managed = new Set(
    rows.flatMap(({ kind, id, ids = [] }) => [id, ...ids].map((one) => `${kind} ${one}`)),
  );
  return RESOURCE_ORDER.flatMap((kind) =>
    live[kind].flatMap((record): StatusRow[] => {
      const { id } = record;
      if (managed.has(`${kind} ${id}`)) return [];
      const row = { ...addressFromRecord(kind, record, index), kind, id };
      const ids = index.twins(kind, id);
      if (ids === undefined) return [{ ...row, status: "unmanaged" }];
      // One row for all of them.
      return ids[0] === id ? [{ ...row, status: "duplicated", ids }] : [];
    }),
  );
}

/** An address made from the names that the service tells, and what is wrong with the record. */
function addressFromRecord(
  kind: ResourceKind,
  record: LiveRecord,
  index: LiveIndex,
): Pick<StatusRow, "address" | "note"> {
  const { key } = RESOURCES[kind];
  const isRoute = referencesOf(kind).length > 0;
  const odd: string[] = [];
  const names = key.map(({ field, references }) => {
    const value = record[field];
    const text = typeof value === "string" ? value : "";
    if (references === undefined) {
      if (text !== "" || isRoute) return text || "?";
      odd.push(`has no ${field}`);
      return record.id;
    }
    const found = text === "" ? undefined : index.byId(references, text);
    if (found === undefined) odd.push(`its ${references} does not exist`);
    return found?.name || text || "?";
  });
  const address = addressOf(kind, ...names);
  return odd.length === 0 ? { address } : { address, note: odd.join(", ") };
}
