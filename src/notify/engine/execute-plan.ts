import { asList } from "../../values/as-list.ts";
import { type Address, addressParts, asideAddress } from "../model/address.ts";
import { nameFieldOf } from "../model/names.ts";
import { RESOURCE_LAYERS } from "../model/resource.ts";
import { resourceAt } from "../model/routing.ts";
import { fieldFingerprints, shownAfterUpdate, shownOtherwise } from "../plan/changes.ts";
import { differencesOf } from "../plan/diff.ts";
import { valuesBeforeUpdate } from "../plan/earlier-values.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import type { Plan, PlanItem } from "../plan/plan.ts";
import { fingerprintOf } from "../plan/plan-new.ts";
import { recordIds } from "../plan/prune.ts";
import { type StateChange, withFile, withOwner } from "../state/change.ts";
import type { PendingWrite, StateEntry } from "../state/state.ts";
import { dropAbsent, knownIds, listedIds, type OpenWrite } from "./reconcile.ts";
import { knownDependencies, type Run } from "./run.ts";
import type { PlanAndLive } from "./types.ts";
import { writeAll } from "./write-all.ts";
import type { PlannedWrite } from "./write-one.ts";

/**
 * Adopts what exists, updates what differs and creates the rest, layer by layer. It ends early where the run has to
 * stop, with the reason in its outcomes.
 * @param absent writes of earlier runs that were certainly not done
 */
export async function executePlan(
  run: Run,
  { plan, live }: PlanAndLive,
  absent: readonly OpenWrite[],
): Promise<void> {
  const sent = plan.items.filter((item) => isToCreate(item) || item.action === "update");
  const wanted = new Set(sent.map(({ address }) => address));
  const unwanted = absent.filter(({ address }) => !wanted.has(address));
  await dropAbsent(run, unwanted);
  const index = live && indexLive(live);
  await Promise.all([
    claimRecords(run, plan),
    learnFields(run, plan, index),
    wanted.size > 0 ? run.manager.setLists(plan.hasLists) : undefined,
  ]);
  const before = new Map(absent.map(({ address, pending }) => [address, pending]));
  for (const kinds of RESOURCE_LAYERS) {
    const items = plan.items.filter(({ kind }) => kinds.includes(kind));
    await adopt(run, items, index);
    if (run.outcomes.isStopped) return;
    await writeAll(
      run,
      items.flatMap((item) => plannedUpdate(run, item, before, index)),
      plan.hasLists,
    );
    if (run.outcomes.isStopped) return;
    const isKnown = knownIds(run);
    const creates = items.filter(isToCreate).flatMap((item) => {
      const { resource } = item;
      const listed =
        index && resource
          ? listedIds(isKnown, index, resource, knownDependencies(run, resource))
          : [];
      return plannedCreate(item, listed, before);
    });
    await writeAll(run, creates, plan.hasLists);
    if (run.outcomes.isStopped) return;
  }
}

/** Makes the routing an owner of the records that it names, and saves its file, before anything else. */
async function claimRecords({ owner, source, manager }: Run, { items }: Plan): Promise<void> {
  if (owner === undefined) return;
  const inPlace = items.filter(({ action }) => action === "in-place" || action === "adopt");
  const ids = new Set(inPlace.flatMap((item) => recordIds(item).map((id) => `${item.kind} ${id}`)));
  const claimed = [...manager.state.records].flatMap(([address, { id, owners = [] }]) =>
    ids.has(`${addressParts(address).kind} ${id}`) && !owners.includes(owner) ? address : [],
  );
  const change: StateChange = (state) => [
    ...withOwner(claimed, owner)(state),
    ...(source === undefined ? [] : withFile(owner, source)(state)),
  ];
  if (change(manager.state).length > 0) await manager.changeRecords(change);
}

/**
 * Saves the fields of records that are as the routing says, where the state does not have them: of those
 * that were imported, resolved by their ID, or saved by an earlier version. What differs later was
 * changed by somebody else, or in the file.
 */
async function learnFields(
  { manager }: Run,
  { items }: Plan,
  index: LiveIndex | undefined,
): Promise<void> {
  const { records, salt } = manager.state;
  const learned = items.flatMap(({ action, address, kind, resource }) => {
    const known = records.get(address);
    if (action !== "in-place" || resource === undefined || known === undefined) return [];
    const listed = known.shown === undefined ? index?.byId(kind, known.id) : undefined;
    if (listed === undefined || differencesOf(resource, listed).length > 0) return [];
    const fields = fieldFingerprints(salt, resource);
    const shown = shownOtherwise(salt, resource, listed);
    if (fields === undefined || shown === undefined) return [];
    const fingerprint = fingerprintOf(manager.state, resource, new Map());
    return [[address, { fingerprint, fields, shown }] as const];
  });
  if (learned.length === 0) return;
  // Its owners may change in the same save.
  await manager.changeRecords(({ records: now }) =>
    learned.flatMap(([address, facts]): StateEntry[] => {
      const known = now.get(address);
      return known === undefined ? [] : [["record", address, { ...known, ...facts }]];
    }),
  );
}

