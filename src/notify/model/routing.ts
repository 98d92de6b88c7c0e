import { Secret } from "../../secrets/secret.ts";
import { compareText } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { type Address, addressOf, addressParts } from "./address.ts";
import { RESOURCE_ORDER, RESOURCES, type ResourceKind } from "./resource.ts";
import type { DestinationContent, Secrets } from "./secrets.ts";

/** A destination that does not exist yet. */
export interface NewDestination extends DestinationContent {
  readonly kind: "new";
  readonly type: string;
  /** The earlier name of a destination that is to be renamed. */
  readonly renamedFrom?: string;
}

/** A destination that exists. */
export interface ExistingDestination {
  readonly kind: "existing";
  readonly id: string;
  /** The type of the destination; absent where the service does not return it. */
  readonly type?: string;
}

/** A destination of a routing, under the routing's own name for it. */
export type DestinationPart = NewDestination | ExistingDestination;

/** A topic with its events and destinations. */
export interface TopicPart {
  /** The ID of a topic that exists; absent for a new one. */
  readonly id?: string;
  /** The earlier name of a topic that is to be renamed. */
  readonly renamedFrom?: string;
  readonly events: readonly string[];
  /** The names of destinations of the same routing. */
  readonly destinations: readonly string[];
}

/**
 * The resources that should exist, by name. The wizard, its options and the routing file all make
 * one of these. Maps, not objects: any name is allowed, `__proto__` too.
 */
export interface RoutingModel {
  /** The name under which it owns resources of a state; absent: it owns none. */
  readonly name?: string;
  readonly destinations: ReadonlyMap<string, DestinationPart>;
  readonly topics: ReadonlyMap<string, TopicPart>;
}

/**
 * A resource of a routing. A route names its dependencies, the topic and the destination that it
 * connects: their IDs are known once they exist.
 */
export interface Resource extends Omit<DestinationContent, "metadata"> {
  readonly kind: ResourceKind;
  readonly address: Address;
  /** The names in the address, decoded: one for each field of the kind's key. */
  readonly names: readonly string[];
  /** The fields that a create sends beyond the key. */
  readonly content: Readonly<Record<string, unknown>>;
}

/** The body that creates a resource, its secrets still hidden. */
export interface ResourceBody {
  readonly [field: string]: unknown;
  readonly secrets?: Secrets;
}

/** A resource as a model declares it; one with an ID exists already. */
interface Declared extends Partial<Pick<Resource, "content" | "secrets" | "references">> {
  readonly names: readonly string[];
  readonly id?: string;
}

/**
 * The resources of each kind that a model declares.
 * @throws {Error} for a topic that leads to a destination which the model does not have
 */
const DECLARED: Readonly<Record<ResourceKind, (model: RoutingModel) => Declared[]>> = {
  destination: ({ destinations }) =>
    [...destinations].map(([name, part]) => {
      if (part.kind === "existing") return { names: [name], id: part.id };
      const { type, metadata, kind: _, renamedFrom: __, ...rest } = part;
      return { names: [name], content: { type, metadata }, ...rest };
    }),
  topic: ({ topics }) =>
    [...topics].map(([name, { id }]) => ({ names: [name], ...defined({ id }) })),
  "event-route": ({ topics }) =>
    [...topics].flatMap(([topic, { events }]) =>
      events.map((event) => ({ names: [topic, event] })),
    ),
  "destination-route": ({ topics, destinations }) =>
    [...topics].flatMap(([topic, { destinations: names }]) =>
      names.map((name) => {
        if (!destinations.has(name)) throw new Error(`no destination ${name}`);
        return { names: [topic, name] };
      }),
    ),
};

/** The IDs of resources that exist, by address. */
export type ExistingIds = ReadonlyMap<Address, string>;

/** The IDs by which the model references resources, each with its address. */
export function referencedIds(model: RoutingModel): Map<Address, string> {
  return new Map(
    RESOURCE_ORDER.flatMap((kind) =>
      DECLARED[kind](model).flatMap(({ names, id }): [Address, string][] =>
        id === undefined ? [] : [[addressOf(kind, ...names), id]],
      ),
    ),
  );
}

