import { defined } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import type { ShellWord } from "../../values/shell.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { routingErrors } from "../errors.ts";
import {
  type Address,
  addressParts,
  isAddress,
  parseAddress,
  recordKey,
} from "../model/address.ts";
import { type ResourceKind, referencesOf } from "../model/resource.ts";
import {
  changedState,
  type Place,
  partAt,
  placesOfId,
  withEntry,
  withoutIntent,
  withoutPending,
} from "./change.ts";
import {
  type ActTime,
  assertSameTarget,
  type Entry,
  INSTEAD,
  kindOf,
  type RoutingState,
  type StateEntry,
  type StateTarget,
} from "./state.ts";

/** The user's finding about a write with an unknown outcome. */
type Resolution = { readonly id: string } | "not-created";

/**
 * Adds a resource that exists, so that it is not created again. It is of no file: the first one that
 * declares it owns it. What amp sent is not known, unless a create of it is pending.
 * @throws {ConflictError} if the address has another ID, or the ID another address; and if an update
 * or delete is pending
 */
export function importEntry(
  state: RoutingState,
  address: string,
  id: string,
  now: Date,
): RoutingState {
  const where = parseAddress(address);
  const known = state.entries.get(where);
  assertNoWrite(where, known);
  if (known?.id === id) return state;
  if (known?.id !== undefined) throw routingErrors.address_in_state(where, known.id);
  const { kind, names } = addressParts(where);
  assertFree(state, kind, id);
  const key = referencesOf(kind).length === 0 ? { key: names } : {};
  const base: Entry = known ?? { owner: "nameless", made: "found", fields: {}, ...key, time: "" };
  const entry = { ...withoutPending(base), id, made: "found", time: now.toISOString() } as const;
  return changedState(state, withEntry({ address: where }, entry));
}

/** Refuses an ID that the state has already, and one that no service gives. */
function assertFree(state: RoutingState, kind: ResourceKind, id: string): void {
  const [other] = placesOfId(state, kind, id);
  if (other !== undefined) throw routingErrors.id_in_state(id, other.address);
  if (id.trim() !== id || id === "") throw routingErrors.id_unusable();
}

/**
 * Records what the user found at the service about a create with an unknown outcome, which may be
 * beside another resource of its address.
 * @throws {NotFoundError} if no create of the address is pending
 * @throws {ConflictError} if an update or delete is: whatever is seen now, it may come later
 */
export function resolvePending(
  state: RoutingState,
  address: string,
  resolution: Resolution,
  now: Date,
): RoutingState {
  type Begun = readonly [Place, Entry];
  const all: Begun[] = [
    ...[...state.entries].map(([at, one]): Begun => [{ address: at }, one]),
    ...[...state.left].map(([left, one]): Begun => [{ address: one.address, left }, one]),
  ];
  const open = all.filter(([{ left }, { pending }]) =>
    left === undefined ? pending !== undefined : pending?.op === "create",
  );
  const addresses = new Map(open.map(([at]) => [at.address, at]));
  const where = knownAddress(address, addresses, "has no pending create");
  const [place, begun] = open.findLast(([at]) => at.address === where) as Begun;
  assertNoWrite(where, begun);
  if (resolution === "not-created") return changedState(state, withoutIntent(place));
  const { id } = resolution;
  const kind = kindOf(where);
  assertFree(state, kind, id);
  // The user says that the create of amp has made it.
  const made = { ...withoutPending(begun), id, made: "amp", time: now.toISOString() } as const;
  const isLeft = place.left !== undefined;
  const own = isLeft ? { address: where, left: recordKey(kind, id) } : place;
  return changedState(state, () => [...(isLeft ? [partAt(place, null)] : []), partAt(own, made)]);
}

/** Refuses what would hide an update or delete that may come later. */
function assertNoWrite(where: Address, entry: Entry | undefined): void {
  const { op = "create" } = entry?.pending ?? {};
  if (op !== "create") throw routingErrors.write_unresolved(where, op);
}

