import { compareText } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import { normalizedName } from "../model/canonical.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
} from "../model/resource.ts";
import { dependenciesOf } from "../model/routing.ts";
import { type Place, placeName } from "../state/change.ts";
import { type Entry, type KnownEntry, kindOf } from "../state/state.ts";
import type { Plan, PlanItem } from "./plan.ts";
import { awaits, NO_QUESTIONS, openAction, otherFiles, ownership, ownOf } from "./plan-named.ts";
import type { Planning } from "./planning.ts";
import { decide, type Situation } from "./table.ts";
import type { KeepReason } from "./vocabulary.ts";

type Collected = ReturnType<typeof nothingYet>;

/** What is collected about what the file does not name. */
function nothingYet() {
  return {
    /** What an earlier run began. */
    begun: [] as PlanItem[],
    released: [] as PlanItem[],
    deleted: [] as PlanItem[],
    kept: [] as Plan["kept"][number][],
    others: [] as Plan["others"][number][],
    removedFromFile: [] as Plan["removedFromFile"][number][],
  };
}

/**
 * Plans what the state has and the file does not name, and changes the entries accordingly. Routes
 * come first: what they use can be deleted only if they are.
 */
export function planUnnamed(plan: Planning, named: readonly PlanItem[]) {
  const { entries, choices } = plan;
  const places = [...entries.all()]
    .filter(([place]) => place.left !== undefined || !plan.named.has(place.address))
    .filter(([place, entry]) => isInScope(plan, place, entry))
    .sort(([one, a], [other, b]) => orderOf(one, a, other, b));
  const all = nothingYet();
  const users = choices.prune ? routeUsers(plan, named) : new Map<string, Users>();
  const gone = new Set<string>();
  for (const [place, entry] of places) {
    const used = users.get(recordKey(kindOf(place.address), entry.id ?? "")) ?? new Map();
    const routes = [...used].flatMap(([route, id]) => (gone.has(route) ? [] : id));
    planOne(plan, all, routes.sort(compareText), [place, entry]);
    const last = all.deleted.at(-1);
    if (last?.action === "delete" && last.place === place) gone.add(recordKey(last.kind, last.id));
  }
  const { released, deleted, begun, ...rest } = all;
  return { ...rest, begun, items: [...released, ...deleted] };
}

function isInScope({ choices: { undo } }: Planning, { address }: Place, { id }: Entry): boolean {
  return undo === undefined || (id !== undefined && undo.has(recordKey(kindOf(address), id)));
}

function orderOf(one: Place, a: Entry, other: Place, b: Entry): number {
  const kinds = [other, one].map(({ address }) => RESOURCE_ORDER.indexOf(kindOf(address)));
  const [first = 0, second = 0] = kinds;
  return (
    first - second || compareText(one.address, other.address) || compareText(a.id ?? "", b.id ?? "")
  );
}

function planOne(
  plan: Planning,
  all: Collected,
  routes: readonly string[],
  [place, entry]: readonly [Place, Entry],
): void {
  const { entries } = plan;
  const { address } = place;
  const { kind, names } = addressParts(address);
  const own = ownOf(plan, kind, entry, entry.key ?? names);
  const situation = situationOf(plan, [place, entry], own, routes);
  const row = decide(situation);
  const { id } = entry;
  if (row.action === "settle") all.begun.push({ address, kind, ...openAction(entry) });
  if (id === undefined) return;
  const known: KnownEntry = { ...entry, id };
  switch (row.action) {
    case "forget":
      entries.remove(place);
      return;
    case "release":
    case "hand over":
      all.released.push(released(plan, place, known, row.action));
      return;
    case "keep":
      keep(plan, all, [place, known], { ...own, routes, reason: row.reason });
      return;
    case "conflict": {
      const uses = plan.reads.get(names[0] ?? "") ?? [];
      all.deleted.push({ address, kind, action: "conflict", reason: "in_reads", id, uses });
      return;
    }
    case "delete": {
      const { name, type } = own.record ?? {};
      const listed = own.record && { name, type };
      all.deleted.push({ address, kind, action: "delete", id, place, ...defined({ listed }) });
      return;
    }
    case "nothing":
      all.others.push({ address, id, owners: otherFiles(plan, entry) });
      withdraw(plan, place, entry);
  }
}

function situationOf(
  plan: Planning,
  [place, entry]: readonly [Place, Entry],
  { own, record }: ReturnType<typeof ownOf>,
  routes: readonly string[],
): Situation {
  const { seen, declaredById, reads } = plan;
  const { kind, names } = addressParts(place.address);
  const who = ownership(plan, entry);
  const isAwaited = who.owner === "mine" && awaits(plan, place);
  const isDeclared = declaredById.has(recordKey(kind, entry.id ?? ""));
  const isRead = kind === "destination" && reads.has(names[0] ?? "");
  const isMoved = own === "here" && record && hasOtherEnds(plan, place.address, record);
  // The list may be older than an import, or than what a person's command did.
  const isUnlisted = own === "gone" && seen.isYoung(placeName(place), entry);
  const also = otherDeclarers(plan, entry);
  return {
    ...NO_QUESTIONS,
    ...plan.deciding,
    ...who,
    file: "no",
    entry: entry.pending ? "pending" : "settled",
    list: seen.index === undefined ? "no lists" : isAwaited ? "not yet" : "believed",
    own: isMoved ? "moved" : isUnlisted ? "here" : own,
    other: isDeclared ? "named elsewhere" : "none",
    breaks: routes.length > 0 ? "routes" : isRead ? "reads" : "nothing",
    also: also.length > 0 ? "yes" : "no",
  };
}

