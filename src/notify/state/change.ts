import { type Address, addressOf, addressParts } from "../model/address.ts";
import { RESOURCES } from "../model/resource.ts";
import { changeEntries, type RunBeingRecorded, type RunChange, withRunEntry } from "./history.ts";
import type {
  KnownRecord,
  PendingWrite,
  RoutingState,
  StateEntry,
  UnknownOutcomeFacts,
} from "./state.ts";

/** A change of the state, as the entries that it sets. */
export type StateChange = (state: RoutingState) => readonly StateEntry[];

/** The state after a change; the one before stays as it is. */
export function changedState(state: RoutingState, change: StateChange): RoutingState {
  const next = copyOf(state);
  setEntries(next, change(state));
  return next;
}

/** A state whose owner changes it in place: copying a large one for each change is quadratic. */
export type OwnState = {
  -readonly [Field in keyof RoutingState]: RoutingState[Field] extends ReadonlyMap<
    infer Key,
    infer Value
  >
    ? Map<Key, Value>
    : RoutingState[Field];
};

/** Makes a copy that its owner may change. */
export function copyOf(state: RoutingState): OwnState {
  return { ...state, records: new Map(state.records), pending: new Map(state.pending) };
}

/**
 * Sets entries of a state in place.
 * @returns the entries that undo it
 */
export function setEntries(state: OwnState, entries: readonly StateEntry[]): StateEntry[] {
  return entries.map((entry) => setEntry(state, entry)).reverse();
}

function setEntry(state: OwnState, entry: StateEntry): StateEntry {
  if (entry[0] === "lists") {
    const { lists: before = null } = state;
    if (entry[1] === null) delete state.lists;
    else state.lists = entry[1];
    return ["lists", before];
  }
  if (entry[0] === "run" || entry[0] === "change") {
    const { runs = new Map() } = state;
    state.runs = withRunEntry(runs, entry);
    return ["run", entry[1], runs.get(entry[1]) ?? null];
  }
  if (entry[0] === "record") {
    return ["record", entry[1], put(state.records, entry[1], entry[2])];
  }
  return ["pending", entry[1], put(state.pending, entry[1], entry[2])];
}

/** Sets or deletes the value of a key. @returns the one before */
function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | null): Value | null {
  const before = map.get(key) ?? null;
  if (value === null) map.delete(key);
  else map.set(key, value);
  return before;
}

/** Adds a write that is about to be sent. */
export function withIntent(address: Address, pending: PendingWrite): StateChange {
  return () => [["pending", address, pending]];
}

/**
 * Adds the record of a resource that exists, and removes its intent. The owners of an earlier
 * record at the address still want it.
 */
export function withRecord(address: Address, record: KnownRecord): StateChange {
  return ({ records }) => {
    const owners = [...(records.get(address)?.owners ?? []), ...(record.owners ?? [])];
    return [
      ["pending", address, null],
      ["record", address, owners.length === 0 ? record : withOwners(record, owners)],
    ];
  };
}

/**
 * Adds the record of an updated resource. With a new name its address changes, and with it those of
 * the routes that reference it, unless another resource has taken them.
 * @param from the address before
 */
export function withMovedRecord(address: Address, record: KnownRecord, from: Address): StateChange {
  return (state) => {
    const moved = [...state.records].flatMap(([at, route]): StateEntry[] => {
      const to = movedRoute(at, from, address);
      if (to === undefined || state.records.has(to)) return [];
      return [
        ["record", at, null],
        ["record", to, route],
      ];
    });
    const pendingRoutes = [...state.pending].flatMap(([at, pending]): StateEntry[] => {
      const to = movedRoute(at, from, address);
      if (to === undefined || state.pending.has(to)) return [];
      return [
        ["pending", at, null],
        ["pending", to, pending],
      ];
    });
    return [
      ["record", from, null],
      ...withRecord(address, record)(state),
      ...moved,
      ...pendingRoutes,
    ];
  };
}

/** The address of a route once a resource that it references is at another one. */
export function movedRoute(route: Address, from: Address, to: Address): Address | undefined {
  const { kind, names } = addressParts(route);
  const [old, next] = [addressParts(from), addressParts(to)];
  const at = RESOURCES[kind].key.findIndex(
    ({ references }, place) => references === old.kind && names[place] === old.names[0],
  );
  if (at < 0) return undefined;
  return addressOf(kind, ...names.with(at, next.names[0] ?? ""));
}

function withOwners(record: KnownRecord, owners: readonly string[]): KnownRecord {
  return { ...record, owners: [...new Set(owners)].sort() };
}

/** Adds an owner to records. */
export function withOwner(addresses: readonly Address[], owner: string): StateChange {
  return changeOwners(addresses, (owners) => [...owners, owner]);
}

/** Removes an owner from records. */
export function withoutOwner(addresses: readonly Address[], owner: string): StateChange {
  return changeOwners(addresses, (owners) => owners.filter((one) => one !== owner));
}

function changeOwners(
  addresses: readonly Address[],
  change: (owners: readonly string[]) => readonly string[],
): StateChange {
  return changeKnown(addresses, (record) => withOwners(record, change(record.owners ?? [])));
}

/** Changes records, as far as the state has them. */
function changeKnown(
  addresses: readonly Address[],
  change: (record: KnownRecord) => KnownRecord,
): StateChange {
  return ({ records }) =>
    addresses.flatMap((address): StateEntry[] => {
      const record = records.get(address);
      return record === undefined ? [] : [["record", address, change(record)]];
    });
}

/** Removes the intent of a write that was refused or never sent. */
export function withoutIntent(address: Address): StateChange {
  return () => [["pending", address, null]];
}

/** Marks the outcome of a write as unknown, unless it became known in the meantime. */
export function withUnknownOutcome(address: Address, facts: UnknownOutcomeFacts): StateChange {
  return ({ pending }) => {
    const sent = pending.get(address);
    return sent === undefined
      ? []
      : [["pending", address, { ...sent, ...facts, phase: "unknown" }]];
  };
}

/** The mark of a record whose delete or rotation was sent, until the outcome is known. */
export type RecordMark = "deleting" | "rotating";

/** When it was marked, by both clocks. */
export type MarkedAt = Pick<KnownRecord, "time" | "serviceTime">;

/**
 * Marks records before their deletes or rotations are sent, or removes the mark.
 * @param since when they begin, which then is what is last known of them; absent: their outcome is
 *   known
 */
export function withMark(
  mark: RecordMark,
  addresses: readonly Address[],
  since?: MarkedAt,
): StateChange {
  return changeKnown(addresses, (record) => {
    const { [mark]: _, ...known } = record;
    const { serviceTime, ...rest } = known;
    const next = since === undefined ? known : { ...rest, ...since, [mark]: since.time };
    return next as KnownRecord;
  });
}

/** Removes the record of a resource. */
export function withoutRecord(address: Address): StateChange {
  return () => [["record", address, null]];
}

/** Records whether the service lists what exists. */
export function withLists(hasLists: boolean): StateChange {
  return ({ lists }) => (lists === hasLists ? [] : [["lists", hasLists]]);
}

/** Adds a change of the service to the history, together with its change of the state. */
export function withHistory(
  change: StateChange,
  run: RunBeingRecorded,
  made: RunChange,
): StateChange {
  return (state) => [...change(state), ...changeEntries(state.runs ?? new Map(), run, made)];
}