/** An entry after the update that is pending in it was done: no list has shown its values yet. */
export function updatedEntry(entry: Entry, moment: ActTime): Entry {
  const { fields = {}, was = {}, name } = entry.pending ?? {};
  const sent = Object.entries(fields).map(([path, one]): [string, [string, string]] => {
    const [before, shown = "unseen"] = entry.fields[path] ?? [];
    const isAgain = before === one && (shown === "unseen" || shown.startsWith(INSTEAD));
    return [path, [one, isAgain && was[path] !== one ? `${INSTEAD}${was[path]}` : "unseen"]];
  });
  const { name: _, ...before } = entry.fields;
  return {
    ...withoutPending(entry),
    fields: { ...(name === undefined ? entry.fields : before), ...Object.fromEntries(sent) },
    ...(name === undefined ? {} : { key: [name] }),
    ...moment,
  };
}

/**
 * Removes a resource from the state; at the service it stays. Its mark says that lists may not show
 * it yet. What has a pending write is not removed: the resource may exist, and would be forgotten, or
 * an update or delete that comes later would go unseen.
 * @throws {NotFoundError} if the address is not in the state
 * @throws {ConflictError} if a write is pending
 */
export function forgetEntry(state: RoutingState, address: string): RoutingState {
  const where = knownAddress(address, state.entries, "is not in the state");
  const entry = state.entries.get(where);
  if (entry?.id === undefined || entry.pending !== undefined) {
    assertNoWrite(where, entry);
    throw routingErrors.create_unresolved(where, resolveCommands(where, entry?.pending));
  }
  const { id, time, serviceTime } = entry;
  const key = recordKey(kindOf(where), id);
  return changedState(state, (): StateEntry[] => [
    ["entry", where, null],
    ...(time === undefined
      ? []
      : ([["mark", key, { was: "forgotten", time, ...defined({ serviceTime }) }]] as const)),
  ]);
}

function knownAddress(
  typed: string,
  entries: ReadonlyMap<Address, unknown>,
  problem: string,
): Address {
  if (isAddress(typed) && entries.has(typed)) return typed;
  const meant = nearest(typed, [...entries.keys()]);
  throw routingErrors.address_not_found(typed, problem, meant, entries.size === 0);
}

/**
 * The state that a push saves in place of the saved one.
 * @param options.force allows an older state and another lineage, but never another target
 * @returns the pushed state with a serial above the saved one
 * @throws {ConflictError} if it would replace a newer state or another lineage, or is that of
 * earlier data of a sandbox
 */
export function stateToPush(
  saved: RoutingState | undefined,
  pushed: RoutingState,
  { target, force }: { readonly target: StateTarget; readonly force: boolean },
): RoutingState {
  assertSameTarget(pushed, target);
  assertSameWorld(pushed, target);
  if (saved === undefined) return pushed;
  const isSame = saved.lineage === pushed.lineage;
  if (force || (isSame && pushed.serial > saved.serial)) {
    return { ...pushed, serial: Math.max(pushed.serial, saved.serial + 1) };
  }
  const versionOf = ({ lineage, serial }: RoutingState) => ({ lineage, serial });
  const versions = { saved: versionOf(saved), pushed: versionOf(pushed) };
  if (!isSame) throw routingErrors.state_push_unrelated(versions);
  throw routingErrors.state_push_older(saved.serial, pushed.serial, versions);
}

/** The records of a state of other data do not exist: the next run would only set it aside. */
function assertSameWorld({ target: { world } }: RoutingState, { world: now }: StateTarget): void {
  if (world === undefined || now === undefined || world === now) return;
  throw routingErrors.state_of_earlier_sandbox();
}

/**
 * The commands that record the result of checking an unknown outcome.
 * @param unknown.ids the possible IDs
 * @param unknown.created it was created: only its ID is not known
 */
export function resolveCommands(
  address: ShellWord,
  unknown: {
    readonly ids?: readonly ShellWord[] | undefined;
    readonly created?: true | undefined;
  } = {},
): SuggestedCommand[] {
  const { ids = [{ placeholder: "id" }], created } = unknown;
  return [
    ...ids.map((id) => resolveCommand(address, id)),
    ...(created ? [] : [suggest("notify state resolve", [address], { notCreated: true })]),
  ];
}

/** The command that records the ID of a resource whose creation had an unknown outcome. */
export function resolveCommand(address: ShellWord, id: ShellWord): SuggestedCommand {
  return suggest("notify state resolve", [address], { id });
}

/** The command that adds an existing resource to the state. */
export function importCommand(address: Address, id: ShellWord): SuggestedCommand {
  return suggest("notify state import", [address, id]);
}
