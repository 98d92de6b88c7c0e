import { ConflictError, NotFoundError, UsageError } from "../../errors.ts";
import { nearest } from "../../nearest.ts";
import { shellLine } from "../../shell-words.ts";
import type { Address } from "../address.ts";
import { UNKNOWN_FINGERPRINT } from "./fingerprint.ts";
import { isAddress, readAddress } from "./read-address.ts";
import type { RoutingState } from "./state.ts";
import { dropped, forgotten, settled } from "./transitions.ts";

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
  const where = readAddress(address);
  const record = state.records.get(where);
  if (record?.id === id) return dropped(where)(state);
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
  return settled(where, {
    id: checkedId(id),
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
  const where = known(address, state.pending, "No create is pending at");
  if (resolution === "not-created") return dropped(where)(state);
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
  return forgotten(known(address, state.records, "The state does not know"))(state);
}

function known(typed: string, entries: ReadonlyMap<Address, unknown>, message: string): Address {
  if (isAddress(typed) && entries.has(typed)) return typed;
  const meant = nearest(typed, [...entries.keys()]);
  throw new NotFoundError(`${message} ${JSON.stringify(typed)}`, {
    ...(meant === undefined ? {} : { remedy: `Was ${meant} meant?` }),
    ...(entries.size === 0 ? { detail: "There is none at all." } : {}),
  });
}

function checkedId(id: string): string {
  if (id.trim() === id && id !== "") return id;
  throw new UsageError("The ID is empty, or has space around it");
}