/** The addresses of all that a model declares. */
export function addressesOf(model: RoutingModel): Address[] {
  return RESOURCE_ORDER.flatMap((kind) =>
    DECLARED[kind](model).map(({ names }) => addressOf(kind, ...names)),
  );
}

/**
 * The resources that a model declares itself, and not by an ID, each once, routes after their
 * dependencies. Whether they exist is not known here.
 * @throws {Error} for a topic that leads to a destination which the model does not have
 */
export function ownResources(model: RoutingModel): Resource[] {
  const own = new Map<Address, Resource>();
  for (const kind of RESOURCE_ORDER) {
    for (const { names, id, content = {}, secrets = {}, ...rest } of DECLARED[kind](model)) {
      const address = addressOf(kind, ...names);
      if (id !== undefined || own.has(address)) continue;
      own.set(address, { kind, address, names, content, secrets, ...rest });
    }
  }
  return [...own.values()];
}

/** The resource at an address, without the content of a create: enough for its natural key. */
export function resourceAt(address: Address): Resource {
  return { ...addressParts(address), address, content: {}, secrets: {} };
}

/** The addresses of a route's dependencies; none for a resource that references nothing. */
export function dependenciesOf({
  kind,
  names,
}: Pick<Resource, "kind" | "names">): readonly Address[] {
  return RESOURCES[kind].key.flatMap(({ references }, at) =>
    references === undefined ? [] : addressOf(references, names[at] ?? ""),
  );
}

/** The IDs of a route's dependencies, as far as they are known. */
export function knownEnds(
  resource: Resource,
  idAt: (end: Address) => string | undefined,
): ExistingIds {
  return new Map(
    dependenciesOf(resource).flatMap((end): [Address, string][] => {
      const id = idAt(end);
      return id === undefined ? [] : [[end, id]];
    }),
  );
}

/**
 * The fields of a resource's natural key.
 * @param ids the IDs of its dependencies; a field whose ID is not known is undefined
 */
export function keyFieldsOf(
  { kind, names }: Pick<Resource, "kind" | "names">,
  ids: ExistingIds,
): Record<string, string | undefined> {
  const fields: Record<string, string | undefined> = {};
  for (const [at, { field, references }] of RESOURCES[kind].key.entries()) {
    const name = names[at] ?? "";
    fields[field] = references === undefined ? name : ids.get(addressOf(references, name));
  }
  return fields;
}

/**
 * The body that creates a resource, its secrets still hidden: only a request reveals them.
 * @param ids the IDs of its dependencies
 */
export function bodyOf(resource: Resource, ids: ExistingIds): ResourceBody {
  const { content, secrets } = resource;
  return {
    ...keyFieldsOf(resource, ids),
    ...content,
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
  };
}

/**
 * A routing in canonical order, without repetitions: order and repetition in a file mean nothing.
 */
export function canonicalRouting({ destinations, topics, ...rest }: RoutingModel): RoutingModel {
  return {
    ...rest,
    destinations: new Map([...destinations].sort(compareByName)),
    topics: new Map(
      [...topics].sort(compareByName).map(([name, part]): [string, TopicPart] => [
        name,
        {
          ...part,
          events: sortedUnique(part.events),
          destinations: sortedUnique(part.destinations),
        },
      ]),
    ),
  };
}

function sortedUnique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareText);
}

function compareByName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return compareText(a, b);
}

function mapSecrets(model: RoutingModel, change: (secret: Secret) => Secret): RoutingModel {
  const destinations = [...model.destinations].map(([name, part]): [string, DestinationPart] => {
    if (part.kind === "existing") return [name, part];
    const secrets = Object.entries(part.secrets).map(([key, one]) => [key, change(one)]);
    const references = part.references?.map((one) => ({ ...one, secret: change(one.secret) }));
    return [
      name,
      { ...part, secrets: Object.fromEntries(secrets), ...(references && { references }) },
    ];
  });
  return { ...model, destinations: new Map(destinations) };
}

/**
 * A routing for a file in another folder: the paths of `file:` are relative to the file's folder.
 */
export function mapSecretPaths(
  model: RoutingModel,
  change: (path: string) => string,
): RoutingModel {
  return mapSecrets(model, (secret) => {
    const { reference } = secret;
    if (reference?.from !== "file") return secret;
    return new Secret(secret.reveal(), { from: "file", path: change(reference.path) });
  });
}
