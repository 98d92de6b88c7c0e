import { ServiceError } from "../../errors.ts";
import type { Address } from "../address.ts";
import type { Standing } from "../model.ts";
import { listRouting } from "../plan/listing.ts";
import type { LiveRouting } from "../plan/live.ts";
import { endsOf } from "../plan/natural-key.ts";
import type { HeldPlace } from "../state/backend.ts";
import { type Journal, openJournal } from "../state/journal.ts";
import type { RoutingState } from "../state/state.ts";
import type { Step } from "../steps.ts";
import type { EnginePorts } from "./engine.ts";
import { type Grace, graceOf } from "./grace.ts";
import { createLedger, type Ledger } from "./ledger.ts";

/** What the parts of a run share, while it holds the lock. */
export interface Run {
  readonly ports: EnginePorts;
  readonly held: HeldPlace;
  readonly journal: Journal;
  readonly ledger: Ledger;
  readonly grace: Grace;
  /** What exists by the routing's own word. */
  readonly standing: Standing;
}

/** Works under the lock, with the state loaded and checked. */
export function withRun<Result>(
  ports: EnginePorts,
  standing: Standing,
  work: (run: Run) => Promise<Result>,
): Promise<Result> {
  const { backend, target, options, command, signal, uuid, rescueFolder } = ports;
  return backend.withLock({ command, wait: options.lockWaitMs, signal }, async (held) => {
    const journal = await openJournal(held, {
      target,
      place: backend.place,
      uuid,
      ...(rescueFolder === undefined ? {} : { rescueFolder }),
    });
    const grace = graceOf(ports);
    try {
      const ledger = createLedger(ports.observe);
      return await work({ ports, held, journal, ledger, grace, standing });
    } finally {
      grace.end();
    }
  });
}

/**
 * What the service lists.
 * @returns undefined where it has no lists
 * @throws {ServiceError} where it had them: what it created since cannot be seen, only guessed
 */
export function look({ ports, journal }: Run): Promise<LiveRouting | undefined> {
  return lookWith(ports, journal.state);
}

/** The same outside of a run; without a state nothing is known of earlier lists. */
export async function lookWith(
  { api, project }: Pick<EnginePorts, "api" | "project">,
  state: Pick<RoutingState, "lists"> | undefined,
): Promise<LiveRouting | undefined> {
  const live = await listRouting(api, project);
  if (live !== undefined || state?.lists !== true) return live;
  throw new ServiceError("The service does not list its routing any more, and did so before", {
    remedy: "Try again later. Without its lists, what exists could be made a second time.",
    done: "Nothing was created.",
  });
}

/** The ids of the ends of a step that are known. */
export function endIdsOf({ standing, journal }: Run, step: Step): Map<Address, string> {
  const ids = new Map<Address, string>();
  for (const end of endsOf(step)) {
    const id = standing.get(end) ?? journal.state.records.get(end)?.id;
    if (id !== undefined) ids.set(end, id);
  }
  return ids;
}
