import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import { AmpError, PartialError, RejectedError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { recordKey } from "../model/address.ts";
import { deleteResource } from "../model/operations.ts";
import { type LiveRecord, RESOURCE_ORDER } from "../model/resource.ts";
import { valuesOf } from "../plan/field-values.ts";
import { indexLive } from "../plan/live.ts";
import type { Plan } from "../plan/plan.ts";
import type { PrunedItem } from "../plan/prune.ts";
import { withoutOwner } from "../state/change.ts";
import { isGone, isMarkedDeleting, isOnlyAccepted, notFound } from "./delete-resources.ts";
import { runPool } from "./pool.ts";
import { beginWrite, type Run } from "./run.ts";
import type { PlanAndLive } from "./types.ts";

/**
 * Releases the records that others want, and deletes those that a plan prunes. It ends early where
 * a delete fails, with the reason in the outcomes.
 * @param approved the plan that was shown; a record that only a later plan prunes is kept
 */
export async function pruneRecords(
  run: Run,
  { plan, live }: PlanAndLive,
  approved: Plan,
): Promise<void> {
  const width = plan.hasLists ? run.ports.options.parallel : 1;
  const released = plan.items.filter(({ action }) => action === "release");
  if (run.owner !== undefined && released.length > 0) {
    const addresses = released.map(({ address }) => address);
    await run.manager.changeRecords(withoutOwner(addresses, run.owner));
  }
  const shown = new Set(
    approved.items.flatMap((item) =>
      item.action === "delete" || item.action === "replace" ? recordKey(item.kind, item.id) : [],
    ),
  );
  const surplus = prunedItems(plan).filter(({ kind, id }) => shown.has(recordKey(kind, id)));
  const index = live && indexLive(live);
  for (const kind of RESOURCE_ORDER.toReversed()) {
    const ofKind = surplus.filter((one) => one.kind === kind);
    const notBegun = await runPool(ofKind, width, (one) =>
      removeOne(run, one, index?.byId(kind, one.id)),
    );
    if (notBegun.length > 0 || run.outcomes.failed.length > 0) return;
  }
}

function prunedItems({ items }: Plan): PrunedItem[] {
  return items.filter((item) => item.action === "delete");
}

/**
 * Deletes a record. The client repeats the request, and takes a 404 after a lost answer for deleted; what
 * is then still unknown, the next run repeats.
 */
async function removeOne(
  run: Run,
  one: PrunedItem,
  listed: LiveRecord | undefined,
): Promise<"continue" | "stop"> {
  const { ports, manager, outcomes } = run;
  const { address, id } = one;
  if (ports.signal.aborted) return "stop";
  const isBegun = isMarkedDeleting(manager.state, address);
  let sent = false;
  try {
    await beginWrite(run, "deleting", [address]);
    sent = true;
    await deleteResource(ports, one.kind, id).catch((error: unknown) =>
      ifNotGone(run, one, isBegun, error),
    );
    const values = listed ? valuesOf(one.kind, listed) : {};
    await manager.removeRecord(address, values);
    outcomes.remove({ address, id });
    return "continue";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // A delete that a signal interrupted may have been done, too.
    const isOpen = error instanceof PartialError || ports.signal.aborted;
    outcomes.failed.push({ address, error, write: "delete", sent, ...(isOpen ? { isOpen } : {}) });
    if (!isOpen && !isBegun) await manager.removeMark("deleting", [address]).catch(() => {});
    return "stop";
  }
}

/** @param isBegun whether an earlier run began to delete it */
async function ifNotGone(
  run: Run,
  { kind, address, id }: PrunedItem,
  isBegun: boolean,
  error: unknown,
): Promise<void> {
  if (!(error instanceof AmpError)) throw error;
  const suggestion = suggest("notify forget", [address]);
  if (error instanceof OperationMissingError) {
    throw new RejectedError(error.message, {
      remedy: `Run apply without --prune to keep ${address}, or remove it from the state.`,
      suggestion,
    });
  }
  const isNotFound = error.facts.status === 404;
  if (!isNotFound && !isOnlyAccepted(error)) throw error;
  if ((await isGone(run, { address, kind, id }, error)) ?? (isNotFound && isBegun)) return;
  if (!isNotFound) throw error;
  const remedy = "If it no longer exists, remove it from the state.";
  throw notFound(error, { kind, id }, { remedy, suggestion });
}
