import { compareText } from "../../values/compare-text.ts";
import { defined } from "../../values/json.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import { RESOURCE_ORDER } from "../model/resource.ts";
import { type RoutingModel, resourceAt } from "../model/routing.ts";
import type { KnownRecord } from "../state/state.ts";
import { unmanaged } from "./beyond.ts";
import { changedSinceKnown } from "./changes.ts";
import { compareKey, differencesOf } from "./diff.ts";
import { indexLive, type LiveIndex } from "./live.ts";
import { makePlan, openWrites, otherFilesOf, type PlanInput } from "./make-plan.ts";
import {
  type FoundStatus,
  isOpenCreate,
  lostId,
  type PlanItem,
  type ResourceStatus,
  type StatusRow,
} from "./plan.ts";
import { dependencyIds } from "./plan-change.ts";

/** The input of a status. */
export interface StatusInput extends Omit<PlanInput, "model"> {
  /** The model of the routing file; absent: the state alone says what should exist. */
  readonly model: RoutingModel | undefined;
}

/** The status of each resource of a routing; a pure function. */
export function routingStatus({ model, state, live }: StatusInput): FoundStatus[] {
  const index = live && indexLive(live);
  const planned = (model ? makePlan({ model, state, live }).items : openWrites(state))
    .filter((item) => item.action !== "delete" && item.action !== "release")
    .map((item) => itemStatus(item, state?.records.get(item.address), index));
  const named = new Set(planned.map(({ address }) => address));
  // A rename that is not done yet is about a record with another address.
  const shown = new Set(
    planned.flatMap(({ kind, id }) => (id === undefined ? [] : recordKey(kind, id))),
  );
  const isShared = model !== undefined && otherFilesOf(model, state).length > 0;
  const shared = model?.source?.isUnknown ? "not in the file" : "in another file of this name";
  const noteOf = (record: KnownRecord, { name }: RoutingModel) =>
    noteOfUnnamed(record, name, isShared ? shared : "no longer in the file");
  const known = [...(state?.records ?? [])]
    .filter(([at, { id }]) => !named.has(at) && !shown.has(recordKey(addressParts(at).kind, id)))
    .map(([address, record]) => {
      const row = recordStatus(address, record, state, index);
      const note = model && row.status === "in_place" ? noteOf(record, model) : undefined;
      return note === undefined ? row : { ...row, note };
    });
  const rows = withDuplicates([...planned, ...known], index);
  return withCandidates(rows, live && index ? unmanaged(rows, live, index) : []).sort(
    (a, b) =>
      RESOURCE_ORDER.indexOf(a.kind) - RESOURCE_ORDER.indexOf(b.kind) ||
      compareText(a.address, b.address),
  );
}

function noteOfUnnamed(
  { owners = [] }: KnownRecord,
  name: string | undefined,
  own: string,
): string {
  const others = owners.filter((owner) => owner !== name);
  const wanted = others.length > 0 ? `declared by ${others.join(", ")}` : "";
  const left = others.length < owners.length ? own : "";
  return [left, wanted].filter(Boolean).join("; ") || "not in the file";
}

/** Merges a create with an unknown outcome and the listed records that may be it into one row. */
function withCandidates(rows: readonly StatusRow[], others: readonly FoundStatus[]): FoundStatus[] {
  const found = Map.groupBy(others, ({ address }) => address);
  const unknown = new Set(
    rows.flatMap((row) => (row.status === "unknown" && row.ids === undefined ? row.address : [])),
  );
  const merged = rows.map((row): StatusRow => {
    const candidates = unknown.has(row.address) ? (found.get(row.address) ?? []) : [];
    const all = candidates.flatMap(({ id, ids = id === undefined ? [] : [id] }) => ids);
    const [id, another] = all;
    if (id === undefined) return row;
    const isCreated = row.note === ID_UNKNOWN;
    const note = `${isCreated ? ID_UNKNOWN : "create started"}; this may be its result`;
    return { ...row, ...(another === undefined ? { id } : { ids: all }), note };
  });
  return [...merged, ...others.filter(({ address }) => !unknown.has(address))];
}

function withDuplicates(rows: readonly StatusRow[], index: LiveIndex | undefined): StatusRow[] {
  return rows.map((row) => {
    const ids = row.id === undefined ? undefined : index?.duplicateIds(row.kind, row.id);
    return ids === undefined ? row : { ...row, status: "duplicated", ids };
  });
}

const NOT_LISTED = "no longer listed";

