import { signalError } from "../../errors.ts";
import { handleSignals } from "../../runtime/end-process.ts";
import { compareText, once } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import { RESOURCE_ORDER } from "../model/resource.ts";
import {
  canonicalRouting,
  dependenciesOf,
  type ExistingIds,
  ownResources,
  type Resource,
  type RoutingModel,
  referencedIds,
  resourceAt,
} from "../model/routing.ts";
import { duplicatesOf, unmanagedRoutes } from "./beyond.ts";
import { NO_CHOICES, planChoices, type RunChoices } from "./choices.ts";
import { indexLive, type LiveIndex, type LiveRouting, warningsOfNames } from "./live.ts";
import { type Plan, type PlanItem, type PlannedAction, recordIds } from "./plan.ts";
import { otherOwners, type PlanningFacts } from "./plan-change.ts";
import { planResource, unknownAction } from "./plan-resource.ts";
import { planPrune } from "./prune.ts";
import { type PlannedRenames, plannedRenames, renamedState } from "./renames.ts";

/** The input of a plan. */
export interface PlanInput extends Pick<PlanningFacts, "state"> {
  /** The choices of the run; absent: none. */
  readonly choices?: RunChoices;
  readonly model: RoutingModel;
  /** The live routing; absent: the service has no lists. */
  readonly live: LiveRouting | undefined;
}

/**
 * Works out what applying a routing would do. A pure function: the same input, in any order, makes
 * the same plan.
 *
 * - Renames come first: a resource in the state counts as at its new address. Where both names exist,
 *   it is a conflict.
 * - What an earlier run began is `unknown`.
 * - A resource in the state, made from the same body and not changed at the service, is in place,
 *   whatever fields the list omits. Else it is updated; it is a conflict where the service cannot
 *   change the field, another routing wants the resource, or the list has another natural key.
 * - A resource in the state that is not listed is a conflict (`not_listed`) or, on request, created,
 *   unless the list has another record with its natural key. A route is created again with its ends.
 * - A resource that is not in the state is looked up in the list by natural key: one is adopted,
 *   several are ambiguous, and one that differs is a conflict or, on request, updated. Without lists,
 *   a route is taken that the state has under another name of its topic or destination.
 * - A resource that the routing declares as existing is in place if its ID is listed, else a
 *   conflict.
 * - A resource in the state that the routing owns and no longer names is pruned on request, if no
 *   other routing owns it, this state made it (created, or found after an unknown outcome), no other
 *   routes use it and the service does not list its ID with another natural key. Adopted and imported
 *   resources stay.
 *
 * A route whose topic or destination is to be reconciled is planned from the current list; its
 * natural key must be looked up again once their IDs are known.
 */
