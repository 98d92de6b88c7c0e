import type { Difference } from "../../documents/routing.ts";
import { asList } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { type Address, addressOf, addressParts, nameFieldOf, recordKey } from "../model/address.ts";
import { normalizedName } from "../model/canonical.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "../model/resource.ts";
import { type ExistingIds, keyFieldsOf, type Resource } from "../model/routing.ts";
import { type Place, placeName } from "../state/change.ts";
import { type Entry, fileOf, filesOf, kindOf } from "../state/state.ts";
import { type Comparison, compare, isContradicted, sentFields } from "./compare.ts";
import type { PlanItem, PlannedAction } from "./plan.ts";
import { endsOf, IN_CONFLICT, type Planning } from "./planning.ts";
import { decide, type Row, type Situation } from "./table.ts";
import type { ConflictReason } from "./vocabulary.ts";

/** What was found out about a resource that the file names; `follows`: its route has new ends. */
type Findings = ReturnType<typeof findingsOf> & { readonly follows: boolean };

/** Plans a resource that the file names, and changes the entries accordingly. */
export function planNamed(plan: Planning, resource: Resource): PlanItem {
  const { address, kind } = resource;
  for (;;) {
    const route = endsOf(plan, resource, plan.entries.at(address));
    // A route is nothing but its ends: with others it is another one, and this one leaves.
    const follows = route.ends === "new" && plan.entries.leave(address);
    const found = { ...findingsOf(plan, resource, route), follows };
    const row = decide(found.situation);
    if (row.action === "move" && found.elsewhere !== undefined) {
      plan.entries.move(found.elsewhere, address, (entry) => ownedBy(plan, entry));
      continue;
    }
    const action = actionOf(plan, resource, found, row);
    plan.ids.set(address, idAfter(action));
    return { address, kind, resource, ...action };
  }
}

/** The ID of a resource for the routes at it, once its action is done. */
function idAfter(action: PlannedAction): string | null | typeof IN_CONFLICT {
  if (action.action === "conflict") return IN_CONFLICT;
  return "id" in action && action.id !== undefined ? action.id : null;
}

function findingsOf(
  plan: Planning,
  resource: Resource,
  { ends, ids, inConflict }: ReturnType<typeof endsOf>,
) {
  const { entries, seen } = plan;
  const { address, kind } = resource;
  const entry = entries.at(address);
  const fields = keyFieldsOf(resource, ids);
  const key = RESOURCES[kind].key.map(({ field }) => fields[field] ?? "");
  const { own, record: ownRecord } = ownOf(plan, kind, entry, key);
  const isThere = own === "here" || own === "moved";
  const others = otherOf(plan, resource, { entry, ids, key, isThere });
  const record = isThere ? ownRecord : others.records[0];
  const isYoung = entry !== undefined && seen.isYoung(address, entry);
  const isCompared = isThere || others.records.length === 1;
  const comparison = isCompared
    ? compare(plan.key, resource, isThere ? entry : undefined, record, isYoung)
    : NOTHING_COMPARED;
  // That a route is listed with other ends, its fields do not say.
  const isOnlyMoved = own === "moved" && comparison.fields === "same";
  const situation: Situation = {
    ...plan.deciding,
    file: plan.renames.get(address)?.both ? "both" : "yes",
    entry: entry === undefined ? "none" : entry.pending ? "pending" : "settled",
    ...ownership(plan, entry),
    list: trustInList(plan, resource, { entry, key, others: others.records }),
    own,
    other: others.other,
    fields: isOnlyMoved ? "drift" : comparison.fields,
    send: comparison.canSend && nameFieldOf(kind) !== undefined ? "can" : "cannot",
    ends,
    breaks: breaksOf(plan, resource, record, comparison),
    also: entry?.alsoIn && entry.alsoIn.length > 0 ? "yes" : "no",
  };
  return {
    situation,
    entry,
    /** What an update compares with: the entry's record, or the other one of its name. */
    record,
    others: others.records,
    /** Where the state has the other one. */
    elsewhere: others.place,
    comparison,
    /** Whether the entry's own record is listed; without lists, whether there is an entry. */
    isThere,
    /** The values of its key. */
    key,
    /** Of a route: the end that is in conflict. */
    inConflict,
  };
}

