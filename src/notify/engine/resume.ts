import { isEnded } from "./create-all.ts";
import { endingOf } from "./ending.ts";
import type { EnginePorts, Settled } from "./engine.ts";
import { dropAbsent, settlePending } from "./pending.ts";
import { look, withRun } from "./run.ts";

/** Settles what earlier runs have left pending, and creates nothing; see `Engine.resume`. */
export function resumePending(ports: EnginePorts): Promise<readonly Settled[]> {
  return withRun(ports, new Map(), async (run) => {
    const addresses = [...run.journal.state.pending.keys()];
    if (addresses.length === 0) return [];
    const lists = (await look(run)) !== undefined;
    await dropAbsent(run, await settlePending(run, lists));
    if (isEnded(run)) throw await endingOf(run, { total: addresses.length, addresses });
    return run.ledger.settled;
  });
}
