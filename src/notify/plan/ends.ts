import type { Address } from "../address.ts";
import type { Step } from "../steps.ts";
import { endsOf } from "./natural-key.ts";

/**
 * Which ids the topics and destinations have, as routes need them: one for what exists, several
 * where it is not known which, none for what is yet to be created.
 */
export interface Ends {
  found(address: Address, ids: readonly string[]): void;
  /** Every pair of ids that the route may connect; one empty one for what is no route. */
  of(step: Step): readonly ReadonlyMap<Address, string>[];
}

/** Ends of which nothing is known yet. */
export function openEnds(): Ends {
  const known = new Map<Address, readonly string[]>();
  return {
    found: (address, ids) => {
      known.set(address, ids);
    },
    of: (step) =>
      endsOf(step).reduce<readonly ReadonlyMap<Address, string>[]>(
        (pairs, end) =>
          pairs.flatMap((pair) => (known.get(end) ?? []).map((id) => new Map(pair).set(end, id))),
        [new Map()],
      ),
  };
}