const NOTHING_COMPARED: Comparison = {
  fields: "same",
  mask: [],
  differences: [],
  canSend: true,
  notKept: [],
  keptFields: [],
};

/** Whose an entry is, and who made it, in the words of the table. */
export function ownership(
  { owner, choices }: Pick<Planning, "owner" | "choices">,
  entry: Entry | undefined,
): Pick<Situation, "owner" | "made"> {
  if (entry === undefined) return { owner: "-", made: "-" };
  const { made } = entry;
  const isUndone =
    choices.undo !== undefined && owner === "nameless" && fileOf(entry.owner) === undefined;
  if ((entry.owner === owner && owner !== "nameless") || isUndone) return { owner: "mine", made };
  if (entry.owner === "nameless" || entry.owner === "person") return { owner: entry.owner, made };
  return { owner: "other", made };
}

/** Where the service has the record of an entry. */
export function ownOf(
  { seen: { index } }: Pick<Planning, "seen">,
  kind: ResourceKind,
  entry: Entry | undefined,
  key: readonly string[],
): { readonly own: Situation["own"]; readonly record?: LiveRecord | undefined } {
  if (entry?.id === undefined) return { own: "-" };
  if (index === undefined) return { own: "here" };
  const record = index.byId(kind, entry.id);
  if (record === undefined) return { own: "gone" };
  const isMoved = RESOURCES[kind].key.some(({ field }, at) => {
    const listed = record[field];
    if (typeof listed !== "string" || listed === "") return false;
    const known = [entry.key?.[at], key[at]].filter((one) => one !== undefined && one !== "");
    return !known.some((one) => normalizedName(one) === normalizedName(listed));
  });
  return { own: isMoved ? "moved" : "here", record };
}

function otherOf(
  plan: Planning,
  resource: Resource,
  {
    entry,
    ids,
    key,
    isThere,
  }: {
    readonly entry: Entry | undefined;
    readonly ids: ExistingIds;
    readonly key: readonly string[];
    readonly isThere: boolean;
  },
): { other: Situation["other"]; records: readonly LiveRecord[]; place?: Place | undefined } {
  const { entries, seen, renames } = plan;
  const { address, kind } = resource;
  if (seen.index === undefined) {
    const place = entries.placesOfKey(kind, key).find((one) => placeName(one) !== address);
    if (place === undefined) return { other: "none", records: [] };
    const { id = "" } = entries.of(place) ?? {};
    return { other: elsewhereOf(plan, resource, { id }, place), records: [], place };
  }
  const matches = seen.index.matches(resource, ids).filter(({ id }) => id !== entry?.id);
  const renamed = entry === undefined ? renames.get(address)?.listed : undefined;
  const records = matches.length === 0 ? asList(renamed) : matches;
  const [one, another] = records;
  if (one === undefined) {
    // What hides its name or ends matters only where the own record is not listed.
    if (isThere) return { other: "none", records: [] };
    const unclear = seen.index
      .candidates(resource, ids)
      .filter(({ id }) => id !== entry?.id && entries.placeOf(kind, id) === undefined);
    return unclear.length === 0
      ? { other: "none", records: [] }
      : { other: "unclear", records: unclear };
  }
  if (another !== undefined) return { other: "several", records };
  const place = entries.placeOf(kind, one.id);
  return { other: elsewhereOf(plan, resource, one, place), records, place };
}

function elsewhereOf(
  { entries, named, declaredById, owner }: Planning,
  { address, kind }: Resource,
  { id }: Pick<LiveRecord, "id">,
  place: Place | undefined,
): Situation["other"] {
  const byId = declaredById.get(recordKey(kind, id)) ?? [];
  if (byId.some((one) => one !== address)) return "named elsewhere";
  const entry = place && entries.of(place);
  if (place === undefined || entry === undefined) return "one";
  if (place.left === undefined && named.has(place.address)) return "named elsewhere";
  const isTheirs = fileOf(entry.owner) !== undefined && entry.owner !== owner;
  return isTheirs ? "theirs elsewhere" : "mine elsewhere";
}

