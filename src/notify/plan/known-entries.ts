import { type Address, recordKey } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import { movedRoute, type Place, placeName } from "../state/change.ts";
import {
  type Entry,
  kindOf,
  type LeftEntry,
  type RoutingState,
  type StateEntry,
} from "../state/state.ts";

/**
 * The entries of a state while a plan is made. What the plan moves, claims or releases is changed
 * here, and saved before anything is sent.
 */
export class KnownEntries {
  readonly #saved: Pick<RoutingState, "entries" | "left">;
  readonly #entries: Map<Address, Entry>;
  readonly #left: Map<string, LeftEntry>;
  readonly #byId = new Map<string, Place>();
  /** Nearly each key is of one place: a list only where there are more. */
  readonly #byKey = new Map<string, Place | readonly Place[]>();

  constructor(state: Pick<RoutingState, "entries" | "left"> | undefined) {
    this.#saved = state ?? { entries: new Map(), left: new Map() };
    this.#entries = new Map(this.#saved.entries);
    this.#left = new Map(this.#saved.left);
    for (const [address, entry] of this.#entries) this.#index({ address }, entry);
    for (const [left, entry] of this.#left) this.#index({ address: entry.address, left }, entry);
  }

  /** The entry at an address. */
  at(address: Address): Entry | undefined {
    return this.#entries.get(address);
  }

  /** The entry at a place. */
  of({ address, left }: Place): Entry | undefined {
    return left === undefined ? this.#entries.get(address) : this.#left.get(left);
  }

  /** Where the resource with an ID is. */
  placeOf(kind: ResourceKind, id: string): Place | undefined {
    return this.#byId.get(recordKey(kind, id));
  }

  /** Where resources are whose name, or ends, were sent as these. */
  placesOfKey(kind: ResourceKind, key: readonly (string | undefined)[]): readonly Place[] {
    return this.#atKey(keyText(kind, key));
  }

  /** All entries, with their places. */
  *all(): Generator<readonly [Place, Entry]> {
    for (const [address, entry] of this.#entries) yield [{ address }, entry];
    for (const [left, entry] of this.#left) yield [{ address: entry.address, left }, entry];
  }

  /** Sets the entry at a place. */
  set(place: Place, entry: Entry): void {
    this.remove(place);
    if (place.left === undefined) this.#entries.set(place.address, entry);
    else this.#left.set(place.left, { ...entry, address: place.address });
    this.#index(place, entry);
  }

  /** Removes the entry at a place. */
  remove(place: Place): void {
    const entry = this.of(place);
    if (entry === undefined) return;
    if (place.left === undefined) this.#entries.delete(place.address);
    else this.#left.delete(place.left);
    const kind = kindOf(place.address);
    if (entry.id !== undefined) this.#byId.delete(recordKey(kind, entry.id));
    if (!entry.key) return;
    const key = keyText(kind, entry.key);
    const name = placeName(place);
    this.#byKey.set(
      key,
      this.#atKey(key).filter((one) => placeName(one) !== name),
    );
  }

  /** Moves an entry, changed, to an address that has none. */
  move(from: Place, to: Address, change = (entry: Entry) => entry): void {
    const entry = this.of(from);
    if (entry === undefined) return;
    this.remove(from);
    this.set({ address: to }, change(withoutAddress(entry)));
  }

  /** Moves the entries of the routes of renamed resources to their new addresses. */
  moveRoutes(renamed: ReadonlyMap<Address, Address>): void {
    if (renamed.size === 0) return;
    const moved = [...this.#entries].flatMap(([address, entry]) => {
      const to = movedRoute(address, renamed);
      return to === undefined ? [] : [{ address, to, entry }];
    });
    const free = moved.filter(({ to }) => !this.#entries.has(to) || movedRoute(to, renamed));
    // All of them first: one may take the address of another.
    for (const { address } of free) this.remove({ address });
    for (const { to, entry } of free) this.set({ address: to }, entry);
  }

  /** Moves an entry out of its address, which another resource takes. @returns whether it left */
  leave(address: Address): boolean {
    const entry = this.#entries.get(address);
    if (entry?.id === undefined || entry.pending) return false;
    this.remove({ address });
    this.set({ address, left: recordKey(kindOf(address), entry.id) }, entry);
    return true;
  }

  /** The parts of the state that were changed. */
  changes(): StateEntry[] {
    const { entries, left } = this.#saved;
    return [
      ...changedParts(entries, this.#entries, (at, entry) => ["entry", at, entry]),
      ...changedParts(left, this.#left, (at, entry) => ["left", at, entry]),
    ];
  }

  #index(place: Place, entry: Entry): void {
    const kind = kindOf(place.address);
    if (entry.id !== undefined) this.#byId.set(recordKey(kind, entry.id), place);
    if (!entry.key) return;
    const key = keyText(kind, entry.key);
    this.#byKey.set(key, this.#byKey.has(key) ? [...this.#atKey(key), place] : place);
  }

  #atKey(key: string): readonly Place[] {
    const found = this.#byKey.get(key) ?? [];
    return "address" in found ? [found] : found;
  }
}

function withoutAddress(entry: Entry): Entry {
  const { address: _, ...rest } = entry as LeftEntry;
  return rest;
}

function keyText(kind: ResourceKind, key: readonly (string | undefined)[]): string {
  return JSON.stringify([kind, ...key]);
}

function changedParts<Key, Value>(
  before: ReadonlyMap<Key, Value>,
  after: ReadonlyMap<Key, Value>,
  part: (key: Key, value: Value | null) => StateEntry,
): StateEntry[] {
  const parts: StateEntry[] = [];
  for (const key of before.keys()) if (!after.has(key)) parts.push(part(key, null));
  for (const [key, value] of after) if (before.get(key) !== value) parts.push(part(key, value));
  return parts;
}
