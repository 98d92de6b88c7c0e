import type {
  Duplicate,
  FoundResource,
  ItemDocument,
  SharedTopic,
} from "../../documents/routing.ts";
import type { ExitName } from "../../errors.ts";
import { compareText } from "../../values/basics.ts";
import { counted, firstNames, quotedNames } from "../../values/counted.ts";
import { type Address, addressOf, addressParts, recordKey } from "../model/address.ts";
import {
  type LiveRecord,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  referencesOf,
} from "../model/resource.ts";
import type { Place } from "../state/change.ts";
import type { Mark } from "../state/state.ts";
import type { KnownEntries } from "./known-entries.ts";
import type { LiveIndex, Observation } from "./live.ts";
import { type Plan, type PlanItem, recordIds } from "./plan.ts";

// What a plan says beyond its items: unmanaged routes, what is listed though it was deleted,
// duplicates, and who also receives what.

/**
 * The routes at the topics of a routing that no file declares: amp leaves them alone, and they
 * deliver events all the same.
 */
export function unmanagedRoutes(
  items: readonly PlanItem[],
  entries: KnownEntries,
  { live, index }: Observation,
): FoundResource[] {
  if (live === undefined || index === undefined) return [];
  const named = new Set(items.map(({ address }) => address));
  const ids = new Set(
    items.flatMap((item) => recordIds(item).map((id) => recordKey(item.kind, id))),
  );
  // What a single command made, amp knows, but no file does.
  const isDeclared = (place: Place | undefined) =>
    place !== undefined && entries.of(place)?.owner !== "person";
  const isManaged = (kind: ResourceKind, id: string) =>
    ids.has(recordKey(kind, id)) || isDeclared(entries.placeOf(kind, id));
  const topics = new Set(items.flatMap((item) => (item.kind === "topic" ? recordIds(item) : [])));
  const routes = RESOURCE_ORDER.filter((kind) => referencesOf(kind).length > 0);
  const added = routes.flatMap((kind) =>
    live[kind].flatMap((record): FoundResource[] => {
      const { id, topicId } = record;
      if (!topics.has(String(topicId)) || isManaged(kind, id)) return [];
      if (index.duplicateIds(kind, id) !== undefined) return [];
      const address = addressFromRecord(kind, record, index);
      // What may be the result of a create that was begun is not a stranger's.
      return named.has(address) || entries.at(address)?.pending ? [] : [{ address, id }];
    }),
  );
  return added.sort((a, b) => compareText(a.address, b.address) || compareText(a.id, b.id));
}

/** What a reader is told of them; undefined where there are none. */
export function unmanagedRoutesText(routes: readonly FoundResource[]): string | undefined {
  if (routes.length === 0) return undefined;
  const deliver = routes.length === 1 ? "delivers" : "deliver";
  const topics = [
    ...new Set(routes.flatMap(({ address }) => addressParts(address).names[0] ?? [])),
  ];
  const from = `${topics.length === 1 ? "topic" : "topics"} ${firstNames(topics)}`;
  const which = firstNames(routes.map(({ address }) => address));
  return `${counted(routes.length, "unmanaged route")} also ${deliver} from ${from}: ${which}`;
}

/** What the service lists although amp deleted it more than a horizon ago. */
export function stillListed(marks: ReadonlyMap<string, Mark>, { index }: Observation) {
  return [...marks].flatMap(([key, { was }]) => {
    const [kind, id = ""] = key.split(" ") as [ResourceKind, string?];
    const record = was === "deleted" ? index?.byId(kind, id) : undefined;
    if (!index || !record) return [];
    return [{ key, kind, id, address: addressFromRecord(kind, record, index) }];
  });
}

/** The address of a record, made from the service's names. */
function addressFromRecord(kind: ResourceKind, record: LiveRecord, index: LiveIndex): Address {
  const names = RESOURCES[kind].key.map(({ field, references }) => {
    const value = record[field];
    const text = typeof value === "string" ? value : "";
    const found = references && text !== "" ? index.byId(references, text)?.name : undefined;
    return found || text || "?";
  });
  return addressOf(kind, ...names);
}

const IS_THERE: ReadonlySet<PlanItem["action"]> = new Set([
  "in_place",
  "adopt",
  "update",
  "conflict",
]);

