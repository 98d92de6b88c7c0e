import { type Address, addressOf, addressParts } from "../model/address.ts";
import type { AppliedFile } from "../model/applied-file.ts";
import { RESOURCES } from "../model/resource.ts";
import { changeEntries, type RunBeingRecorded, type RunChange, withRunEntry } from "./history.ts";
import {
  filesOf,
  type KnownRecord,
  type PendingWrite,
  type RoutingState,
  type StateEntry,
  type UnknownOutcomeFacts,
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
  if (entry[0] === "files") {
    const [, name, paths] = entry;
    const before = filesOf(state, name);
    const { [name]: _, ...others } = state.files ?? {};
    state.files = paths === null ? others : { ...others, [name]: paths };
    return ["files", name, before.length === 0 ? null : before];
  }
  if (entry[0] === "run" || entry[0] === "change") {
    const { after, inverse } = withRunEntry(state.runs ?? new Map(), entry);
    state.runs = after;
    return inverse;
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
 * Adds the record of a resource that exists, and removes its intent. The owners of an earlier record
 * at the address still want it.
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
      const { replacedBy } = record;
      const isReplaced = replacedBy === undefined ? {} : { replacedBy: at };
      return [
        ["record", at, null],
        ["record", to, { ...route, ...isReplaced }],
      ];
    });
    const begun = [...state.pending].flatMap(([at, pending]): StateEntry[] => {
      const to = movedRoute(at, from, address);
      if (to === undefined || state.pending.has(to)) return [];
      return [
        ["pending", at, null],
        ["pending", to, pending],
      ];
    });
    return [["record", from, null], ...withRecord(address, record)(state), ...moved, ...begun];
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

/**
 * Adds the file that is applied under a name. One that has the name as its own takes the place of
 * others, whose name it was only by chance.
 */
export function withFile(name: string, { path, hasOwnName }: AppliedFile): StateChange {
  return (state) => {
    const known = filesOf(state, name);
    const next = hasOwnName ? [path] : [...new Set([...known, path])].sort();
    return next.join("\n") === known.join("\n") ? [] : [["files", name, next]];
  };
}

/** Removes an owner from records. */
export function withoutOwner(addresses: readonly Address[], owner: string): StateChange {
  return changeOwners(addresses, (owners) => owners.filter((one) => one !== owner));
}

function changeOwners(
  addresses: readonly Address[],
  change: (owners: readonly string[]) => readonly string[],
): StateChange {
  return ({ records }) =>
    addresses.flatMap((address): StateEntry[] => {
      const record = records.get(address);
      if (record === undefined) return [];
      return [["record", address, withOwners(record, change(record.owners ?? []))]];
    });
}

/** Removes the intent of a write that was refused or never sent. */
export function withoutIntent(address: Address): StateChange {
  return () => [["pending", address, null]];
}

/** Marks the outcome of a write as unknown, unless it became known in the meantime. */
export function withUnknownOutcome(address: Address, facts: UnknownOutcomeFacts): StateChange {
  return ({ pending }) => {
    const begun = pending.get(address);
    return begun === undefined
      ? []
      : [["pending", address, { ...begun, ...facts, phase: "unknown" }]];
  };
}

/** A write other than a create or update whose outcome is not known until it is looked up. */
export type BegunWrite = "deleting" | "rotating";

/** When such a write began, by both clocks. */
export type BegunAt = Pick<KnownRecord, "time" | "serviceTime">;

/**
 * Records that writes to resources are about to be sent, or that none is under way.
 * @param since when they began, which then is what is last known of them; absent: their outcome is
 *   known
 */
export function withBegun(
  write: BegunWrite,
  addresses: readonly Address[],
  since?: BegunAt,
): StateChange {
  return ({ records }) =>
    addresses.flatMap((address): StateEntry[] => {
      const record = records.get(address);
      if (record === undefined) return [];
      const { [write]: _, ...known } = record;
      const { serviceTime, ...rest } = known;
      const next = since === undefined ? known : { ...rest, ...since, [write]: since.time };
      return [["record", address, next as KnownRecord]];
    });
}

/** Removes the record of a resource. */
export function withoutRecord(address: Address): StateChange {
  return () => [["record", address, null]];
}

/** Records whether the service lists what exists. */
export function withLists(hasLists: boolean): StateChange {
  return () => [["lists", hasLists]];
}

/** Adds a change of the service to the history, together with its change of the state. */
export function withHistory(
  change: StateChange,
  run: RunBeingRecorded,
  made: RunChange,
): StateChange {
  return (state) => [...change(state), ...changeEntries(state.runs ?? new Map(), run, made)];
}
