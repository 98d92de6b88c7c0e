import { expect } from "vitest";
import type { AmpError } from "../../../src/errors.ts";
import {
  assertSameTarget,
  type Entry,
  type Pending,
  type RoutingState,
  type StateTarget,
} from "../../../src/notify/state/state.ts";

/** The target of the states of the tests. */
export const TARGET: StateTarget = {
  origin: "https://api.example.test",
  basePath: "/v1",
  project: "acme",
};

/** A time at which everything was done. */
export const TIME = "2026-08-20T12:00:00.000Z";

/** The entry of a resource that a file without name created. */
export function entryOf(id: string, facts: Partial<Entry> = {}): Entry & { readonly id: string } {
  return { id, owner: "nameless", made: "amp", fields: {}, time: TIME, ...facts };
}

/** The entry of a resource whose create was begun. */
export function begunEntry(facts: Partial<Pending> = {}): Entry & { readonly pending: Pending } {
  const { id: _, ...entry } = entryOf("");
  const pending = { op: "create", idempotencyKey: "k", before: ["before"], time: TIME } as const;
  return { ...entry, pending: { ...pending, ...facts } };
}

/** The error that a promise is rejected with. */
export async function thrownBy(work: Promise<unknown>): Promise<AmpError> {
  return work.then(
    () => expect.unreachable("nothing was thrown"),
    (error: AmpError) => error,
  );
}

/** The error that a function throws at once. */
export function thrownAtOnce(run: () => unknown): AmpError {
  try {
    run();
  } catch (error) {
    return error as AmpError;
  }
  return expect.unreachable("nothing was thrown");
}

/** A state that must belong to a target, which a new one gets. */
export function ownedBy(target: StateTarget) {
  return {
    newTarget: async () => target,
    assertOwn: async (saved: RoutingState) => assertSameTarget(saved, target),
  };
}