function isToCreate({ action }: PlanItem): boolean {
  return action === "create" || action === "missing";
}

function plannedCreate(
  item: PlanItem,
  listed: readonly string[],
  attempts: ReadonlyMap<Address, PendingWrite>,
): PlannedWrite[] {
  const { resource, address } = item;
  if (resource === undefined) return [];
  const before = attempts.get(address);
  const idsBefore = new Set([
    ...listed,
    ...(before?.idsBefore ?? []),
    // The list may be out of date, and show the old record again.
    ...(item.action === "missing" ? [item.id] : []),
  ]);
  return [{ resource, idsBefore: [...idsBefore], ...(before ? { before } : {}) }];
}

function plannedUpdate(
  { manager }: Run,
  item: PlanItem,
  attempts: ReadonlyMap<Address, PendingWrite>,
  index: LiveIndex | undefined,
): PlannedWrite[] {
  const { resource, address } = item;
  if (item.action !== "update" || resource === undefined) return [];
  const { id, fields: mask, from } = item;
  const known = manager.state.records.get(from ?? address);
  const { origin = "adopted", owners } = known ?? {};
  const listed = index?.byId(item.kind, id);
  const values = valuesBeforeUpdate(listed, mask);
  const shown = shownAfterUpdate(manager.state.salt, resource, mask, known, listed);
  const update = {
    id,
    mask,
    origin,
    ...(from === undefined ? {} : { from }),
    ...(shown === undefined ? {} : { shown }),
    ...values,
  };
  const before = attempts.get(address);
  const more = { ...(owners ? { owners } : {}), ...(before?.update ? { before } : {}) };
  return [{ resource, update, idsBefore: [], ...more }];
}

/** Reports the resources that are in place and were not reported yet. */
export function reportInPlace({ outcomes }: Run, { plan }: PlanAndLive): void {
  const reported = new Set(outcomes.settled.map(({ address }) => address));
  for (const item of plan.items) {
    if (item.action !== "in-place" || reported.has(item.address)) continue;
    outcomes.settle({ resource: item }, { outcome: "in-place", id: item.id, sent: false });
  }
}

/** Adds records that are listed but not in the state. */
async function adopt(
  run: Run,
  items: readonly PlanItem[],
  index: LiveIndex | undefined,
): Promise<void> {
  const { state } = run.manager;
  await Promise.all(
    items.map(async (item) => {
      const { resource } = item;
      if (item.action !== "adopt" || resource === undefined) return;
      const fingerprint = fingerprintOf(state, resource, knownDependencies(run, resource));
      const fields = fieldFingerprints(state.salt, resource);
      const { from } = item;
      const known = state.records.get(from ?? item.address);
      // A record that this state made stays its own, even if it was changed meanwhile.
      const origin = known?.id === item.id ? known.origin : "adopted";
      const listed = index?.byId(item.kind, item.id);
      // Its fields beyond the routing, such as a further header, were there before.
      const shown = known?.shown ?? (listed && shownOtherwise(state.salt, resource, listed));
      const outcome = "adopted" as const;
      const found = { id: item.id, origin, outcome, from, sent: false, shown };
      const owners = asList(known?.owners, run.owner);
      const intent = {
        fingerprint,
        ...(fields === undefined ? {} : { fields }),
        ...(owners.length === 0 ? {} : { owners }),
      };
      await run.outcomes.record({ resource, intent }, found);
    }),
  );
}

/**
 * Gives the resources that a plan replaces another name, at the service and in the state: names are
 * unique, and the new ones are created before the old ones are deleted. The state keeps the old ones,
 * with their routes, at addresses of their own, and says what takes their place: a run that ends here
 * has lost nothing.
 * @returns whether there were any; what the plan says of them is outdated then
 */
export async function setAside(run: Run, { items, hasLists }: Plan): Promise<boolean> {
  const { records } = run.manager.state;
  const replaced = items.flatMap((item): PlannedWrite[] => {
    const { address, kind } = item;
    const known = records.get(address);
    if (item.action !== "replace" || known === undefined) return [];
    const field = nameFieldOf(kind);
    // The routes of a resource move with it.
    if (field === undefined) return [];
    const { id } = item;
    const { origin, owners } = known;
    const update = { id, mask: [field], origin, from: address, replacedBy: address };
    const resource = resourceAt(asideAddress(address, id));
    return [{ resource, update, idsBefore: [], ...(owners ? { owners } : {}) }];
  });
  await writeAll(run, replaced, hasLists);
  return replaced.length > 0;
}
