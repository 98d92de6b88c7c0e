import { type Address, addressOf, addressParts, recordKey } from "../model/address.ts";
import { RESOURCES, type ResourceKind } from "../model/resource.ts";
import { changeEntries, type RunBeingRecorded, type RunChange, withRunEntry } from "./history.ts";
import { type Entry, kindOf, type RoutingState, type StateEntry } from "./state.ts";

/** A change of the state, as the parts that it sets. */
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
  const { entries, left, marks } = state;
  return { ...state, entries: new Map(entries), left: new Map(left), marks: new Map(marks) };
}

/**
 * Sets parts of a state in place.
 * @returns the parts that undo it
 */
export function setEntries(state: OwnState, parts: readonly StateEntry[]): StateEntry[] {
  return parts.map((part) => setEntry(state, part)).reverse();
}

function setEntry(state: OwnState, part: StateEntry): StateEntry {
  switch (part[0]) {
    case "entry":
      return ["entry", part[1], put(state.entries, part[1], part[2])];
    case "left":
      return ["left", part[1], put(state.left, part[1], part[2])];
    case "mark":
      return ["mark", part[1], put(state.marks, part[1], part[2])];
    case "lists": {
      const { lists: before = null } = state;
      if (part[1] === null) delete state.lists;
      else state.lists = part[1];
      return ["lists", before];
    }
    default: {
      const { runs = new Map() } = state;
      state.runs = withRunEntry(runs, part);
      return ["run", part[1], runs.get(part[1]) ?? null];
    }
  }
}

/** Sets or deletes the value of a key. @returns the one before */
function put<Key, Value>(map: Map<Key, Value>, key: Key, value: Value | null): Value | null {
  const before = map.get(key) ?? null;
  if (value === null) map.delete(key);
  else map.set(key, value);
  return before;
}

/**
 * Where a state has an entry: at an address, or, once another resource has the address, by its ID.
 */
export interface Place {
  readonly address: Address;
  /** The kind and ID of an entry that has left its address. */
  readonly left?: string | undefined;
}

/** The name of a place: its address, or the kind and ID of an entry that has left it. */
export function placeName({ address, left }: Place): string {
  return left ?? address;
}

/** The entry at a place. */
export function entryAt(
  { entries, left }: Pick<RoutingState, "entries" | "left">,
  place: Place,
): Entry | undefined {
  return place.left === undefined ? entries.get(place.address) : left.get(place.left);
}

/** The part of a change that sets the entry at a place, or removes it. */
export function partAt({ address, left }: Place, entry: Entry | null): StateEntry {
  if (left === undefined) return ["entry", address, entry];
  return ["left", left, entry && { ...entry, address }];
}

/** Sets the entry at a place, or removes it. */
export function withEntry(place: Place, entry: Entry | null): StateChange {
  return () => [partAt(place, entry)];
}

/** Changes the entry at a place, if there is one. */
export function changeEntry(place: Place, change: (entry: Entry) => Entry | null): StateChange {
  return (state) => {
    const entry = entryAt(state, place);
    return entry === undefined ? [] : [partAt(place, change(entry))];
  };
}

/** An entry without the write that was begun. */
export function withoutPending({ pending: _, ...entry }: Entry): Entry {
  return entry;
}

/**
 * Drops a write that was refused or never sent. The entry of a create goes with it.
 */
export function withoutIntent(place: Place): StateChange {
  return changeEntry(place, (entry) => (entry.id === undefined ? null : withoutPending(entry)));
}

/**
 * The address of a route once resources that it references are at others; undefined if none is.
 * @param renamed the new addresses, by the old ones
 */
export function movedRoute(
  route: Address,
  renamed: ReadonlyMap<Address, Address>,
): Address | undefined {
  const { kind, names } = addressParts(route);
  const moved = RESOURCES[kind].key.map(({ references }, at) => {
    const name = names[at] ?? "";
    const to = references && renamed.get(addressOf(references, name));
    return to === undefined ? name : (addressParts(to).names[0] ?? "");
  });
  const to = addressOf(kind, ...moved);
  return to === route ? undefined : to;
}

/** The places at which a state has the resource with an ID. */
export function placesOfId(
  { entries, left }: Pick<RoutingState, "entries" | "left">,
  kind: ResourceKind,
  id: string,
): Place[] {
  const key = recordKey(kind, id);
  const leftAt = left.get(key);
  return [
    ...[...entries].flatMap(([address, entry]) =>
      entry.id === id && kindOf(address) === kind ? { address } : [],
    ),
    ...(leftAt === undefined ? [] : [{ address: leftAt.address, left: key }]),
  ];
}

/** The entries that a state has of the resource with an ID. */
export function entriesOfId(
  state: Pick<RoutingState, "entries" | "left">,
  ...resource: [kind: ResourceKind, id: string]
): Entry[] {
  return placesOfId(state, ...resource).flatMap((place) => entryAt(state, place) ?? []);
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