/**
 * Whether the list may be believed about a resource: not where it contradicts what amp did less than
 * a horizon ago with its own record, with the one that has its key, or with any that was sent with it.
 */
function trustInList(
  plan: Planning,
  { kind, address }: Resource,
  {
    entry,
    key,
    others,
  }: {
    readonly entry: Entry | undefined;
    readonly key: readonly string[];
    readonly others: readonly LiveRecord[];
  },
): Situation["list"] {
  const { entries, seen, marks } = plan;
  if (seen.index === undefined) return "no lists";
  const places = [
    ...(entry === undefined ? [] : [{ address }]),
    ...others.flatMap(({ id }) => asList(entries.placeOf(kind, id))),
    ...(key.includes("") ? [] : entries.placesOfKey(kind, key)),
  ];
  for (const place of places) if (awaits(plan, place)) return "not yet";
  if (entry !== undefined || others.length > 0) return "believed";
  for (const [at, mark] of marks) {
    if (mark.was !== "forgotten" || !at.startsWith(`${kind} `) || !seen.isYoung(at, mark)) continue;
    if (seen.index.byId(kind, at.slice(kind.length + 1)) !== undefined) continue;
    plan.waiting.push({ address, for: mark, at });
    return "not yet";
  }
  return "believed";
}

/** Whether the list is behind what amp did last with an entry: the plan says so in `waiting`. */
export function awaits(plan: Planning, place: Place): boolean {
  const { entries, seen, key } = plan;
  const entry = entries.of(place);
  if (entry?.id === undefined || entry.pending || seen.index === undefined) return false;
  const at = placeName(place);
  if (!seen.isYoung(at, entry)) return false;
  const kind = kindOf(place.address);
  const record = seen.index.byId(kind, entry.id);
  if (record !== undefined && !isContradicted(key, kind, entry, record)) return false;
  const { time = "", serviceTime } = entry;
  plan.waiting.push({ address: place.address, for: defined({ time, serviceTime }), at });
  return true;
}

function breaksOf(
  { reads }: Planning,
  { kind }: Resource,
  record: LiveRecord | undefined,
  { mask }: Comparison,
): Situation["breaks"] {
  const isRenamed = kind === "destination" && mask.includes("name");
  return isRenamed && reads.has(record?.name ?? "") ? "reads" : "nothing";
}

/** The action of a row, with the entries changed accordingly. */
function actionOf(plan: Planning, resource: Resource, found: Findings, row: Row): PlannedAction {
  const { entry } = found;
  switch (row.action) {
    case "settle":
      return openAction(entry);
    case "wait":
      return entry?.id === undefined ? { action: "create" } : { action: "in_place", id: entry.id };
    case "create":
      return createAction(plan, resource, found);
    case "adopt":
      plan.entries.leave(resource.address);
      takeRecord(plan, resource, found);
      return { action: "adopt", id: found.record?.id ?? "" };
    case "in place":
      return inPlaceAction(plan, resource, found);
    case "update":
      return updateAction(plan, resource, found);
    default:
      return conflictAction(plan, resource, found, row.reason as ConflictReason);
  }
}

/** The action for a write that an earlier run began. */
export function openAction(entry: Entry | undefined): PlannedAction {
  const { id, pending } = entry ?? {};
  if (id !== undefined) return { action: "unknown", id };
  return pending?.created ? { action: "unknown", reason: "id_unknown" } : { action: "unknown" };
}

function createAction(plan: Planning, resource: Resource, { entry, follows }: Findings) {
  const { address } = resource;
  if (entry?.id !== undefined) {
    plan.entries.leave(address);
    return { action: "create", reason: "gone", previousId: entry.id } as const;
  }
  return follows
    ? ({ action: "create", reason: "follows" } as const)
    : ({ action: "create" } as const);
}

