import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import { listResources, type ProjectApi } from "../model/operations.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  referencesOf,
} from "../model/resource.ts";
import { compareText, type ExistingIds, keyFieldsOf, type Resource } from "../model/routing.ts";

/** The routing as the service lists it, unknown fields kept. */
export type LiveRouting = Readonly<Record<ResourceKind, readonly LiveRecord[]>>;

/** What the service lists, to be found by natural key or id. */
export interface LiveIndex {
  /**
   * The records that have a resource's natural key.
   * @param ids of a route's endpoints; without them no such route can exist
   */
  matches(resource: Resource, ids: ExistingIds): readonly LiveRecord[];
  /**
   * The routes that may have a route's natural key: the list leaves a field of theirs out, or spells
   * an ID in another case. Whether they are it, the list does not tell.
   */
  candidates(resource: Resource, ids: ExistingIds): readonly LiveRecord[];
  /** An ID that no record has exactly is found where one record alone has it in another case. */
  byId(kind: ResourceKind, id: string): LiveRecord | undefined;
  /** The IDs of all records that share the natural key of one; undefined where it is alone. */
  twins(kind: ResourceKind, id: string): readonly string[] | undefined;
}

/** Sorts what the service lists, once, so that looking something up is quick. */
export function indexLive(live: LiveRouting): LiveIndex {
  const byKey = new Map<string, LiveRecord[]>();
  const byId = new Map<string, LiveRecord>();
  const byFoldedId = new Map<string, LiveRecord[]>();
  const byLooseKey = new Map<string, LiveRecord[]>();
  for (const kind of RESOURCE_ORDER) {
    for (const record of live[kind]) {
      const idKey = JSON.stringify([kind, record.id]);
      // A list that repeats a record has no two of it.
      if (byId.has(idKey)) continue;
      byId.set(idKey, record);
      addTo(byFoldedId, idKey.toLowerCase(), record);
      addTo(byKey, keyOf(kind, record), record);
      addTo(byLooseKey, looseKeyOf(kind, record), record);
    }
  }
  return {
    matches: (resource, ids) => {
      const key = keyOf(resource.kind, keyFieldsOf(resource, ids));
      return key === undefined ? [] : (byKey.get(key) ?? []);
    },
    candidates: ({ kind, ...resource }, ids) => {
      const fields = keyFieldsOf({ kind, ...resource }, ids);
      const key = keyOf(kind, fields);
      if (key === undefined || referencesOf(kind).length === 0) return [];
      return withLeftOut(kind, fields).flatMap((some) =>
        (byLooseKey.get(looseKeyOf(kind, some)) ?? []).filter((one) => keyOf(kind, one) !== key),
      );
    },
    byId: (kind, id) => {
      const key = JSON.stringify([kind, id]);
      const [one, another] = byFoldedId.get(key.toLowerCase()) ?? [];
      return byId.get(key) ?? (another === undefined ? one : undefined);
    },
    twins: (kind, id) => {
      const record = byId.get(JSON.stringify([kind, id]));
      const key = record && keyOf(kind, record);
      const same = key === undefined ? [] : (byKey.get(key) ?? []);
      return same.length > 1 ? same.map((one) => one.id).sort(compareText) : undefined;
    },
  };
}

function addTo<Key>(map: Map<Key, LiveRecord[]>, key: Key | undefined, record: LiveRecord): void {
  if (key === undefined) return;
  const same = map.get(key);
  if (same === undefined) map.set(key, [record]);
  else same.push(record);
}

type Fields = Readonly<Record<string, unknown>>;

/** The key without regard to case, in which a field that is left out has its place too. */
function looseKeyOf(kind: ResourceKind, fields: Fields): string {
  return JSON.stringify([
    kind,
    ...RESOURCES[kind].key.map(({ field }) => fields[field] ?? ""),
  ]).toLowerCase();
}

/** The fields of a key, with each choice of them left out. */
function withLeftOut(kind: ResourceKind, fields: Fields): Fields[] {
  return RESOURCES[kind].key.reduce<Fields[]>(
    (choices, { field }) => choices.flatMap((one) => [one, { ...one, [field]: "" }]),
    [fields],
  );
}

/** Undefined where a field is missing: such a record is like no other. */
function keyOf(kind: ResourceKind, fields: Fields): string | undefined {
  const values = RESOURCES[kind].key.map(({ field }) => fields[field]);
  return values.every((value) => typeof value === "string" && value !== "")
    ? JSON.stringify([kind, ...values])
    : undefined;
}

/**
 * Lists the whole routing of a project. A service that lacks one of the lists counts as one without
 * lists: by half of them the other half would be created twice.
 * @returns undefined where the service has no lists, which the specification does not ask of it
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
    if (!(answer.reason instanceof OperationMissingError)) throw answer.reason;
  }
  return undefined;
}
