import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import type { Address } from "../model/address.ts";
import { listResources, type ProjectApi } from "../model/operations.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
} from "../model/resource.ts";
import {
  compareText,
  type ExistingIds,
  endpointsOf,
  keyFieldsOf,
  type Resource,
} from "../model/routing.ts";

/** The routing as the service lists it, unknown fields kept. */
export type LiveRouting = Readonly<Record<ResourceKind, readonly LiveRecord[]>>;

/** What the service lists, to be found by natural key or id. */
export interface LiveIndex {
  /**
   * The records that have a resource's natural key.
   * @param ids of a route's endpoints; without them no such route can exist
   */
  matches(resource: Resource, ids: ExistingIds): readonly LiveRecord[];
  byId(kind: ResourceKind, id: string): LiveRecord | undefined;
  /** Natural keys with several records. */
  duplicates(): readonly { readonly kind: ResourceKind; readonly records: readonly LiveRecord[] }[];
}

/** Sorts what the service lists, once, so that looking something up is quick. */
export function indexLive(live: LiveRouting): LiveIndex {
  const byKey = new Map<string, LiveRecord[]>();
  const byId = new Map<string, LiveRecord>();
  for (const kind of RESOURCE_ORDER) {
    for (const record of live[kind]) {
      const idKey = keyText([kind, record.id]);
      // A list that repeats a record has no two of it.
      if (byId.has(idKey)) continue;
      byId.set(idKey, record);
      const key = keyOf(kind, record);
      if (key === undefined) continue;
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [record]);
      else same.push(record);
    }
  }
  return {
    matches: (resource, ids) => {
      const key = keyOf(resource.kind, keyFieldsOf(resource, ids));
      return key === undefined ? [] : (byKey.get(key) ?? []);
    },
    byId: (kind, id) => byId.get(keyText([kind, id])),
    duplicates: () =>
      [...byKey]
        .filter(([, records]) => records.length > 1)
        .map(([key, records]) => ({ kind: (JSON.parse(key) as [ResourceKind])[0], records })),
  };
}

/** The records that have a resource's natural key. For many resources use {@link indexLive}. */
export function matchingRecords(
  live: LiveRouting,
  resource: Resource,
  ids: ExistingIds,
): readonly LiveRecord[] {
  return indexLive(live).matches(resource, ids);
}

/** The addresses whose natural key has several records: the last look of a run. */
export function duplicatesOf(
  live: LiveRouting,
  resources: readonly Resource[],
  ids: ExistingIds,
): { readonly address: Address; readonly ids: readonly string[] }[] {
  const index = indexLive(live);
  return resources.flatMap((resource) => {
    const found = index.matches(resource, ids);
    return found.length > 1 ? [{ address: resource.address, ids: found.map(({ id }) => id) }] : [];
  });
}

/** Undefined where a field is missing: such a record is like no other. */
function keyOf(kind: ResourceKind, fields: Readonly<Record<string, unknown>>): string | undefined {
  const values = RESOURCES[kind].key.map(({ field }) => fields[field]);
  return values.every((value) => typeof value === "string" && value !== "")
    ? keyText([kind, ...values])
    : undefined;
}

function keyText(parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

/**
 * The IDs that the endpoints of routes may have: one for a resource that exists, several where it is
 * not known which one it is, none for a resource that is yet to be created.
 */
export interface EndpointCandidates {
  found(address: Address, ids: readonly string[]): void;
  /** Every combination of IDs that a route may connect; an empty one for a resource without endpoints. */
  of(resource: Resource): readonly ExistingIds[];
}

/** Candidates of which nothing is known yet. */
export function createEndpointCandidates(): EndpointCandidates {
  const known = new Map<Address, readonly string[]>();
  return {
    found: (address, ids) => {
      known.set(address, ids);
    },
    of: (resource) =>
      endpointsOf(resource).reduce<readonly ExistingIds[]>(
        (combinations, endpoint) =>
          combinations.flatMap((ids) =>
            (known.get(endpoint) ?? []).map((id) => new Map(ids).set(endpoint, id)),
          ),
        [new Map()],
      ),
  };
}

/** Finds all records that share the natural key of one, itself too; undefined where it is alone. */
export function duplicatesById(
  index: LiveIndex,
): (kind: ResourceKind, id: string) => readonly string[] | undefined {
  const groups = new Map(
    index.duplicates().flatMap(({ kind, records }) => {
      const ids = records.map(({ id }) => id).sort(compareText);
      return ids.map((id) => [`${kind} ${id}`, ids] as const);
    }),
  );
  return (kind, id) => groups.get(`${kind} ${id}`);
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