function takeRecord(plan: Planning, resource: Resource, findings: Findings): void {
  const { record, key, comparison } = findings;
  const { entries, owner } = plan;
  const { address } = resource;
  const found: Entry = {
    id: record?.id ?? "",
    owner,
    made: "found",
    fields: sentFields(plan.key, resource),
    key: record ? listedKey(resource.kind, record, key) : key,
  };
  const { learned } = compare(plan.key, resource, found, record);
  const fields = { ...(learned ?? found.fields) };
  // An update is still to send these, and may be refused.
  for (const path of comparison.mask) if (path in fields) fields[path] = ["unknown", "unseen"];
  entries.set({ address }, { ...found, fields });
}

/** The key as the list shows it: of a record that is renamed, the name before. */
function listedKey(kind: ResourceKind, record: LiveRecord, key: readonly string[]): string[] {
  return RESOURCES[kind].key.map(({ field }, at) => String(record[field] || key[at]));
}

function inPlaceAction(plan: Planning, { address }: Resource, found: Findings): PlannedAction {
  const { entry, comparison, key } = found;
  if (entry?.id === undefined) throw new Error(`${address} is in place without an entry`);
  const { learned, notKept } = comparison;
  const claimed = claimedBy(plan, entry);
  const changed = {
    ...claimed,
    ...(learned && { fields: learned }),
    ...(entry.key === undefined && !key.includes("") ? { key } : {}),
  };
  const isChanged = claimed !== entry || learned !== undefined || changed.key !== entry.key;
  if (isChanged) plan.entries.set({ address }, changed);
  const { id } = entry;
  return { action: "in_place", id, ...(notKept.length > 0 ? { notKept } : {}) };
}

/**
 * The entry of a resource that this file declares, too: of a file without name, or of a person, it
 * is this file's now; another file's has its name in `alsoIn`.
 */
function claimedBy({ owner, file }: Planning, entry: Entry): Entry {
  if (entry.owner === owner) return entry;
  if (entry.owner === "person") return { ...entry, owner, made: "found" };
  if (file === undefined) return entry;
  if (entry.owner === "nameless") return { ...entry, owner };
  const { alsoIn = [] } = entry;
  return alsoIn.includes(file) ? entry : { ...entry, alsoIn: [...alsoIn, file] };
}

function updateAction(plan: Planning, resource: Resource, found: Findings): PlannedAction {
  const { address, kind } = resource;
  const { entry, comparison, record, isThere } = found;
  if (!isThere) {
    plan.entries.leave(address);
    takeRecord(plan, resource, found);
  } else if (entry !== undefined) {
    // Within the horizon, what another file sent of them may show that a list is older.
    const dropped = plan.seen.isYoung(address, entry) ? [] : comparison.keptFields;
    const fields = Object.entries(entry.fields).filter(([path]) => !dropped.includes(path));
    const owned = ownedBy(plan, claimedBy(plan, entry));
    plan.entries.set({ address }, { ...owned, fields: Object.fromEntries(fields) });
  }
  const { mask, differences, keptFields, notKept } = comparison;
  const before = isThere ? entry?.key?.[0] : record?.name;
  const renamedFrom = mask.includes("name") && before ? addressOf(kind, before) : undefined;
  const owners = otherFiles(plan, entry);
  return {
    action: "update",
    id: (isThere ? entry?.id : record?.id) ?? "",
    fields: mask,
    differences,
    ...defined({ renamedFrom: renamedFrom === address ? undefined : renamedFrom }),
    ...(keptFields.length > 0 ? { keptFields } : {}),
    ...(notKept.length > 0 ? { notKept } : {}),
    ...(isThere ? {} : { adopts: true }),
    ...(owners.length > 0 ? { owners } : {}),
  };
}

/** An entry that was another file's, with that one's name kept, where the user agreed to change it. */
function ownedBy({ owner, file, choices }: Planning, entry: Entry): Entry {
  const former = fileOf(entry.owner);
  if (!choices.accept.includes("shared") || former === undefined || entry.owner === owner)
    return entry;
  const others = [...(entry.alsoIn ?? []), former].filter((one) => one !== file);
  return { ...entry, owner, alsoIn: [...new Set(others)] };
}

