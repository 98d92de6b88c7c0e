import {
  type Address,
  destinationAddress,
  destinationRouteAddress,
  eventRouteAddress,
  topicAddress,
} from "../model/address.ts";
import { RESOURCE_ORDER, type ResourceKind } from "../model/resource.ts";
import {
  duplicatesById,
  indexLive,
  type LiveIndex,
  type LiveRecord,
  type LiveRouting,
  recordsOfKind,
} from "./live.ts";
import type { StatusRow } from "./status.ts";

/**
 * What exists at the service, and neither the state nor the file know.
 * @param rows of what they know
 */
export function unmanaged(rows: readonly StatusRow[], live: LiveRouting | undefined): StatusRow[] {
  if (live === undefined) return [];
  const index = indexLive(live);
  const twins = duplicatesById(index);
  const managed = new Set(
    rows.flatMap(({ kind, id, ids = [] }) => [id, ...ids].map((one) => `${kind} ${one}`)),
  );
  return RESOURCE_ORDER.flatMap((kind) =>
    recordsOfKind(live, kind).flatMap((record): StatusRow[] => {
      const { id } = record;
      if (managed.has(`${kind} ${id}`)) return [];
      const row = { ...addressOf(kind, record, index), kind, id };
      const ids = twins(kind, id);
      if (ids === undefined) return [{ ...row, status: "unmanaged" }];
      // One row for all of them.
      return ids[0] === id ? [{ ...row, status: "duplicated", ids }] : [];
    }),
  );
}

/** An address made from what the service tells, and what is odd about it. */
function addressOf(
  kind: ResourceKind,
  record: LiveRecord,
  index: LiveIndex,
): Pick<StatusRow, "address" | "note"> {
  if (kind === "destination" || kind === "topic") {
    const make = kind === "topic" ? topicAddress : destinationAddress;
    return record.name
      ? { address: make(record.name) }
      : { address: make(record.id), note: "has no name" };
  }
  const topic = routeEndpoint("topic", record.topicId, index);
  if (kind === "event-route") {
    return routeRow(eventRouteAddress(topic.name, record.eventType || "?"), [topic]);
  }
  const destination = routeEndpoint("destination", record.destinationId, index);
  return routeRow(destinationRouteAddress(topic.name, destination.name), [topic, destination]);
}

interface RouteEndpoint {
  readonly kind: ResourceKind;
  readonly name: string;
  readonly isThere: boolean;
}

function routeEndpoint(
  kind: ResourceKind,
  id: string | null | undefined,
  index: LiveIndex,
): RouteEndpoint {
  const found = id ? index.byId(kind, id) : undefined;
  return { kind, name: found?.name || id || "?", isThere: found !== undefined };
}

function routeRow(
  address: Address,
  ends: readonly RouteEndpoint[],
): Pick<StatusRow, "address" | "note"> {
  const gone = ends.filter(({ isThere }) => !isThere).map(({ kind }) => kind);
  return gone.length === 0 ? { address } : { address, note: `its ${gone.join(" and ")} is gone` };
}
