import { leaveAmbiguous } from "./create-all.ts";
import { horizonOf } from "./horizon.ts";
import { settledOf } from "./keep.ts";
import { lookFor, type Open } from "./reconcile.ts";
import type { Run } from "./run.ts";
import { stepAt } from "./step-at.ts";

/**
 * Settles what earlier runs have left pending. What cannot be told is in the ledger as unknown.
 * @returns what never came about; it is pending still
 * @throws the place's error
 */
export async function settlePending(run: Run, lists: boolean): Promise<readonly Open[]> {
  const { journal, ledger } = run;
  await Promise.all(
    [...journal.state.pending].map(async ([address, pending]) => {
      if (pending.phase === "unknown") return;
      // Of a run that was killed: a further one need not wait as long once more.
      const horizon = new Date(horizonOf(run, pending)).toISOString();
      await journal.markUnknown(address, { horizon });
    }),
  );
  const opens = [...journal.state.pending].map(
    ([address, pending]): Open => ({ address, pending, sent: false }),
  );
  const { absent, several, unclear } = lists
    ? await lookFor(run, opens)
    : { absent: [], several: [], unclear: opens };
  for (const { open, ids } of several) leaveAmbiguous(run, open, ids);
  for (const { address, pending } of unclear) {
    const step = stepAt(address);
    const { requestId } = pending;
    ledger.leaveUnknown(
      { address, kind: step.kind },
      settledOf(run, { step }, { outcome: "unknown", requestId, sent: false }),
    );
  }
  return absent;
}

/** Ends what never came about and is not to be created either. */
export async function dropAbsent(run: Run, opens: readonly Open[]): Promise<void> {
  await Promise.all(
    opens.map(async ({ address, pending }) => {
      await run.journal.drop(address);
      const { requestId } = pending;
      const how = { outcome: "absent", requestId, sent: false } as const;
      run.ledger.settle(settledOf(run, { step: stepAt(address) }, how));
    }),
  );
}
