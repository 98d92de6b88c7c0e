import { indexLive, type LiveIndex } from "../plan/natural-key.ts";
import type { PlanItem } from "../plan/plan.ts";
import type { StepKind } from "../steps.ts";
import { fingerprintsOf } from "./body.ts";
import { createAll, isEnded } from "./create-all.ts";
import type { Todo } from "./create-one.ts";
import { keep, settledOf } from "./keep.ts";
import { dropAbsent } from "./pending.ts";
import type { Planned } from "./planned.ts";
import type { Open } from "./reconcile.ts";
import { endIdsOf, type Run } from "./run.ts";

/** What can be created at once; routes need the ids of what they connect. */
const LAYERS: readonly (readonly StepKind[])[] = [
  ["destination", "topic"],
  ["event-route", "destination-route"],
];

/**
 * Takes over what exists and creates what does not. It ends early where a run has to; the ledger
 * tells.
 * @param absent creates of earlier runs that came to nothing
 */
export async function carryOut(
  run: Run,
  { plan, live }: Planned,
  absent: readonly Open[],
): Promise<void> {
  const wanted = new Set(plan.items.filter(isToCreate).map(({ address }) => address));
  await dropAbsent(
    run,
    absent.filter(({ address }) => !wanted.has(address)),
  );
  if (wanted.size > 0) await run.journal.setLists(plan.lists);
  const index = live && indexLive(live);
  for (const kinds of LAYERS) {
    const items = plan.items.filter(({ kind }) => kinds.includes(kind));
    await takeOver(run, items);
    if (isEnded(run)) return;
    const todos = items.filter(isToCreate).flatMap((item) => todoOf(run, item, index, absent));
    await createAll(run, todos, plan.lists);
    if (isEnded(run)) return;
  }
}

function isToCreate({ action }: PlanItem): boolean {
  return action === "create" || action === "missing";
}

function todoOf(
  run: Run,
  item: PlanItem,
  index: LiveIndex | undefined,
  absent: readonly Open[],
): Todo[] {
  const { step, address } = item;
  if (step === undefined) return [];
  const before = absent.find((open) => open.address === address)?.pending;
  const idsBefore = new Set([
    ...(index?.matches(step, endIdsOf(run, step)) ?? []).map(({ id }) => id),
    ...(before?.idsBefore ?? []),
    // The list may be behind, and show it again.
    ...(item.action === "missing" ? [item.id] : []),
  ]);
  return [{ step, idsBefore: [...idsBefore], ...(before ? { before } : {}) }];
}

/** Tells what is in place already, and was not told yet. */
export function tellInPlace(run: Run, { plan }: Planned): void {
  const told = new Set(run.ledger.settled.map(({ address }) => address));
  for (const item of plan.items) {
    if (item.action !== "in-place" || told.has(item.address)) continue;
    const how = { outcome: "in-place", id: item.id, sent: false } as const;
    run.ledger.settle(settledOf(run, { step: item }, how));
  }
}

/** Takes what only the list shows into the state. */
async function takeOver(run: Run, items: readonly PlanItem[]): Promise<void> {
  const fingerprintOf = fingerprintsOf(run.journal.state.salt);
  await Promise.all(
    items.map(async (item) => {
      const { step } = item;
      if (item.action !== "adopt" || step === undefined) return;
      const fingerprint = fingerprintOf(step, endIdsOf(run, step));
      const known = run.journal.state.records.get(item.address);
      // What this state made stays its own, also where somebody has changed it meanwhile.
      const origin = known?.id === item.id ? known.origin : "adopted";
      const found = { id: item.id, origin, sent: false };
      await keep(run, { step, intent: { fingerprint } }, found);
    }),
  );
}