/** The other files that declare a resource. */
export function otherFiles({ file }: Pick<Planning, "file">, entry: Entry | undefined): string[] {
  if (entry === undefined) return [];
  return [...new Set(filesOf(entry))].filter((one) => one !== file);
}

function conflictAction(
  plan: Planning,
  resource: Resource,
  found: Findings,
  reason: ConflictReason,
): PlannedAction {
  const { entry, record, others, elsewhere, comparison, isThere } = found;
  const owner = entry ?? (elsewhere && plan.entries.of(elsewhere));
  const owners = reason === "shared" ? otherFiles(plan, owner) : [];
  const isOfListed = ["ambiguous", "unclear", "name_taken", "replaced"].includes(reason);
  const byId = declaredElsewhere(plan, resource, record);
  const differences =
    reason === "same_id" && byId !== undefined
      ? [idDifference(record?.id)]
      : reason === "both_exist"
        ? plan.renames.get(resource.address)?.both
        : comparison.differences;
  return {
    action: "conflict",
    reason,
    ...defined({
      id: entry?.id ?? (isThere || others.length === 1 ? record?.id : undefined),
      elsewhere: ELSEWHERE.has(reason) ? (byId ?? elsewhere?.address) : found.inConflict,
    }),
    ...(isOfListed ? { ids: others.map(({ id }) => id).sort() } : {}),
    ...(differences && differences.length > 0 && reason !== "end_in_conflict"
      ? { differences }
      : {}),
    ...(owners.length > 0 ? { owners } : {}),
    ...(reason === "in_reads" ? { uses: plan.reads.get(record?.name ?? "") ?? [] } : {}),
  };
}

/** The conflicts that name another address. */
const ELSEWHERE: ReadonlySet<string> = new Set(["same_id", "shared"] satisfies ConflictReason[]);

function declaredElsewhere(
  { declaredById }: Planning,
  { address, kind }: Resource,
  record: LiveRecord | undefined,
): Address | undefined {
  return declaredById.get(recordKey(kind, record?.id ?? ""))?.find((one) => one !== address);
}

/** Plans a resource that the file declares as existing, by its ID. */
export function planDeclaredId(plan: Planning, address: Address, id: string): PlanItem {
  const { entries, seen, named, declaredById } = plan;
  const { kind } = addressParts(address);
  const known = entries.at(address);
  entries.leave(address);
  const place = entries.placeOf(kind, id);
  const twice = (declaredById.get(recordKey(kind, id)) ?? []).find((one) => one !== address);
  const isNamed = place?.left === undefined && place !== undefined && named.has(place.address);
  const elsewhere = twice ?? (isNamed && place.address !== address ? place.address : undefined);
  const isListed = seen.index === undefined || seen.index.byId(kind, id) !== undefined;
  const situation: Situation = {
    ...NO_QUESTIONS,
    ...plan.deciding,
    file: "id",
    entry: known?.pending === undefined ? "none" : "pending",
    list:
      seen.index === undefined ? "no lists" : place && awaits(plan, place) ? "not yet" : "believed",
    own: isListed ? "here" : "gone",
    other: elsewhere === undefined ? "none" : "named elsewhere",
  };
  const row = decide(situation);
  plan.ids.set(address, row.action === "conflict" ? IN_CONFLICT : id);
  if (row.action === "settle") return { address, kind, ...openAction(known) };
  if (row.action !== "conflict") return { address, kind, action: "in_place", id };
  return {
    address,
    kind,
    action: "conflict",
    reason: row.reason as ConflictReason,
    id,
    ...(row.reason === "same_id" ? defined({ elsewhere }) : {}),
    differences: [idDifference(id)],
  };
}

/** The line of the file that declares a resource by its ID, which is in conflict. */
function idDifference(id: string | undefined): Difference {
  return { field: "id", wanted: id, found: undefined };
}

/** The answers for a resource of which nothing else is asked. */
export const NO_QUESTIONS = {
  owner: "-",
  made: "-",
  own: "-",
  other: "none",
  fields: "same",
  send: "can",
  ends: "kept",
  breaks: "nothing",
  also: "no",
} as const satisfies Partial<Situation>;
