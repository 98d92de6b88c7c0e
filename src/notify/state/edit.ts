import { ConflictError, NotFoundError, UsageError } from "../../errors.ts";
import { nearest } from "../../values/nearest.ts";
import { shellLine } from "../../values/shell.ts";
import { type Address, isAddress, parseAddress } from "../model/address.ts";
import { UNKNOWN_FINGERPRINT } from "./fingerprint.ts";
import {
  assertSameTarget,
  type RoutingState,
  type StateTarget,
  withoutIntent,
  withoutRecord,
  withRecord,
} from "./state.ts";

/** What became of a create whose outcome was unknown. */
export type Resolution = { readonly id: string } | "not-created";

/**
 * Takes in a thing that exists, so that it is not created again. Its body is not known, unless a
 * create of it is pending.
 * @throws {ConflictError} where the address is known by another id, or the id by another address
 */
export function importRecord(
  state: RoutingState,
  address: string,
  id: string,
  now: Date,
): RoutingState {
  const where = parseAddress(address);
  const record = state.records.get(where);
  if (record?.id === id) return withoutIntent(where)(state);
  if (record !== undefined) {
    throw new ConflictError(`${where} is known already, as ${record.id}`, {
      remedy: "Where that one is wrong, forget it first; it is not deleted by that.",
      suggestion: shellLine(["amp", "notify", "forget", where]),
      data: { address: where, id: record.id },
    });
  }
  const other = [...state.records].find(([, { id: taken }]) => taken === id)?.[0];
  if (other !== undefined) {
    throw new ConflictError(`${id} is known already, as ${other}`, {
      data: { address: other, id },
    });
  }
  const { fingerprint = UNKNOWN_FINGERPRINT, requestId } = state.pending.get(where) ?? {};
  return withRecord(where, {
    id: validId(id),
    fingerprint,
    origin: "imported",
    time: now.toISOString(),
    ...(requestId === undefined ? {} : { requestId }),
  })(state);
}

/**
 * Ends an unknown outcome by the word of somebody who looked.
 * @throws {NotFoundError} where nothing is pending at the address
 */
export function resolvePending(
  state: RoutingState,
  address: string,
  resolution: Resolution,
  now: Date,
): RoutingState {
  const where = knownAddress(address, state.pending, "No create is pending at");
  if (resolution === "not-created") return withoutIntent(where)(state);
  return importRecord(state, where, resolution.id, now);
}

/**
 * Forgets a thing, which goes on existing. Not a pending create: it may exist, and nobody would
 * know.
 * @throws {NotFoundError} where the address is not known
 * @throws {ConflictError} where only a create is pending
 */
export function forgetRecord(state: RoutingState, address: string): RoutingState {
  if (isAddress(address) && !state.records.has(address) && state.pending.has(address)) {
    throw new ConflictError(`The outcome of the create of ${address} is not known`, {
      remedy: "Look whether it exists, and say so.",
      suggestion: [
        `amp notify resolve ${address} --not-created`,
        `amp notify resolve ${address} --id ID`,
      ].join("\n"),
    });
  }
  return withoutRecord(knownAddress(address, state.records, "The state does not know"))(state);
}

function knownAddress(
  typed: string,
  entries: ReadonlyMap<Address, unknown>,
  message: string,
): Address {
  if (isAddress(typed) && entries.has(typed)) return typed;
  const meant = nearest(typed, [...entries.keys()]);
  throw new NotFoundError(`${message} ${JSON.stringify(typed)}`, {
    ...(meant === undefined ? {} : { remedy: `Was ${meant} meant?` }),
    ...(entries.size === 0 ? { detail: "There is none at all." } : {}),
  });
}

function validId(id: string): string {
  if (id.trim() === id && id !== "") return id;
  throw new UsageError("The ID is empty, or has space around it");
}

/** What a push is checked against. */
export interface PushOptions {
  readonly target: StateTarget;
  /** Also an older state, or one that began elsewhere; never one of another target. */
  readonly force: boolean;
}

/**
 * The state that a push saves in place of the one that is there.
 * @returns with a serial above that one, whatever its own was
 * @throws {ConflictError} where it would replace what is newer, or something else
 */
export function stateToPush(
  saved: RoutingState | undefined,
  pushed: RoutingState,
  { target, force }: PushOptions,
): RoutingState {
  assertSameTarget(pushed, target);
  if (saved === undefined) return pushed;
  const reason = force ? undefined : pushObjection(saved, pushed);
  if (reason === undefined) {
    return { ...pushed, serial: Math.max(pushed.serial, saved.serial + 1) };
  }
  throw new ConflictError(reason, {
    remedy: "Compare the two; --force replaces it all the same.",
    suggestion: "amp notify state pull",
    data: {
      saved: { lineage: saved.lineage, serial: saved.serial },
      pushed: { lineage: pushed.lineage, serial: pushed.serial },
    },
  });
}

function pushObjection(saved: RoutingState, pushed: RoutingState): string | undefined {
  if (saved.lineage !== pushed.lineage) {
    return "The saved state began elsewhere than the one that is pushed";
  }
  if (pushed.serial > saved.serial) return undefined;
  return `The saved state is as new as the one that is pushed, or newer (${saved.serial}, ${pushed.serial})`;
}
