import type { Address } from "../address.ts";
import type { KnownRecord, PendingCreate, RoutingState } from "./state.ts";

type Transition = (state: RoutingState) => RoutingState;

/** A create is about to be sent. */
export function intended(address: Address, pending: PendingCreate): Transition {
  return (state) => ({ ...state, pending: new Map(state.pending).set(address, pending) });
}

/** It exists. */
export function settled(address: Address, record: KnownRecord): Transition {
  return (state) => ({
    ...dropped(address)(state),
    records: new Map(state.records).set(address, record),
  });
}

/** It was refused, or never sent. */
export function dropped(address: Address): Transition {
  return (state) => ({ ...state, pending: without(state.pending, address) });
}

/** It was sent, and nobody knows what became of it. */
export function unknownOutcome(
  address: Address,
  facts: { readonly horizon: string; readonly requestId?: string },
): Transition {
  return (state) => {
    const begun = state.pending.get(address);
    // Its outcome came to be known in the meantime.
    if (begun === undefined) return state;
    return intended(address, { ...begun, ...facts, phase: "unknown" })(state);
  };
}

/** It is there no more. */
export function forgotten(address: Address): Transition {
  return (state) => ({ ...state, records: without(state.records, address) });
}

function without<Value>(map: ReadonlyMap<Address, Value>, address: Address): Map<Address, Value> {
  const rest = new Map(map);
  rest.delete(address);
  return rest;
}
