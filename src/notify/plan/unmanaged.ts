import { counted, firstNames } from "../../values/counted.ts";
import { addressOf, addressParts, recordKey } from "../model/address.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  referencesOf,
} from "../model/resource.ts";
import { compareText } from "../model/routing.ts";
import type { RoutingState } from "../state/state.ts";
import type { LiveIndex, LiveRouting } from "./live.ts";
import {
  type FoundResource,
  type FoundStatus,
  type PlanItem,
  recordIds,
  type StatusRow,
} from "./plan.ts";

/**
 * The routes at the topics of a routing that neither it nor the state has: amp leaves them alone,
 * and they deliver events all the same.
 */
export function unmanagedRoutes(
  items: readonly PlanItem[],
  state: Pick<RoutingState, "records"> | undefined,
  live: LiveRouting | undefined,
  index: LiveIndex | undefined,
): FoundResource[] {
  if (live === undefined || index === undefined) return [];
  const named = new Set(items.map(({ address }) => address));
  const rows = [
    ...items.map((item) => ({ kind: item.kind, ids: recordIds(item) })),
    ...[...(state?.records ?? [])].map(([at, { id }]) => ({ kind: addressParts(at).kind, id })),
  ];
  const topics = new Set(items.flatMap((item) => (item.kind === "topic" ? recordIds(item) : [])));
  const added = unmanaged(rows, live, index).flatMap(({ address, id, status, kind }) => {
    const topic = id === undefined ? undefined : index.byId(kind, id)?.topicId;
    // What may be the result of a create that was begun is no stranger's.
    const isFree = status === "unmanaged" && !named.has(address);
    return isFree && topics.has(String(topic)) && id !== undefined ? [{ address, id }] : [];
  });
  return added.sort((a, b) => compareText(a.address, b.address) || compareText(a.id, b.id));
}

/** The routes of a status that were added to managed topics, as of a plan. */
export function unmanagedRoutesOf(rows: readonly FoundStatus[]): FoundResource[] {
  return rows.flatMap(({ address, id, status, isAddedRoute }) =>
    isAddedRoute && status === "unmanaged" && id !== undefined ? [{ address, id }] : [],
  );
}

/** What a reader is told of them; undefined where there are none. */
export function unmanagedRoutesText(routes: readonly FoundResource[]): string | undefined {
  if (routes.length === 0) return undefined;
  const deliver = routes.length === 1 ? "delivers" : "deliver";
  const topics = [
    ...new Set(routes.flatMap(({ address }) => addressParts(address).names[0] ?? [])),
  ];
  const from = `${topics.length === 1 ? "topic" : "topics"} ${firstNames(topics)}`;
  const which = firstNames(routes.map(({ address }) => address));
  return `${counted(routes.length, "unmanaged route")} also ${deliver} from ${from}: ${which}`;
}

/**
 * The resources at the service that neither the state nor the file name.
 * @param rows the resources that they name
 */
export function unmanaged(
  rows: readonly Pick<StatusRow, "kind" | "id" | "ids">[],
  live: LiveRouting,
  index: LiveIndex,
): FoundStatus[] {
  const managed = new Set(
    rows.flatMap(({ kind, id, ids = [] }) =>
      // What does not exist yet has no ID, and no route leads to it.
      [id ?? [], ids].flat().map((one) => `${kind} ${one}`),
    ),
  );
  return RESOURCE_ORDER.flatMap((kind) =>
    live[kind].flatMap((record): FoundStatus[] => {
      const { id } = record;
      if (managed.has(recordKey(kind, id))) return [];
      const found = { ...addressFromRecord(kind, record, index), kind, id };
      const isAddedRoute = managed.has(`topic ${record.topicId}`);
      const note = found.note ?? "added to a managed topic";
      const row = isAddedRoute ? { ...found, note, isAddedRoute } : found;
      const ids = index.duplicateIds(kind, id);
      if (ids === undefined) return [{ ...row, status: "unmanaged" }];
      // All records of one natural key share a row.
      return ids[0] === id ? [{ ...row, status: "duplicated", ids }] : [];
    }),
  );
}

/** The address made from the service's names, and a note if the record is incomplete. */
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
      return record.id || "?";
    }
    const found = text === "" ? undefined : index.byId(references, text);
    if (found === undefined) odd.push(`its ${references} does not exist`);
    return found?.name || text || "?";
  });
  const address = addressOf(kind, ...names);
  return odd.length === 0 ? { address } : { address, note: odd.join(", ") };
}