type NamedItem = Exclude<PlanItem, { action: "delete" | "release" }>;

function itemStatus(
  item: NamedItem,
  known: KnownRecord | undefined,
  index: LiveIndex | undefined,
): StatusRow {
  const { resource, action } = item;
  const { address, kind, ids, differences }: Omit<StatusRow, "status"> = item;
  const id = lostId(item) ?? ("id" in item ? item.id : undefined);
  const [status, note] = statusOfItem(item);
  const { origin } = known ?? {};
  const row = defined({ address, kind, status, id, ids, origin, note, differences });
  if (status === "missing" && id !== undefined && index?.byId(kind, id) !== undefined) {
    return { ...row, status: "changed", note: CONNECTS_OTHERS };
  }
  if (action !== "in_place") return row;
  if (index === undefined) return { ...row, note: NOT_VERIFIED };
  if (item.spelling !== undefined) return { ...row, note: SPELT_OTHERWISE };
  const found = index.byId(kind, item.id);
  const isSpelt = found && resource && differencesOf(resource, found).length > 0;
  return isSpelt ? { ...row, note: SPELT_OTHERWISE } : row;
}

/** The status and the note that follow from the action of a plan, and from what it knows. */
function statusOfItem(item: NamedItem): readonly [status: ResourceStatus, note?: string] {
  switch (item.action) {
    case "in_place":
      return ["in_place"];
    case "adopt":
      return ["in_place", "not in the state yet"];
    case "create":
      return ["missing", "reason" in item ? NOT_LISTED : "to be created"];
    case "update":
      return ["changed", item.reason === "not_kept" ? NOT_KEPT : "differs from the file"];
    case "unknown":
      if (!isOpenCreate(item)) return ["unknown", "update started, outcome unknown"];
      return ["unknown", "reason" in item ? ID_UNKNOWN : "create started, outcome unknown"];
    case "conflict":
      return statusOfConflict(item);
  }
}

function statusOfConflict(
  item: Extract<PlanItem, { action: "conflict" }>,
): readonly [status: ResourceStatus, note?: string] {
  switch (item.reason) {
    case "not_listed":
      return ["missing", NOT_LISTED];
    case "unclear":
      return ["unknown", "may be one of these; the list does not show which"];
    case "ambiguous":
      if (item.ids.length > 1) return ["duplicated"];
      return ["duplicated", "what it connects exists several times"];
    case "shared":
      return ["changed", `differs from the file; also declared by ${item.owners?.join(", ")}`];
    default:
      return ["changed"];
  }
}

const ID_UNKNOWN = "created, but its ID is unknown";

const CHANGED = "changed at the service";

const NOT_KEPT = "the service lists other values than it was sent";

const SPELT_OTHERWISE = "the service spells it differently";

/** The note for a route whose topic or destination is not the one that has its name now. */
const CONNECTS_OTHERS = "now connects other resources";

/** The note for a resource that cannot be verified. */
export const NOT_VERIFIED = "from the state: this service has no lists";

/** The status of a resource that only the state knows. */
function recordStatus(
  address: Address,
  known: KnownRecord,
  state: StatusInput["state"],
  index: LiveIndex | undefined,
): StatusRow {
  const { kind } = addressParts(address);
  const { id, origin } = known;
  const row = { address, kind, id, origin } as const;
  if (index === undefined) return { ...row, status: "in_place", note: NOT_VERIFIED };
  const resource = resourceAt(address);
  const dependencies = dependencyIds(resource, (dependency) => state?.records.get(dependency)?.id);
  const record = index.byId(kind, id);
  if (record !== undefined) {
    // The dependencies that only a file names, by their IDs, are not in the state.
    const { different, spelling } = compareKey(resource, record, dependencies);
    if (different.length > 0) {
      const { name } = record;
      const note = name ? `renamed to ${JSON.stringify(name)}` : CONNECTS_OTHERS;
      return { ...row, status: "changed", note };
    }
    const differences = state ? changedSinceKnown(known, record, state.salt) : [];
    if (differences.length > 0) return { ...row, status: "changed", differences, note: CHANGED };
    return {
      ...row,
      status: "in_place",
      ...(spelling.length > 0 ? { note: SPELT_OTHERWISE } : {}),
    };
  }
  const found = index.matches(resource, dependencies);
  const note = found.length === 0 ? NOT_LISTED : `${NOT_LISTED}; it exists with another ID`;
  return { ...row, status: "missing", note };
}
