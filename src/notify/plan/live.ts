import type { Api } from "../../api/operations/endpoint.ts";
import {
  listDestinationRoutes,
  listDestinations,
  listEventRoutes,
  listTopics,
} from "../../api/operations/endpoints.ts";
import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import { type Address, destinationAddress, topicAddress } from "../model/address.ts";
import { RESOURCE_ORDER, type Resource, type ResourceKind } from "../model/resource.ts";
import { compareText } from "../model/routing.ts";

/** The routing as the service lists it: what natural keys and comparisons need, unknown fields kept. */
export interface LiveRouting {
  readonly destinations: readonly {
    readonly id: string;
    readonly name?: string | null | undefined;
    readonly type?: string | null | undefined;
    readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  }[];
  readonly topics: readonly { readonly id: string; readonly name?: string | null | undefined }[];
  readonly eventRoutes: readonly {
    readonly id: string;
    readonly topicId?: string | null | undefined;
    readonly eventType?: string | null | undefined;
  }[];
  readonly destinationRoutes: readonly {
    readonly id: string;
    readonly topicId?: string | null | undefined;
    readonly destinationId?: string | null | undefined;
  }[];
}

/** A record of any of the lists, by the fields that matter here. */
export interface LiveRecord {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly type?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly topicId?: string | null | undefined;
  readonly eventType?: string | null | undefined;
  readonly destinationId?: string | null | undefined;
}

/** The list of each kind. */
const LIST_NAMES = {
  destination: "destinations",
  topic: "topics",
  "event-route": "eventRoutes",
  "destination-route": "destinationRoutes",
} as const satisfies Readonly<Record<ResourceKind, keyof LiveRouting>>;

/**
 * What makes two records of a kind the same thing. Routes have no name of their own, and are what
 * silently doubles.
 */
const NATURAL_KEYS: Readonly<Record<ResourceKind, readonly (keyof LiveRecord)[]>> = {
  destination: ["name"],
  topic: ["name"],
  "event-route": ["topicId", "eventType"],
  "destination-route": ["topicId", "destinationId"],
};

/** The records of a kind. */
export function recordsOfKind(live: LiveRouting, kind: ResourceKind): readonly LiveRecord[] {
  return live[LIST_NAMES[kind]];
}

/** The addresses of what a route connects; none for what is no route. */
export function endpointsOf(step: Resource): readonly Address[] {
  if ("event" in step) return [topicAddress(step.topic)];
  if ("destination" in step)
    return [topicAddress(step.topic), destinationAddress(step.destination)];
  return [];
}

/** What the service lists, to be found by natural key or id. */
export interface LiveIndex {
  /**
   * The records of a step's natural key.
   * @param ids of the ends of a route; without them there can be no such route
   */
  matches(step: Resource, ids: ReadonlyMap<Address, string>): readonly LiveRecord[];
  byId(kind: ResourceKind, id: string): LiveRecord | undefined;
  /** Natural keys with several records. */
  duplicates(): readonly { readonly kind: ResourceKind; readonly records: readonly LiveRecord[] }[];
}

/** Sorts what the service lists, once, so that looking something up is quick. */
export function indexLive(live: LiveRouting): LiveIndex {
  const byKey = new Map<string, LiveRecord[]>();
  const byId = new Map<string, LiveRecord>();
  for (const kind of RESOURCE_ORDER) {
    for (const record of recordsOfKind(live, kind)) {
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
    matches: (step, ids) => {
      const key = keyOf(step.kind, wantedKey(step, ids));
      return key === undefined ? [] : (byKey.get(key) ?? []);
    },
    byId: (kind, id) => byId.get(keyText([kind, id])),
    duplicates: () =>
      [...byKey]
        .filter(([, records]) => records.length > 1)
        .map(([key, records]) => ({ kind: (JSON.parse(key) as [ResourceKind])[0], records })),
  };
}

/** The records of a step's natural key. For one step; for many, {@link indexLive}. */
export function matchingRecords(
  live: LiveRouting,
  step: Resource,
  ids: ReadonlyMap<Address, string>,
): readonly LiveRecord[] {
  return indexLive(live).matches(step, ids);
}

/** The addresses whose natural key has several records: the last look of a run. */
export function duplicatesOf(
  live: LiveRouting,
  steps: readonly Resource[],
  ids: ReadonlyMap<Address, string>,
): { readonly address: Address; readonly ids: readonly string[] }[] {
  const index = indexLive(live);
  return steps.flatMap((step) => {
    const found = index.matches(step, ids);
    return found.length > 1 ? [{ address: step.address, ids: found.map(({ id }) => id) }] : [];
  });
}

type KeyFields = Omit<LiveRecord, "id">;

function wantedKey(step: Resource, ids: ReadonlyMap<Address, string>): KeyFields {
  if ("name" in step) return { name: step.name };
  const [topicId, destinationId] = endpointsOf(step).map((end) => ids.get(end));
  return "event" in step ? { topicId, eventType: step.event } : { topicId, destinationId };
}

function keyOf(kind: ResourceKind, record: Partial<LiveRecord>): string | undefined {
  const parts = NATURAL_KEYS[kind].map((field) => record[field]);
  return parts.every((part) => typeof part === "string" && part !== "")
    ? keyText([kind, ...parts])
    : undefined;
}

function keyText(parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}

/**
 * Which ids the topics and destinations have, as routes need them: one for what exists, several
 * where it is not known which, none for what is yet to be created.
 */
export interface EndpointCandidates {
  found(address: Address, ids: readonly string[]): void;
  /** Every pair of ids that the route may connect; one empty one for what is no route. */
  of(step: Resource): readonly ReadonlyMap<Address, string>[];
}

/** Ends of which nothing is known yet. */
export function createEndpointCandidates(): EndpointCandidates {
  const known = new Map<Address, readonly string[]>();
  return {
    found: (address, ids) => {
      known.set(address, ids);
    },
    of: (step) =>
      endpointsOf(step).reduce<readonly ReadonlyMap<Address, string>[]>(
        (pairs, end) =>
          pairs.flatMap((pair) => (known.get(end) ?? []).map((id) => new Map(pair).set(end, id))),
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
 * Lists the whole routing of a project. A service that lacks one of the four lists counts as one
 * without lists: half of the truth would have the other half made twice.
 * @returns undefined where the service has no lists, which the spec does not ask of it
 * @throws {AmpError} where a list that exists could not be read
 */
export async function listRouting(api: Api, project: string): Promise<LiveRouting | undefined> {
  const path = { projectIdOrName: project };
  const answers = await Promise.allSettled([
    api.call(listDestinations, { path }),
    api.call(listTopics, { path }),
    api.call(listEventRoutes, { path }),
    api.call(listDestinationRoutes, { path }),
  ]);
  const [destinations, topics, eventRoutes, destinationRoutes] = answers;
  if (
    destinations.status === "fulfilled" &&
    topics.status === "fulfilled" &&
    eventRoutes.status === "fulfilled" &&
    destinationRoutes.status === "fulfilled"
  ) {
    return {
      destinations: destinations.value,
      topics: topics.value,
      eventRoutes: eventRoutes.value,
      destinationRoutes: destinationRoutes.value,
    };
  }
  for (const answer of answers) {
    if (answer.status === "fulfilled") continue;
    if (!(answer.reason instanceof OperationMissingError)) throw answer.reason;
  }
  return undefined;
}