export function makePlan(input: PlanInput): Plan {
  for (const steps = planSteps(input); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/**
 * Makes a plan, and looks at a signal while it makes a large one.
 * @throws {InterruptedError | TerminatedError} once the signal is aborted
 */
export async function makePlanUntil(signal: AbortSignal, input: PlanInput): Promise<Plan> {
  for (const steps = planSteps(input); ; ) {
    const step = steps.next();
    if (step.done) return step.value;
    await handleSignals(signal).catch((reason: unknown) => {
      throw signalError(reason);
    });
  }
}

/** The resources that are planned in one go. */
const STEP = 1_000;

function* planSteps({
  model,
  state: saved,
  live,
  choices = NO_CHOICES,
}: PlanInput): Generator<void, Plan> {
  const wanted = canonicalRouting(model);
  const index = live && indexLive(live);
  const renaming = plannedRenames(wanted, saved, index);
  const state = saved && renamedState(saved, renaming.renames);
  // Only new resources ask for these.
  const known = once(() => knownRecords(state));
  const facts: PlanningFacts = {
    state,
    index,
    isKnown: (kind, id) => known().ids.has(recordKey(kind, id)),
    idOfBody: (kind, fingerprint) => known().bodies.get(`${kind} ${fingerprint}`),
    renames: renaming.renames,
    choices,
    name: model.name,
  };
  // The IDs of each resource: one if it exists, several if it is ambiguous, none to create.
  const ids = new Map<Address, readonly string[]>();
  const existing = [...referencedIds(wanted)].map((one) => planExisting(one, index));
  for (const item of existing) ids.set(item.address, recordIds(item));
  const planned: PlanItem[] = [];
  for (const resource of ownResources(wanted)) {
    if (planned.length % STEP === STEP - 1) yield;
    const { address, kind } = resource;
    const action =
      bothExist(address, renaming.conflicts, facts) ??
      planResource(resource, combinations(resource, ids), facts);
    const item: PlanItem = { address, kind, resource, ...action };
    ids.set(address, possibleIds(item, resource, index, state));
    planned.push(item);
  }
  const ordered = [...existing, ...planned].toSorted(
    (a, b) => RESOURCE_ORDER.indexOf(a.kind) - RESOURCE_ORDER.indexOf(b.kind),
  );
  const named = oneAddressPerRecord(ordered);
  const isNamed = new Set(named.map(({ address }) => address));
  // Pending writes that the routing no longer names are looked up, not created again.
  const items = [
    ...openWrites(state, model.name).filter(({ address }) => !isNamed.has(address)),
    ...named,
  ];
  const { kept: protectedFrom, needless, renames } = renaming;
  const unnamed = planPrune(items, {
    state,
    live,
    index,
    name: model.name,
    choices,
    protectedFrom,
    renames,
  });
  return {
    ...unnamed,
    items: [...items, ...unnamed.items],
    choices: planChoices(choices),
    hasLists: live !== undefined,
    duplicates: duplicatesOf(items, index),
    ...warningsOfNames(items, index),
    needlessRenames: needless,
    unmanaged: unmanagedRoutes(items, state, live, index),
  };
}

function bothExist(
  address: Address,
  conflicts: PlannedRenames["conflicts"],
  { state, index }: PlanningFacts,
): PlannedAction | undefined {
  const differences = conflicts.get(address);
  if (differences === undefined) return undefined;
  const listed = index?.matches(resourceAt(address), new Map())[0];
  const id = state?.records.get(address)?.id ?? listed?.id ?? "";
  return { action: "conflict", id, differences, reason: "both_exist" };
}

/** The records of a state: their IDs, and the ID of the first that was made from each body. */
function knownRecords(state: PlanningFacts["state"]) {
  const ids = new Set<string>();
  const bodies = new Map<string, string>();
  for (const [at, { id, fingerprint }] of state?.records ?? []) {
    const { kind } = addressParts(at);
    ids.add(recordKey(kind, id));
    const body = `${kind} ${fingerprint}`;
    if (!bodies.has(body)) bodies.set(body, id);
  }
  return { ids, bodies };
}

/**
 * Every combination of IDs that a route may connect; one empty map for a resource without
 * dependencies.
 */
function combinations(
  resource: Resource,
  ids: ReadonlyMap<Address, readonly string[]>,
): readonly ExistingIds[] {
  return dependenciesOf(resource).reduce<readonly ExistingIds[]>(
    (found, dependency) =>
      found.flatMap((one) =>
        (ids.get(dependency) ?? []).map((id) => new Map(one).set(dependency, id)),
      ),
    [new Map()],
  );
}

/** The possible IDs of a dependency of routes. A missing resource will get another ID. */
function possibleIds(
  item: PlanItem,
  resource: Resource,
  index: LiveIndex | undefined,
  state: PlanningFacts["state"],
): readonly string[] {
  if (item.action !== "unknown") return recordIds(item);
  const { idsBefore: before = [], update } = state?.pending.get(item.address) ?? {};
  if (update !== undefined) return [update.id];
  const found = index?.matches(resource, new Map()) ?? [];
  const fresh = found.map(({ id }) => id).filter((id) => !before.includes(id));
  return fresh.sort(compareText);
}

/** The writes that earlier runs left open, with the routings that want them beside one with a name. */
export function openWrites(state: PlanningFacts["state"], name?: string): PlanItem[] {
  return [...(state?.pending ?? [])]
    .sort(([a], [b]) => compareText(a, b))
    .map(([address, pending]) => {
      const others = otherOwners(pending, { name });
      const owners = others.length === 0 ? {} : { owners: others };
      return { address, kind: addressParts(address).kind, ...unknownAction(pending), ...owners };
    });
}

/**
 * Plans a resource that the routing declares as existing: in place, unless its ID is not listed.
 */
function planExisting(
  [address, id]: readonly [Address, string],
  index: LiveIndex | undefined,
): PlanItem {
  const { kind } = addressParts(address);
  if (index === undefined || index.byId(kind, id) !== undefined) {
    return { address, kind, action: "in_place", id };
  }
  const differences = [{ field: "id", wanted: id, found: undefined }];
  return { address, kind, action: "conflict", reason: "not_found", id, differences };
}

const TAKES_RECORD: ReadonlySet<PlanItem["action"]> = new Set(["in_place", "adopt", "update"]);

/**
 * Refuses two addresses for one record, since its routes would be created twice. The first address
 * keeps the record. The routes of the second are left out: its conflict names them all.
 */
function oneAddressPerRecord(items: readonly PlanItem[]): PlanItem[] {
  const owners = new Map<string, Address>();
  const twice = new Set<Address>();
  return items.flatMap((item): PlanItem | [] => {
    if (!TAKES_RECORD.has(item.action) || !("id" in item)) return item;
    const { address, kind, id, resource } = item;
    const owner = owners.get(recordKey(kind, id));
    owners.set(recordKey(kind, id), owner ?? address);
    if (owner === undefined) return item;
    if (resource && dependenciesOf(resource).some((one) => twice.has(one))) return [];
    twice.add(address);
    const reason = "declared_twice";
    const differences = [{ field: "address", wanted: address, found: owner }];
    return { address, kind, id, action: "conflict", reason, differences, ...defined({ resource }) };
  });
}
