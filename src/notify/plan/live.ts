import { isKind } from "../../errors.ts";
import { compareText, once } from "../../values/basics.ts";
import { isJsonObject } from "../../values/json.ts";
import { originalOf } from "../../values/odd-fields.ts";
import { routingErrors } from "../errors.ts";
import { addressOf, recordKey } from "../model/address.ts";
import { normalizedName } from "../model/canonical.ts";
import { listResources, type ProjectApi } from "../model/operations.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  referencesOf,
} from "../model/resource.ts";
import { type ExistingIds, keyFieldsOf, type Resource } from "../model/routing.ts";
import type { ActTime } from "../state/state.ts";
import type { PlanItem } from "./plan.ts";

/** The routing as the service lists it, unknown fields kept. */
export type LiveRouting = Readonly<Record<ResourceKind, readonly LiveRecord[]>>;

/** What the service lists, and how far it may be believed. It is the only place that knows time. */
export interface Observation {
  /** The lists, without what amp deleted less than a horizon ago; absent: the service has none. */
  readonly live: LiveRouting | undefined;
  readonly index: LiveIndex | undefined;
  /**
   * Whether an act of amp is less than one horizon old: until then a list may be older than it.
   * @param at what it was on: the name of a place, or the kind and ID of a mark
   * @param moment without a time, amp has only found it, and never acted on it
   */
  isYoung(at: string, moment: Partial<ActTime>): boolean;
}

/** An index of the service's lists, by natural key and by ID. */
export type LiveIndex = ReturnType<typeof makeIndex>;

const indexes = new WeakMap<LiveRouting, LiveIndex>();

/**
 * Indexes the service's lists, which are not modified after they are read, so that each lookup is
 * quick.
 */
export function indexLive(live: LiveRouting): LiveIndex {
  const known = indexes.get(live);
  if (known !== undefined) return known;
  const made = makeIndex(live);
  indexes.set(live, made);
  return made;
}

/** The index of one kind alone, which is enough for a single resource. */
export function indexOfKind(kind: ResourceKind, records: readonly LiveRecord[]): LiveIndex {
  const none = Object.fromEntries(RESOURCE_ORDER.map((one) => [one, []]));
  return indexLive({ ...none, [kind]: records } as unknown as LiveRouting);
}

function recordsOf(live: LiveRouting) {
  const byKey = new Map<string, LiveRecord[]>();
  const byId = Object.fromEntries(
    RESOURCE_ORDER.map((kind) => [kind, new Map<string, LiveRecord>()]),
  ) as Record<ResourceKind, Map<string, LiveRecord>>;
  const listed: (readonly [ResourceKind, LiveRecord])[] = [];
  /** The kinds and IDs that several different records have, so that they say of none which one it is. */
  const ambiguous = new Set<string>();
  for (const kind of RESOURCE_ORDER) {
    for (const record of live[kind]) {
      const same = byId[kind].get(record.id);
      // A record that the list repeats counts once.
      if (same && record.id !== "" && keyOf(kind, same) === keyOf(kind, record)) continue;
      if (same && record.id !== "") ambiguous.add(recordKey(kind, record.id));
      else byId[kind].set(record.id, record);
      addTo(byKey, keyOf(kind, record), record);
      listed.push([kind, record]);
    }
  }
  // Made when they are needed: most runs find every record by its ID.
  const byFoldedId = once(() => {
    const found = new Map<string, LiveRecord[]>();
    for (const [kind, record] of listed) addTo(found, foldedId(kind, record.id), record);
    return found;
  });
  const byLooseKey = once(() => {
    const found = new Map<string, LiveRecord[]>();
    for (const [kind, record] of listed) {
      const certain = certainFields(kind, record, (of, id) => byId[of].has(id));
      addTo(found, looseKeyOf(kind, certain), record);
    }
    return found;
  });
  return { byKey, byId, byFoldedId, byLooseKey, ambiguous };
}

function makeIndex(live: LiveRouting) {
  const { byKey, byId, byFoldedId, byLooseKey, ambiguous } = recordsOf(live);
  /** The records whose key is that of one of these but for its spelling. */
  const like = (kind: ResourceKind, fields: Fields, choices: readonly Fields[]) => {
    const key = keyOf(kind, fields);
    const found = choices.flatMap((one) => byLooseKey().get(looseKeyOf(kind, one)) ?? []);
    return withIds(
      kind,
      found.filter((one) => keyOf(kind, one) !== key),
      ambiguous,
    );
  };
  return {
    /**
     * The records that have a resource's natural key.
     * @param ids the IDs of a route's dependencies; without them no such route can exist
     * @throws {ConflictError} if one of them has no ID
     */
    matches: (resource: Resource, ids: ExistingIds): readonly LiveRecord[] => {
      const key = keyOf(resource.kind, keyFieldsOf(resource, ids));
      return withIds(resource.kind, (key && byKey.get(key)) || [], ambiguous);
    },
    /**
     * The records that may have a resource's natural key: the list omits a field of it, spells that
     * of a route otherwise, or has a number in place of text.
     * @throws {ConflictError} if one of them has no ID
     */
    candidates: (resource: Resource, ids: ExistingIds): readonly LiveRecord[] => {
      const { kind } = resource;
      const fields = keyFieldsOf(resource, ids);
      const key = keyOf(kind, fields);
      if (key === undefined) return [];
      // A name in another case is another name.
      const isName = referencesOf(kind).length === 0;
      return like(kind, fields, isName ? [{}] : withLeftOut(kind, fields));
    },
    /**
     * The records whose key is that of a resource but for its spelling. For a name that may well be
     * another resource.
     */
    lookalikes: (resource: Resource, ids: ExistingIds): readonly LiveRecord[] => {
      const fields = keyFieldsOf(resource, ids);
      return like(resource.kind, fields, [fields]);
    },
    /** The record with an ID; if there is none, the only record with the ID in another case. */
    byId: (kind: ResourceKind, id: string): LiveRecord | undefined => {
      const found = byId[kind].get(id);
      if (found !== undefined) return found;
      const [one, another] = byFoldedId().get(foldedId(kind, id)) ?? [];
      return another === undefined ? one : undefined;
    },
    /** The IDs of all records that share the natural key of this one; undefined if it is unique. */
    duplicateIds: (kind: ResourceKind, id: string): readonly string[] | undefined => {
      const record = byId[kind].get(id);
      const key = record && keyOf(kind, record);
      const same = key === undefined ? [] : (byKey.get(key) ?? []);
      return same.length > 1 ? same.map((one) => one.id).sort(compareText) : undefined;
    },
  };
}

