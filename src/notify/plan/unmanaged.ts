import {
  type Address,
  destinationAddress,
  destinationRouteAddress,
  eventRouteAddress,
  topicAddress,
} from "../address.ts";
import { STEP_ORDER, type StepKind } from "../steps.ts";
import type { LiveRouting } from "./live.ts";
import { indexLive, type LiveIndex, type LiveRecord, recordsOf } from "./natural-key.ts";
import type { StatusRow } from "./status.ts";
import { twinsOf } from "./twins.ts";

/**
 * What exists at the service, and neither the state nor the file know.
 * @param rows of what they know
 */
export function unmanaged(rows: readonly StatusRow[], live: LiveRouting | undefined): StatusRow[] {
  if (live === undefined) return [];
  const index = indexLive(live);
  const twins = twinsOf(index);
  const managed = new Set(
    rows.flatMap(({ kind, id, ids = [] }) => [id, ...ids].map((one) => `${kind} ${one}`)),
  );
  return STEP_ORDER.flatMap((kind) =>
    recordsOf(live, kind).flatMap((record): StatusRow[] => {
      const { id } = record;
      if (managed.has(`${kind} ${id}`)) return [];
      const row = { ...named(kind, record, index), kind, id };
      const ids = twins(kind, id);
      if (ids === undefined) return [{ ...row, status: "unmanaged" }];
      // One row for all of them.
      return ids[0] === id ? [{ ...row, status: "duplicated", ids }] : [];
    }),
  );
}

/** An address made from what the service tells, and what is odd about it. */
function named(
  kind: StepKind,
  record: LiveRecord,
  index: LiveIndex,
): Pick<StatusRow, "address" | "note"> {
  if (kind === "destination" || kind === "topic") {
    const make = kind === "topic" ? topicAddress : destinationAddress;
    return record.name
      ? { address: make(record.name) }
      : { address: make(record.id), note: "has no name" };
  }
  const topic = endOf("topic", record.topicId, index);
  if (kind === "event-route") {
    return route(eventRouteAddress(topic.name, record.eventType || "?"), [topic]);
  }
  const destination = endOf("destination", record.destinationId, index);
  return route(destinationRouteAddress(topic.name, destination.name), [topic, destination]);
}

interface End {
  readonly kind: StepKind;
  readonly name: string;
  readonly isThere: boolean;
}

function endOf(kind: StepKind, id: string | null | undefined, index: LiveIndex): End {
  const found = id ? index.byId(kind, id) : undefined;
  return { kind, name: found?.name || id || "?", isThere: found !== undefined };
}

function route(address: Address, ends: readonly End[]): Pick<StatusRow, "address" | "note"> {
  const gone = ends.filter(({ isThere }) => !isThere).map(({ kind }) => kind);
  return gone.length === 0 ? { address } : { address, note: `its ${gone.join(" and ")} is gone` };
}
