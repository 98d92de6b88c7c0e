import { asList } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import { RESOURCE_LAYERS } from "../model/resource.ts";
import { fieldFingerprints } from "../plan/changes.ts";
import {
  shownAfterUpdate,
  shownBefore,
  shownInPlace,
  shownOtherwise,
} from "../plan/field-values.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import { type Plan, type PlanItem, recordIds } from "../plan/plan.ts";
import { fingerprintOf } from "../plan/plan-change.ts";
import { withLists, withOwner } from "../state/change.ts";
import type { PendingWrite, StateEntry } from "../state/state.ts";
import { listedRecords } from "./find-created.ts";
import { dropAbsent, type OpenWrite } from "./reconcile.ts";
import { knownDependencies, type Run } from "./run.ts";
import type { PlanAndLive } from "./types.ts";
import { writeAll } from "./write-all.ts";
import type { PlannedWrite } from "./write-one.ts";

/**
 * Adopts what exists, updates what differs and creates the rest, layer by layer. It ends early
 * where the run has to stop, with the reason in its outcomes.
 * @param absent writes of earlier runs that were certainly not done
 */
export async function executePlan(
  run: Run,
  { plan, live }: PlanAndLive,
  absent: readonly OpenWrite[],
): Promise<void> {
  const sent = plan.items.filter(({ action }) => action === "create" || action === "update");
  const wanted = new Set(sent.map(({ address }) => address));
  const unwanted = absent.filter(({ address }) => !wanted.has(address));
  await dropAbsent(run, unwanted);
  const index = live && indexLive(live);
  await Promise.all([
    claimRecords(run, plan),
    learnFields(run, plan, index),
    wanted.size > 0 ? run.manager.prepare(withLists(plan.hasLists)) : undefined,
  ]);
  const before = new Map(absent.map(({ address, pending }) => [address, pending]));
  for (const kinds of RESOURCE_LAYERS) {
    const items = plan.items.filter(({ kind }) => kinds.includes(kind));
    if (run.outcomes.isStopped) return;
    await adopt(run, items, index);
    for (const planned of [plannedUpdate, plannedCreate]) {
      const writes = items.flatMap((item) => planned(run, item, before, index));
      await writeAll(run, writes, plan.hasLists);
    }
  }
}

/** Makes the routing an owner of the records that it names, before anything else. */
async function claimRecords({ owner, manager }: Run, { items }: Plan): Promise<void> {
  if (owner === undefined) return;
  const inPlace = items.filter(({ action }) => action === "in_place" || action === "adopt");
  const ids = new Set(
    inPlace.flatMap((item) => recordIds(item).map((id) => recordKey(item.kind, id))),
  );
  const claimed = [...manager.state.records].flatMap(([address, { id, owners = [] }]) =>
    ids.has(recordKey(addressParts(address).kind, id)) && !owners.includes(owner) ? address : [],
  );
  await manager.prepare(withOwner(claimed, owner));
}

/**
 * Saves the fields of records that are as the routing says, where the state does not have them: of
 * those that were imported, or resolved by their ID. What differs later was changed by somebody
 * else, or in the file.
 */
async function learnFields(
  { manager }: Run,
  { items }: Plan,
  index: LiveIndex | undefined,
): Promise<void> {
  const { records, salt } = manager.state;
  const learned = items.flatMap(({ action, address, kind, resource }) => {
    const known = records.get(address);
    if (action !== "in_place" || resource === undefined || known === undefined) return [];
    const listed = index?.byId(kind, known.id);
    const shown = listed && shownInPlace(salt, resource, known, listed);
    if (shown === undefined) return [];
    // Another routing of the resource may name further fields.
    if (known.shown !== undefined) return [[address, { shown }] as const];
    const fields = fieldFingerprints(salt, resource) ?? {};
    const fingerprint = fingerprintOf(manager.state, resource, new Map());
    return [[address, { fingerprint, fields, shown }] as const];
  });
  // Its owners may change in the same save.
  await manager.prepare(({ records: now }) =>
    learned.flatMap(([address, facts]): StateEntry[] => {
      const known = now.get(address);
      return known === undefined ? [] : [["record", address, { ...known, ...facts }]];
    }),
  );
}

function plannedCreate(
  run: Run,
  item: PlanItem,
  attempts: ReadonlyMap<Address, PendingWrite>,
  index: LiveIndex | undefined,
): PlannedWrite[] {
  const { resource, address } = item;
  if (item.action !== "create" || resource === undefined) return [];
  const before = attempts.get(address);
  const dependencies = knownDependencies(run, resource);
  const listed = index ? listedRecords(run, index, resource, dependencies) : [];
  const idsBefore = new Set([
    ...listed.map(({ id }) => id),
    ...(before?.idsBefore ?? []),
    // The list may be out of date, and show the old record again.
    ...("previousId" in item ? [item.previousId] : []),
  ]);
  return [{ resource, index, idsBefore: [...idsBefore], ...defined({ before }) }];
}

function plannedUpdate(
  { manager, owner }: Run,
  item: PlanItem,
  attempts: ReadonlyMap<Address, PendingWrite>,
  index: LiveIndex | undefined,
): PlannedWrite[] {
  const { resource, address } = item;
  if (item.action !== "update" || resource === undefined) return [];
  const { id, fields: mask, renamedFrom: from } = item;
  const known = manager.state.records.get(from ?? address);
  const { origin = "adopted", owners } = known ?? {};
  const listed = index?.byId(item.kind, id);
  const named = fieldFingerprints(manager.state.salt, resource);
  // The routing of an update command has no name, and only what changes.
  const fields = named && { ...(owner === undefined ? known?.fields : {}), ...named };
  const shown = shownAfterUpdate(fields, mask, known);
  const seen = shownBefore(manager.state.salt, listed, mask);
  const update = { id, mask, origin, ...defined({ from, shown, before: seen }) };
  const before = attempts.get(address);
  const made = fields && { fields };
  const more = defined({ owners, before: before?.update && before, made });
  return [{ resource, update, idsBefore: [], ...more }];
}

/** Reports the resources that are in place and were not reported yet. */
export function reportInPlace({ outcomes }: Run, { plan }: PlanAndLive): void {
  const reported = new Set(outcomes.settled.map(({ address }) => address));
  for (const item of plan.items) {
    if (item.action !== "in_place" || reported.has(item.address)) continue;
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
      const { renamedFrom: from } = item;
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
        fingerprint: fingerprintOf(state, resource, knownDependencies(run, resource)),
        ...defined({ fields: fieldFingerprints(state.salt, resource) }),
        ...(owners.length === 0 ? {} : { owners }),
      };
      await run.outcomes.record({ resource, intent }, found);
    }),
  );
}