/**
 * Whether the topic or destination of a listed route has another name than the address says: a state
 * of another author can give any ID an address.
 */
function hasOtherEnds({ seen, entries }: Planning, address: Address, record: LiveRecord): boolean {
  const { kind, names } = addressParts(address);
  return RESOURCES[kind].key.some(({ field, references }, at) => {
    const id = record[field];
    if (references === undefined || typeof id !== "string" || id === "") return false;
    const name = seen.index?.byId(references, id)?.name;
    if (!name || normalizedName(name) === normalizedName(names[at])) return false;
    const place = entries.placeOf(references, id);
    return place === undefined || addressParts(place.address).names[0] !== names[at];
  });
}

function released(
  plan: Planning,
  place: Place,
  entry: KnownEntry,
  action: "release" | "hand over",
): PlanItem {
  const { entries } = plan;
  const { address } = place;
  const { id } = entry;
  const [heir, ...rest] = otherDeclarers(plan, entry);
  const { alsoIn: _, ...own } = entry;
  const isHanded = action === "hand over" && heir !== undefined;
  entries.set(
    place,
    isHanded
      ? { ...own, owner: `file:${heir}`, ...(rest.length > 0 ? { alsoIn: rest } : {}) }
      : { ...entry, owner: "person" },
  );
  const kind = kindOf(address);
  return { address, kind, action: "release", id, ...(isHanded ? { owners: [heir] } : {}) };
}

function keep(
  plan: Planning,
  all: Collected,
  [{ address }, entry]: readonly [Place, KnownEntry],
  {
    own,
    record,
    routes,
    reason,
  }: ReturnType<typeof ownOf> & {
    readonly routes: readonly string[];
    readonly reason: string | undefined;
  },
): void {
  const { id, made } = entry;
  // What is gone is deleted from the state by a prune alone, and nobody needs to know before.
  if (reason === "no_prune") {
    const alsoIn = otherDeclarers(plan, entry);
    const shared = alsoIn.length > 0 ? { alsoIn } : {};
    if (own !== "gone") all.removedFromFile.push({ address, id, made, ...shared });
    return;
  }
  const name = record?.name ?? undefined;
  const listedName = reason === "other_name" ? name : undefined;
  all.kept.push({ address, id, reason: reason as KeepReason, routes, ...defined({ listedName }) });
}

/** The other files that found a resource in place. */
function otherDeclarers({ file }: Planning, { alsoIn = [] }: Entry): readonly string[] {
  return alsoIn.filter((one) => one !== file);
}

/** Takes the file out of the others that declare a resource: it does not any more. */
function withdraw({ entries, file, choices }: Planning, place: Place, entry: Entry): void {
  if (file === undefined || choices.undo || !entry.alsoIn?.includes(file)) return;
  const alsoIn = entry.alsoIn.filter((one) => one !== file);
  const { alsoIn: _, ...rest } = entry;
  entries.set(place, alsoIn.length === 0 ? rest : { ...rest, alsoIn });
}

/** The IDs of the routes that use a resource, by their kind and ID. */
type Users = Map<string, string>;

/**
 * The routes at each topic and destination: those that are listed, and of the state those that no
 * list can deny yet. A route that is gone uses nothing.
 */
function routeUsers(plan: Planning, named: readonly PlanItem[]): Map<string, Users> {
  const { seen, entries } = plan;
  const users = new Map<string, Users>();
  const use = (end: string, kind: ResourceKind, id: string) => {
    const all = users.get(end) ?? new Map();
    users.set(end, all.set(recordKey(kind, id), id));
  };
  const useAll = (
    kind: ResourceKind,
    id: string,
    endAt: (field: string, at: number) => unknown,
  ) => {
    for (const [at, { field, references }] of RESOURCES[kind].key.entries()) {
      const end = references && endAt(field, at);
      if (references && typeof end === "string") use(recordKey(references, end), kind, id);
    }
  };
  for (const kind of RESOURCE_ORDER) {
    for (const record of seen.live?.[kind] ?? []) useAll(kind, record.id, (field) => record[field]);
  }
  for (const [place, { id, key, ...moment }] of entries.all()) {
    const isOpen = seen.index === undefined || seen.isYoung(placeName(place), moment);
    if (isOpen && id) useAll(kindOf(place.address), id, (_, at) => key?.[at]);
  }
  // What this plan creates uses what it connects.
  for (const { address, action, resource } of named) {
    if (action !== "create" || resource === undefined) continue;
    const ends = dependenciesOf(resource);
    for (const end of ends) {
      const id = plan.ids.get(end);
      if (typeof id === "string") use(recordKey(kindOf(end), id), resource.kind, address);
    }
  }
  return users;
}
