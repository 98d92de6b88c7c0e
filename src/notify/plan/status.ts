import type { Address } from "../address.ts";
import type { RoutingModel } from "../model.ts";
import type { Origin, RoutingState } from "../state/state.ts";
import { STEP_ORDER, type StepKind } from "../steps.ts";
import { compare } from "./canonical.ts";
import { itemStatus } from "./item-status.ts";
import type { LiveRouting } from "./live.ts";
import { makePlan } from "./make-plan.ts";
import { indexLive, type LiveIndex } from "./natural-key.ts";
import type { Difference } from "./plan.ts";
import type { FingerprintOf } from "./plan-step.ts";
import { recordStatuses } from "./record-status.ts";
import { twinsOf } from "./twins.ts";
import { unmanaged } from "./unmanaged.ts";

/** How a thing of a routing can be. */
export const STATUSES = [
  "in-place",
  "missing",
  "changed",
  "duplicated",
  "unknown",
  "unmanaged",
] as const;
/** One of {@link STATUSES}. */
export type Status = (typeof STATUSES)[number];

/** One thing of a routing, as it is. */
export interface StatusRow {
  /** Of what neither state nor file know, made from the names that the service tells. */
  readonly address: Address;
  readonly kind: StepKind;
  readonly status: Status;
  readonly id?: string;
  /** All of one natural key, where there are several. */
  readonly ids?: readonly string[];
  /** How the state came to know it. */
  readonly origin?: Origin;
  readonly differences?: readonly Difference[];
  /** What the status does not say. */
  readonly note?: string;
}

/** What a status is made from. */
export interface StatusInput {
  /** Of the routing file; absent: the state alone says what should be there. */
  readonly model: RoutingModel | undefined;
  readonly state: Pick<RoutingState, "records" | "pending"> | undefined;
  /** Absent: the service has no lists. */
  readonly live: LiveRouting | undefined;
  readonly fingerprintOf: FingerprintOf;
}

/** What a routing consists of, and how each part of it is; a pure function. */
export function routingStatus({ model, state, live, fingerprintOf }: StatusInput): StatusRow[] {
  const index = live && indexLive(live);
  const plan = model && makePlan({ model, state, live, fingerprintOf });
  const planned = (plan?.items ?? [])
    .filter(({ action }) => action !== "prune")
    .map((item) => itemStatus(item, state?.records.get(item.address)?.origin, index));
  const named = new Set(planned.map(({ address }) => address));
  const known = recordStatuses(state, named, index, model !== undefined);
  const rows = withDuplicates([...planned, ...known], index);
  return withCandidates(rows, unmanaged(rows, live)).sort(
    (a, b) =>
      STEP_ORDER.indexOf(a.kind) - STEP_ORDER.indexOf(b.kind) || compare(a.address, b.address),
  );
}

/** What was begun, and what the list shows in its place, are one line until it is settled. */
function withCandidates(rows: readonly StatusRow[], others: readonly StatusRow[]): StatusRow[] {
  const found = Map.groupBy(others, ({ address }) => address);
  const begun = new Set(rows.flatMap((row) => (row.status === "unknown" ? row.address : [])));
  const merged = rows.map((row): StatusRow => {
    const candidates = begun.has(row.address) ? (found.get(row.address) ?? []) : [];
    const all = candidates.flatMap(({ id, ids = id === undefined ? [] : [id] }) => ids);
    const [id, another] = all;
    if (id === undefined) return row;
    const note = "was begun; this may be it";
    return { ...row, ...(another === undefined ? { id } : { ids: all }), note };
  });
  return [...merged, ...others.filter(({ address }) => !begun.has(address))];
}

/** What is known by its id has its natural key looked at too. */
function withDuplicates(rows: readonly StatusRow[], index: LiveIndex | undefined): StatusRow[] {
  const twins = index && twinsOf(index);
  return rows.map((row) => {
    const ids = row.id === undefined ? undefined : twins?.(row.kind, row.id);
    return ids === undefined ? row : { ...row, status: "duplicated", ids };
  });
}
