import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import { AmpError, NotFoundError, PartialError, RejectedError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { type Address, recordKey } from "../model/address.ts";
import { RESOURCE_ORDER } from "../model/resource.ts";
import type { Plan } from "../plan/plan.ts";
import type { PrunedItem } from "../plan/prune.ts";
import { withoutOwner } from "../state/change.ts";
import { sendDelete } from "./delete-resources.ts";
import { beginWrite, type Run } from "./run.ts";
import type { PlanAndLive } from "./types.ts";
import { runPool } from "./write-all.ts";

/**
 * Releases the records that others want, and deletes those that a plan prunes. It ends early where
 * a delete fails, with the reason in the outcomes.
 * @param approved the plan that was shown; a record that only a later plan prunes is kept
 */
export async function pruneRecords(
  run: Run,
  { plan }: Pick<PlanAndLive, "plan">,
  approved: Plan,
): Promise<void> {
  const width = plan.hasLists ? run.ports.options.parallel : 1;
  const released = plan.items.filter(({ action }) => action === "release");
  if (run.owner !== undefined && released.length > 0) {
    const addresses = released.map(({ address }) => address);
    await run.manager.prepare(withoutOwner(addresses, run.owner));
  }
  const shown = new Set(
    approved.items.flatMap((item) =>
      item.action === "delete" ? recordKey(item.kind, item.id) : [],
    ),
  );
  const surplus = plan.items
    .filter((item) => item.action === "delete")
    .filter(({ kind, id }) => shown.has(recordKey(kind, id)));
  for (const kind of RESOURCE_ORDER.toReversed()) {
    const ofKind = surplus.filter((one) => one.kind === kind);
    const notBegun = await runPool(ofKind, width, (one) => removeOne(run, one));
    if (notBegun.length > 0 || run.outcomes.failed.length > 0) return;
  }
}

/**
 * Deletes a record. The client repeats the request, and takes a 404 after a lost answer for
 * deleted; what is then still unknown, the next run repeats.
 */
async function removeOne(run: Run, one: PrunedItem): Promise<"continue" | "stop"> {
  const { ports, manager, outcomes } = run;
  const { address, id } = one;
  if (ports.signal.aborted) return "stop";
  const isBegun = manager.state.records.get(address)?.deleting !== undefined;
  let sent = false;
  try {
    await beginWrite(run, "deleting", [address]);
    sent = true;
    await sendDelete(run, one, { held: [address], isBegun }).catch((error: unknown) => {
      throw withForget(error, address);
    });
    await manager.removeRecord(address);
    outcomes.remove({ address, id });
    return "continue";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // A delete that a signal interrupted may have been done, too.
    const isOpen = error instanceof PartialError || ports.signal.aborted;
    outcomes.failed.push({ address, error, write: "delete", sent, ...(isOpen ? { isOpen } : {}) });
    return "stop";
  }
}

/** Says in the error of a delete that cannot be done how the state forgets the record. */
function withForget(error: unknown, address: Address): unknown {
  const suggestion = suggest("notify state forget", [address]);
  if (error instanceof OperationMissingError) {
    const remedy = `Run apply without --prune to keep ${address}, or remove it from the state.`;
    return new RejectedError(error.message, { remedy, suggestion });
  }
  if (!(error instanceof NotFoundError)) return error;
  return error.setFacts({
    remedy: "If it no longer exists, remove it from the state.",
    suggestion,
  });
}