/** The duplicates of a plan's resources, also of those in the state. */
export function duplicatesOf(
  items: readonly PlanItem[],
  index: LiveIndex | undefined,
): readonly Duplicate[] {
  return items.flatMap((item): readonly Duplicate[] => {
    const { address, kind, action } = item;
    if (item.action === "conflict" && item.reason === "ambiguous") {
      return [{ address, ids: item.ids ?? [] }];
    }
    const ids =
      IS_THERE.has(action) && "id" in item ? index?.duplicateIds(kind, item.id ?? "") : undefined;
    return ids === undefined ? [] : [{ address, ids }];
  });
}

/** The warning about duplicates on stderr; undefined where there are none. */
export function duplicatesWarning(duplicates: readonly Duplicate[]): string | undefined {
  if (duplicates.length === 0) return undefined;
  const named = duplicates.map(
    ({ address, ids }) => `${address} exists ${ids.length} times: ${ids.join(", ")}`,
  );
  // A terminal shows the beginning of a long text.
  return ["Delete all but one of each:", ...named].join("\n");
}

/** The exit code of a result with duplicates: `partial` where something is missing, too. */
export function duplicatesExit(
  duplicates: readonly Duplicate[],
  isMissing: boolean,
): Extract<ExitName, "ok" | "check" | "partial"> {
  if (duplicates.length === 0) return "ok";
  return isMissing ? "partial" : "check";
}

/** The topics of a plan on which new routes and those that it leaves alone deliver to each other. */
export function sharedTopics(
  items: readonly Pick<ItemDocument, "address" | "kind" | "action">[],
  { others, removedFromFile }: Pick<Plan, "others" | "removedFromFile">,
): readonly SharedTopic[] {
  const left = [...others, ...removedFromFile];
  if (left.length === 0) return [];
  const created = items.filter(({ action }) => action === "create" || action === "unknown");
  const [added, before] = [routesByTopic(created), routesByTopic(left)];
  const topics = items.flatMap(({ address, kind }) =>
    kind === "topic" ? addressParts(address).names : [],
  );
  return [...new Set(topics)].flatMap((topic): readonly SharedTopic[] => {
    const [ours, theirs] = [added.get(topic), before.get(topic)];
    if (ours === undefined || theirs === undefined) return [];
    const alsoReceive = [
      { destinations: ours.destinations, events: theirs.events },
      { destinations: theirs.destinations, events: ours.events },
    ].filter(({ destinations, events }) => destinations.length > 0 && events.length > 0);
    if (alsoReceive.length === 0) return [];
    const owners = theirs.routes.flatMap((one) => ("owners" in one ? one.owners : []));
    return [{ topic, owners: [...new Set(owners)], alsoReceive }];
  });
}

/** Says who receives more than a plan names; undefined if nobody does. */
export function sharedTopicsText(shared: readonly SharedTopic[]): string | undefined {
  const lines = shared.map(({ topic, owners, alsoReceive }) => {
    const by = owners.length === 0 ? "shared" : `also declared by ${quotedNames(owners)}`;
    const gains = alsoReceive.map(({ destinations, events }) => {
      const verb = destinations.length === 1 ? "receives" : "receive";
      return `${firstNames(destinations)} also ${verb} ${firstNames(events)}`;
    });
    return `Topic ${topic} is ${by}: ${gains.join("; ")}`;
  });
  return lines.length === 0 ? undefined : lines.join("\n");
}

interface TopicRoutes<Route> {
  readonly routes: Route[];
  /** The names of the destinations that they lead to. */
  readonly destinations: string[];
  /** The event types that they bring. */
  readonly events: string[];
}

/** The routes among resources, by the name of their topic. */
export function routesByTopic<Route extends { readonly address: Address }>(
  resources: readonly Route[],
): ReadonlyMap<string, TopicRoutes<Route>> {
  const found = new Map<string, TopicRoutes<Route>>();
  for (const route of resources) {
    const { kind, names } = addressParts(route.address);
    const [topic, end] = names;
    if (topic === undefined || end === undefined) continue;
    const { routes, ...ends } = found.get(topic) ?? { routes: [], destinations: [], events: [] };
    routes.push(route);
    (kind === "event-route" ? ends.events : ends.destinations).push(end);
    found.set(topic, { routes, ...ends });
  }
  return found;
}
