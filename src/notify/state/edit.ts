import { ConflictError, NotFoundError, UsageError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { nearest } from "../../values/nearest.ts";
import type { ShellWord } from "../../values/shell.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import {
  type Address,
  addressParts,
  heldAddresses,
  isAddress,
  parseAddress,
} from "../model/address.ts";
import {
  changedState,
  withMovedRecord,
  withoutIntent,
  withoutRecord,
  withRecord,
} from "./change.ts";
import { UNKNOWN_FINGERPRINT } from "./fingerprint.ts";
import {
  assertSameTarget,
  type PendingWrite,
  type RoutingState,
  type StateTarget,
} from "./state.ts";

/** The user's finding about a write with an unknown outcome. */
export type Resolution = { readonly id: string } | "not-created";

/**
 * Adds a resource that exists, so that it is not created again. Its body is unknown, unless a write
 * of it is pending.
 * @throws {ConflictError} if the address has another ID, or the ID another address
 */
export function importRecord(
  state: RoutingState,
  address: string,
  id: string,
  now: Date,
): RoutingState {
  const where = parseAddress(address);
  const record = state.records.get(where);
  if (record?.id === id) return changedState(state, withoutIntent(where));
  if (record !== undefined) {
    throw new ConflictError(`${where} is already in the state, with ID ${record.id}`, {
      remedy: "If that ID is wrong, remove it from the state first; the resource is not deleted.",
      suggestion: suggest("notify state forget", [where]),
      data: { address: where, id: record.id },
    });
  }
  const [other] = heldAddresses(state, addressParts(where).kind, id);
  if (other !== undefined) {
    throw new ConflictError(`ID ${id} is already in the state, as ${other}`, {
      data: { address: other, id },
    });
  }
  if (id.trim() !== id || id === "") {
    throw new UsageError("The ID must not be empty, or have spaces around it");
  }
  const { fingerprint = UNKNOWN_FINGERPRINT, requestId, owners } = state.pending.get(where) ?? {};
  const imported = {
    id,
    fingerprint,
    origin: "imported",
    time: now.toISOString(),
    ...defined({ requestId, owners }),
  } as const;
  return changedState(state, withRecord(where, imported));
}

/**
 * Records what the user found at the service about a write with an unknown outcome.
 * @throws {NotFoundError} if no write of the address is pending
 */
export function resolvePending(
  state: RoutingState,
  address: string,
  resolution: Resolution,
  now: Date,
): RoutingState {
  const where = knownAddress(address, state.pending, "has no pending create");
  if (resolution === "not-created") return changedState(state, withoutIntent(where));
  const pending = state.pending.get(where);
  return pending?.update === undefined
    ? importRecord(state, where, resolution.id, now)
    : resolveUpdate(state, where, pending, resolution.id, now);
}

/** Records that an update with an unknown outcome was done. */
function resolveUpdate(
  state: RoutingState,
  where: Address,
  { update, fingerprint, fields, owners }: PendingWrite,
  id: string,
  now: Date,
): RoutingState {
  if (update?.id !== id) {
    throw new ConflictError(`${where} is ${update?.id} in the state, not ${id}`, {
      remedy: "Pass the ID of the resource that the update was for.",
      data: { address: where, id: update?.id },
    });
  }
  const { origin, from = where } = update;
  const record = {
    id,
    fingerprint,
    origin,
    time: now.toISOString(),
    ...defined({ fields, owners }),
  };
  const change = from === where ? withRecord(where, record) : withMovedRecord(where, record, from);
  return changedState(state, change);
}

/**
 * Removes a resource from the state; at the service it stays. A pending write is not removed: the
 * resource may exist, and would be forgotten.
 * @throws {NotFoundError} if the address is not in the state
 * @throws {ConflictError} if only a write is pending
 */
export function forgetRecord(state: RoutingState, address: string): RoutingState {
  if (isAddress(address) && !state.records.has(address) && state.pending.has(address)) {
    throw new ConflictError(`The outcome of creating ${address} is unknown`, {
      remedy: "Check at the service whether it exists, then record the result.",
      suggestion: resolveCommands(address, state.pending.get(address)),
    });
  }
  const where = knownAddress(address, state.records, "is not in the state");
  const forgotten = changedState(state, withoutRecord(where));
  // An update changes a resource that the state has no more.
  return forgotten.pending.get(where)?.update === undefined
    ? forgotten
    : changedState(forgotten, withoutIntent(where));
}

function knownAddress(
  typed: string,
  entries: ReadonlyMap<Address, unknown>,
  problem: string,
): Address {
  if (isAddress(typed) && entries.has(typed)) return typed;
  const meant = nearest(typed, [...entries.keys()]);
  throw new NotFoundError(`${JSON.stringify(typed)} ${problem}`, {
    ...(meant === undefined ? {} : { remedy: `Did you mean ${meant}?` }),
    ...(entries.size === 0 ? { detail: "There are none." } : {}),
  });
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
  const reason = isSame
    ? `The saved state (serial ${saved.serial}) is not older than the pushed one (serial ${pushed.serial})`
    : "The saved state has another lineage than the pushed one";
  throw new ConflictError(reason, {
    remedy: "Compare the two states; add --force to replace the saved one.",
    suggestion: suggest("notify state pull"),
    data: {
      saved: { lineage: saved.lineage, serial: saved.serial },
      pushed: { lineage: pushed.lineage, serial: pushed.serial },
    },
  });
}

/** The records of a state of other data do not exist: the next run would only set it aside. */
function assertSameWorld({ target: { world } }: RoutingState, { world: now }: StateTarget): void {
  if (world === undefined || now === undefined || world === now) return;
  throw new ConflictError("The pushed state belongs to earlier data of the sandbox", {
    detail: "The sandbox was restarted since, and has none of its resources.",
    remedy: "Apply the routing file: this creates a new state for the sandbox.",
    done: "Nothing was saved.",
    suggestion: suggest("notify apply", [], { f: "routing.yaml" }),
  });
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