/**
 * Warns of names to create that the service has in another spelling: to it, they are two resources.
 */
export function warningsOfNames(
  items: readonly PlanItem[],
  index: LiveIndex | undefined,
): string[] {
  const named = new Set(items.map(({ address }) => address));
  return items.flatMap(({ action, kind, address, resource }) => {
    if (action !== "create" || referencesOf(kind).length > 0 || !resource || !index) return [];
    const [noun] = RESOURCES[kind].words;
    return index
      .lookalikes(resource, new Map())
      .flatMap(({ name, id }) =>
        !name || named.has(addressOf(kind, name))
          ? []
          : `${address}: another ${noun} is named ${JSON.stringify(name)} (${id}); names are compared exactly`,
      );
  });
}

function foldedId(kind: ResourceKind, id: string): string {
  return `${kind} ${id.toLowerCase()}`;
}

function addTo<Key>(map: Map<Key, LiveRecord[]>, key: Key | undefined, record: LiveRecord): void {
  if (key === undefined) return;
  const same = map.get(key);
  if (same === undefined) map.set(key, [record]);
  else same.push(record);
}

/**
 * The key of a record as far as it is certain, an empty text for the rest: a number may be the ID
 * of a listed resource, but neither a name nor an event type.
 */
function certainFields(
  kind: ResourceKind,
  record: LiveRecord,
  isListed: (kind: ResourceKind, id: string) => boolean,
): Fields {
  const original = originalOf(record);
  // An item of the list may not be a record.
  const sent = isJsonObject(original) ? original : {};
  return Object.fromEntries(
    RESOURCES[kind].key.map(({ field, references }) => {
      const value = record[field] ?? "";
      const isNumber = typeof sent[field] === "number" || typeof sent[field] === "bigint";
      const isCertain =
        !isNumber || (references !== undefined && isListed(references, String(value)));
      return [field, isCertain ? value : ""];
    }),
  );
}

/**
 * Returns the records. One without an ID of its own cannot be adopted or distinguished from a new one.
 */
function withIds(
  kind: ResourceKind,
  records: readonly LiveRecord[],
  ambiguous: ReadonlySet<string>,
): readonly LiveRecord[] {
  const odd = records.find(({ id }) => id === "" || ambiguous.has(recordKey(kind, id)));
  if (odd === undefined) return records;
  const [, nouns] = RESOURCES[kind].words;
  const key = RESOURCES[kind].key.map(
    ({ field }) => `${field} ${JSON.stringify(odd[field] ?? null)}`,
  );
  throw routingErrors.record_without_id(nouns, key.join(", "));
}

type Fields = Readonly<Record<string, unknown>>;

/** The key without its spelling, and with an empty place for a missing field. */
function looseKeyOf(kind: ResourceKind, fields: Fields): string {
  return JSON.stringify([
    kind,
    ...RESOURCES[kind].key.map(({ field }) => normalizedName(fields[field] ?? "")),
  ]);
}

/** The fields of a key, and each variant with some of them left out. */
function withLeftOut(kind: ResourceKind, fields: Fields): Fields[] {
  return RESOURCES[kind].key.reduce<Fields[]>(
    (choices, { field }) => choices.flatMap((one) => [one, { ...one, [field]: "" }]),
    [fields],
  );
}

/**
 * The natural key as text; undefined where a field is missing, so that such a record matches
 * nothing.
 */
function keyOf(kind: ResourceKind, fields: Fields): string | undefined {
  const values = RESOURCES[kind].key.map(({ field }) => fields[field]);
  return values.every((value) => typeof value === "string" && value !== "")
    ? JSON.stringify([kind, ...values])
    : undefined;
}

/**
 * Lists the whole routing of a project. A service that lacks one of the lists counts as one
 * without lists: with only some of them, missing resources would be created twice.
 * @returns undefined where the service has no lists, which the specification does not require
 * @throws {AmpError} where a list that exists could not be read
 */
export async function listRouting(where: ProjectApi): Promise<LiveRouting | undefined> {
  const answers = await Promise.allSettled(
    RESOURCE_ORDER.map(async (kind) => [kind, await listResources(where, kind)] as const),
  );
  const lists = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  if (lists.length === answers.length) return Object.fromEntries(lists) as LiveRouting;
  for (const answer of answers) {
    if (answer.status === "fulfilled") continue;
    if (!isKind(answer.reason, "operation_missing")) throw answer.reason;
  }
  return undefined;
}
