import { type Address, addressParts, recordKey } from "../model/address.ts";
import { RESOURCE_ORDER } from "../model/resource.ts";
import { canonicalRouting, ownResources, referencedIds, resourceAt } from "../model/routing.ts";
import { kindOf } from "../state/state.ts";
import { duplicatesOf, stillListed, unmanagedRoutes } from "./beyond.ts";
import { warningsOfNames } from "./live.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { awaits, planDeclaredId, planNamed } from "./plan-named.ts";
import { planUnnamed } from "./plan-unnamed.ts";
import { type PlanInput, type Planning, startedPlan } from "./planning.ts";
import { planChoices } from "./table.ts";

/** The resources that are planned in one go. */
const STEP = 1_000;

/**
 * Works out what applying a routing would do. A pure function: the same input, in any order, makes
 * the same plan. For each resource it finds what the table of decisions asks, in this order:
 * renames of the file, then what the file names, routes last, then what it does not name, routes
 * first. What it moves, claims and releases is in `changes`.
 *
 * It yields now and then, so that a caller can stop it.
 */
export function* planSteps(input: PlanInput): Generator<void, Plan> {
  const model = canonicalRouting(input.model);
  const resources = ownResources(model);
  const plan = startedPlan({ ...input, model }, resources);
  const mine = ownedRecords(plan);
  const listed = stillListed(plan.marks, plan.seen).flatMap(({ kind, id, address }) =>
    plan.entries.placeOf(kind, id) === undefined
      ? `${address}: amp deleted it, and the service still lists it (${id}); if it should be gone, delete it again`
      : [],
  );
  const { done: renamed, unmatched } = applyRenames(plan);
  const items: PlanItem[] = [];
  for (const [address, id] of referencedIds(model)) items.push(planDeclaredId(plan, address, id));
  for (const resource of resources) {
    if (items.length % STEP === STEP - 1) yield;
    items.push(planNamed(plan, resource));
  }
  const ordered = items.toSorted(
    (a, b) => RESOURCE_ORDER.indexOf(a.kind) - RESOURCE_ORDER.indexOf(b.kind),
  );
  const unnamed = planUnnamed(plan, ordered);
  const all = [...unnamed.begun, ...ordered, ...unnamed.items];
  const { seen, entries } = plan;
  return {
    items: isTakeover(plan, mine) ? withTakeover(all) : all,
    choices: planChoices(plan.choices),
    lists: seen.index !== undefined,
    changes: entries.changes(),
    waiting: plan.waiting,
    kept: unnamed.kept,
    others: unnamed.others,
    removedFromFile: unnamed.removedFromFile,
    duplicates: duplicatesOf(ordered, seen.index),
    nameWarnings: [...listed, ...unmatched, ...warningsOfNames(ordered, seen.index)],
    renamed,
    unmanaged: unmanagedRoutes(ordered, entries, seen),
  };
}

/**
 * Moves the entries of renamed resources, with those of their routes, to their new addresses. Where
 * both names exist as two resources, neither moves.
 * @returns the addresses whose rename is done: their line in the file can be removed; and a warning
 *   for each earlier name that nothing has
 */
function applyRenames(plan: Planning): { done: Address[]; unmatched: string[] } {
  const {
    renames,
    entries,
    seen: { index },
  } = plan;
  const done: Address[] = [];
  const unmatched: string[] = [];
  const moved = new Map<Address, Address>();
  const listedAt = (address: Address) => index?.matches(resourceAt(address), new Map())[0];
  for (const [to, rename] of renames) {
    const { from } = rename;
    const [old, known] = [entries.at(from), entries.at(to)];
    const [listedOld, listed] = [listedAt(from), listedAt(to)];
    const oldId = old
      ? index === undefined || awaits(plan, { address: from })
        ? old.id
        : index.byId(kindOf(from), old.id ?? "")?.id
      : listedOld?.id;
    const newId = known ? known.id : listed?.id;
    const areTwo = oldId !== undefined && newId !== undefined && oldId !== newId;
    if (known !== undefined && old === undefined) done.push(to);
    else if (areTwo) {
      const found = `${nameAt(from)} is ${oldId}, ${nameAt(to)} is ${newId}`;
      const both = [{ field: "renamed-from", wanted: "one of them", found }];
      renames.set(to, { from, both });
    } else if (old !== undefined && known === undefined) {
      entries.move({ address: from }, to);
      moved.set(from, to);
    } else if (listedOld !== undefined) {
      renames.set(to, { from, listed: listedOld });
    } else if (listed !== undefined) done.push(to);
    else if (known === undefined && index !== undefined) {
      const name = JSON.stringify(nameAt(from));
      unmatched.push(`${to}: nothing is named ${name}, its renamed-from: it is created`);
    }
  }
  entries.moveRoutes(moved);
  return { done, unmatched };
}

function nameAt(address: Address): string {
  return addressParts(address).names[0] ?? "";
}

/** The kinds and IDs of what was applied under the name of the file. */
function ownedRecords({ entries, file, owner }: Planning): ReadonlySet<string> {
  if (file === undefined) return new Set();
  const own = [...entries.all()].filter(([, entry]) => entry.owner === owner);
  return new Set(own.map(([{ address }, { id }]) => recordKey(kindOf(address), id ?? "")));
}

/**
 * Whether a file declares nothing of what was applied under its name: it may be another file of the
 * same name, and would delete or release all of it.
 */
function isTakeover(
  { named, declaredById, entries, choices }: Planning,
  mine: ReadonlySet<string>,
) {
  if (mine.size === 0 || choices.accept.includes("takeover") || choices.undo !== undefined)
    return false;
  if ([...mine].some((key) => declaredById.has(key))) return false;
  for (const address of named) {
    const { id } = entries.at(address) ?? {};
    if (id !== undefined && mine.has(recordKey(kindOf(address), id))) return false;
  }
  return true;
}

function withTakeover(items: readonly PlanItem[]): PlanItem[] {
  return items.map((item): PlanItem => {
    if (item.action !== "delete" && item.action !== "release") return item;
    const { address, kind, id } = item;
    return { address, kind, action: "conflict", reason: "takeover", id };
  });
}
