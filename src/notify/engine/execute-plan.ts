import { RESOURCE_LAYERS } from "../model/resource.ts";
import { resourceAt } from "../model/routing.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import type { PlanItem } from "../plan/plan.ts";
import { fingerprintsOf } from "../plan/plan-resource.ts";
import { createAll, isStopped, markAmbiguous } from "./create-all.ts";
import type { PlannedCreate } from "./create-one.ts";
import { outcomeOf, recordExisting } from "./outcomes.ts";
import { lookUpCreates, type OpenCreate } from "./reconcile.ts";
import { commitDeadlineOf, endpointIdsOf, type PlanAndLive, type Run } from "./run.ts";

/**
 * Takes over what exists and creates what does not. It ends early where a run has to; the ledger
 * tells.
 * @param absent creates of earlier runs that came to nothing
 */
export async function executePlan(
  run: Run,
  { plan, live }: PlanAndLive,
  absent: readonly OpenCreate[],
): Promise<void> {
  const wanted = new Set(plan.items.filter(isToCreate).map(({ address }) => address));
  await dropAbsent(
    run,
    absent.filter(({ address }) => !wanted.has(address)),
  );
  if (wanted.size > 0) await run.journal.setLists(plan.lists);
  const index = live && indexLive(live);
  for (const kinds of RESOURCE_LAYERS) {
    const items = plan.items.filter(({ kind }) => kinds.includes(kind));
    await adopt(run, items);
    if (isStopped(run)) return;
    const todos = items
      .filter(isToCreate)
      .flatMap((item) => plannedCreate(run, item, index, absent));
    await createAll(run, todos, plan.lists);
    if (isStopped(run)) return;
  }
}

function isToCreate({ action }: PlanItem): boolean {
  return action === "create" || action === "missing";
}

function plannedCreate(
  run: Run,
  item: PlanItem,
  index: LiveIndex | undefined,
  absent: readonly OpenCreate[],
): PlannedCreate[] {
  const { resource, address } = item;
  if (resource === undefined) return [];
  const before = absent.find((open) => open.address === address)?.pending;
  const idsBefore = new Set([
    ...(index?.matches(resource, endpointIdsOf(run, resource)) ?? []).map(({ id }) => id),
    ...(before?.idsBefore ?? []),
    // The list may be behind, and show it again.
    ...(item.action === "missing" ? [item.id] : []),
  ]);
  return [{ resource, idsBefore: [...idsBefore], ...(before ? { before } : {}) }];
}

/** Tells what is in place already, and was not told yet. */
export function reportInPlace(run: Run, { plan }: PlanAndLive): void {
  const told = new Set(run.ledger.settled.map(({ address }) => address));
  for (const item of plan.items) {
    if (item.action !== "in-place" || told.has(item.address)) continue;
    const how = { outcome: "in-place", id: item.id, sent: false } as const;
    run.ledger.settle(outcomeOf(run, { resource: item }, how));
  }
}

/** Takes what only the list shows into the state. */
async function adopt(run: Run, items: readonly PlanItem[]): Promise<void> {
  const fingerprintOf = fingerprintsOf(run.journal.state.salt);
  await Promise.all(
    items.map(async (item) => {
      const { resource } = item;
      if (item.action !== "adopt" || resource === undefined) return;
      const fingerprint = fingerprintOf(resource, endpointIdsOf(run, resource));
      const known = run.journal.state.records.get(item.address);
      // What this state made stays its own, also where somebody has changed it meanwhile.
      const origin = known?.id === item.id ? known.origin : "adopted";
      const found = { id: item.id, origin, sent: false };
      await recordExisting(run, { resource, intent: { fingerprint } }, found);
    }),
  );
}

/**
 * Settles what earlier runs have left pending. What cannot be told is in the ledger as unknown.
 * @returns what never came about; it is pending still
 * @throws the place's error
 */
export async function settlePending(run: Run, lists: boolean): Promise<readonly OpenCreate[]> {
  const { journal, ledger } = run;
  await Promise.all(
    [...journal.state.pending].map(async ([address, pending]) => {
      if (pending.phase === "unknown") return;
      // Of a run that was killed: a further one need not wait as long once more.
      const horizon = new Date(commitDeadlineOf(run, pending)).toISOString();
      await journal.markUnknown(address, { horizon });
    }),
  );
  const opens = [...journal.state.pending].map(
    ([address, pending]): OpenCreate => ({ address, pending, sent: false }),
  );
  const { absent, several, unclear } = lists
    ? await lookUpCreates(run, opens)
    : { absent: [], several: [], unclear: opens };
  for (const { open, ids } of several) markAmbiguous(run, open, ids);
  for (const { address, pending } of unclear) {
    const resource = resourceAt(address);
    const { requestId } = pending;
    ledger.leaveUnknown(
      { address, kind: resource.kind },
      outcomeOf(run, { resource }, { outcome: "unknown", requestId, sent: false }),
    );
  }
  return absent;
}

/** Ends what never came about and is not to be created either. */
export async function dropAbsent(run: Run, opens: readonly OpenCreate[]): Promise<void> {
  await Promise.all(
    opens.map(async ({ address, pending }) => {
      await run.journal.dropIntent(address);
      const { requestId } = pending;
      const how = { outcome: "absent", requestId, sent: false } as const;
      run.ledger.settle(outcomeOf(run, { resource: resourceAt(address) }, how));
    }),
  );
}
