import { defined } from "../../values/json.ts";
import { asideAddress, nameFieldOf } from "../model/address.ts";
import { resourceAt } from "../model/routing.ts";
import { valuesBeforeUpdate } from "../plan/field-values.ts";
import { indexLive } from "../plan/live.ts";
import { type UnreplacedResource, unreplacedResources } from "../plan/renames.ts";
import type { KnownRecord } from "../state/state.ts";
import type { Run } from "./run.ts";
import type { PlanAndLive } from "./types.ts";
import { writeAll } from "./write-all.ts";
import { type PlannedWrite, writeOne } from "./write-one.ts";

/**
 * Gives the resources that a plan replaces another name, at the service and in the state: names are
 * unique, and the new ones are created before the old ones are deleted. The state keeps the old
 * ones, with their routes, at addresses of their own, and says what takes their place: a run that
 * ends here has lost nothing.
 * @returns whether there were any; what the plan says of them is outdated then
 */
export async function setAside(run: Run, { plan, live }: PlanAndLive): Promise<boolean> {
  const { records } = run.manager.state;
  const index = live && indexLive(live);
  const replaced = plan.items.flatMap((item): PlannedWrite[] => {
    const { address, kind } = item;
    const known = records.get(address);
    if (item.action !== "replace" || known === undefined) return [];
    const field = nameFieldOf(kind);
    // The routes of a resource move with it.
    if (field === undefined) return [];
    const { id } = item;
    const values = valuesBeforeUpdate(index?.byId(kind, id), [field]);
    const update = { id, mask: [field], from: address, replacedBy: address, ...values };
    return [renaming(asideAddress(address, id), known, update)];
  });
  await writeAll(run, replaced, plan.hasLists);
  return replaced.length > 0;
}

/** The rename of a resource; what the state knows of its other fields stays true. */
function renaming(
  address: UnreplacedResource["address"],
  { origin, shown, fingerprint, fields, owners }: KnownRecord,
  update: Omit<NonNullable<PlannedWrite["update"]>, "origin" | "shown">,
): PlannedWrite {
  return {
    resource: resourceAt(address),
    update: { ...update, origin, ...defined({ shown }) },
    made: { fingerprint, ...defined({ fields }) },
    idsBefore: [],
    ...defined({ owners }),
  };
}

/** The resources that `--replace` of this run renamed, and whose place nothing has taken. */
export function unreplacedOf({ manager, ports }: Run): readonly UnreplacedResource[] {
  const { replace } = ports.options;
  return unreplacedResources(manager.state).filter(({ address }) => replace.includes(address));
}

/**
 * Gives resources that were set aside their names back where a run has to stop, and nothing was or
 * may have been created in their place: customers' reads use the name. Where that fails, too, the
 * outcomes say so.
 */
export async function restoreNames(run: Run): Promise<void> {
  const { manager, outcomes, ports } = run;
  const { unknown, rescued, trouble } = outcomes;
  if (ports.signal.aborted || unknown.size + rescued.length > 0 || trouble !== undefined) return;
  for (const { address, from, record } of unreplacedOf(run)) {
    const field = nameFieldOf(resourceAt(address).kind);
    if (field === undefined || manager.state.pending.has(address)) continue;
    const planned = renaming(address, record, { id: record.id, mask: [field], from });
    outcomes.renamingBack.add(address);
    const written = await writeOne(run, planned, async () => true);
    if (typeof written === "string") return;
    await written.saved;
  }
}
