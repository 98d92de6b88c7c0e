import type { Origin, PendingCreate } from "../state/state.ts";
import type { Step } from "../steps.ts";
import type { Settled } from "./engine.ts";
import type { Run } from "./run.ts";

/** What something is that settles. */
export interface About {
  readonly step: Pick<Step, "address" | "kind">;
  readonly intent: Pick<PendingCreate, "fingerprint">;
  /** When the work on it began; absent where there was none. */
  readonly since?: Date;
}

/** That it exists, and how that is known. */
export interface Found {
  readonly id: string;
  readonly origin: Origin;
  readonly requestId?: string | undefined;
  readonly sent: boolean;
}

/**
 * Saves that something exists. It never throws: what cannot be saved is in the ledger, and nothing
 * more may be created then.
 */
export async function keep(run: Run, about: About, found: Found): Promise<"on" | "stop"> {
  const { ports, journal, ledger } = run;
  const { address } = about.step;
  const { id, origin, requestId, sent } = found;
  const rescue = await journal.settle(address, {
    id,
    fingerprint: about.intent.fingerprint,
    origin,
    ...(requestId === undefined ? {} : { requestId }),
    time: ports.now().toISOString(),
  });
  if (rescue) ledger.rescue({ address, id, rescue });
  ledger.clear(address);
  ledger.settle(settledOf(run, about, { outcome: origin, id, requestId, sent }));
  return rescue ? "stop" : "on";
}

/** Saves once more, at the end of a run, what could not be saved. */
export async function keepLate({ journal, ledger }: Run): Promise<void> {
  const [first] = ledger.rescued;
  if (first === undefined) return;
  // Every save holds all that is known; this one changes nothing else.
  await journal.drop(first.address).then(
    () => ledger.saveLate(),
    () => {},
  );
}

/** How something has settled, as it is told. */
export function settledOf(
  { ports }: Run,
  { step: { address, kind }, since }: Pick<About, "step" | "since">,
  how: Pick<Settled, "outcome" | "sent"> & {
    readonly id?: string;
    readonly requestId?: string | undefined;
  },
): Settled {
  const { outcome, sent, id, requestId } = how;
  return {
    address,
    kind,
    outcome,
    ...(id === undefined ? {} : { id }),
    ...(requestId === undefined ? {} : { requestId }),
    ms: since === undefined ? 0 : ports.now().getTime() - since.getTime(),
    sent,
  };
}
