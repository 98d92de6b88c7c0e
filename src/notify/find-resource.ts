import type { ListResult } from "../api/operations/endpoint.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import {
  type Asker,
  chooseOne,
  findByIdOrName,
  type Lookup,
  noMatch,
  quotedInput,
} from "../questions/find.ts";
import { inTurn, mapList } from "../values/batches.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { suggest } from "../values/suggested-command.ts";
import { addressOf } from "./model/address.ts";
import { listForDisplay, listResources, type ProjectApi } from "./model/operations.ts";
import {
  type LiveRecord,
  NAMED_GROUPS,
  type NamedKind,
  RESOURCE_ORDER,
  RESOURCES,
  type ResourceKind,
  type RouteKind,
  referencesOf,
} from "./model/resource.ts";
import { kindOf, type RoutingState } from "./state/state.ts";

/** The lists of a project's routing, without those that the service could not give. */
export type ListedRouting = Readonly<Partial<Record<ResourceKind, readonly LiveRecord[]>>>;

/**
 * Lists the resources of a kind, and those of the kinds that they are connected with: for a route
 * what it connects, for any other kind the whole routing.
 * @throws {AmpError} where the kind itself cannot be listed; any other list only helps
 */
export async function listAround(where: ProjectApi, kind: ResourceKind): Promise<ListedRouting> {
  const references = referencesOf(kind);
  const others = references.length > 0 ? references : RESOURCE_ORDER.filter((one) => one !== kind);
  const [own, ...rest] = await Promise.all([
    listResources(where, kind),
    ...others.map(
      async (other) => [other, await ifAvailable(listResources(where, other))] as const,
    ),
  ]);
  return { ...Object.fromEntries(rest.filter(([, list]) => list !== undefined)), [kind]: own };
}

/**
 * The name of a resource: its own, or for a route the end of its address, as in
 * `lifecycle/connection.error`. Undefined where the lists do not say it.
 */
export function nameOf(
  kind: ResourceKind,
  record: LiveRecord,
  listed: ListedRouting,
): string | undefined {
  const names = RESOURCES[kind].key.map(({ field, references }) => {
    const value = record[field];
    if (references === undefined) return value;
    return listed[references]?.find(({ id }) => id === value)?.name;
  });
  if (!names.every((name) => typeof name === "string" && name !== "")) return undefined;
  const [only] = names;
  if (names.length === 1 && typeof only === "string") return only;
  return addressOf(kind, ...(names as string[])).slice(kind.length + 1);
}

/** The names of what a route connects, by the field that has the ID. */
type EndNames = Readonly<Record<string, string | undefined>>;

/** A record whose views show the names of what it connects; data formats have the IDs. */
export type NamedEnds = LiveRecord & { readonly endNames?: EndNames };

/** Routes of these kinds with the names of what they connect, as far as lists say them. */
export async function withEndNames(
  where: ProjectApi,
  kinds: readonly ResourceKind[],
  list: ListResult<LiveRecord>,
): Promise<ListResult<NamedEnds>> {
  const ends = new Map(
    kinds.flatMap((kind) =>
      RESOURCES[kind].key.flatMap(({ field, references }) =>
        references === undefined ? [] : [[field, references] as const],
      ),
    ),
  );
  const names = await Promise.all(
    [...ends].map(async ([field, references]) => {
      const listed = (await ifAvailable(listResources(where, references))) ?? [];
      return [field, new Map(listed.map(({ id, name }) => [id, name || undefined]))] as const;
    }),
  );
  return mapList(list, (record) =>
    changeDisplayCopy<NamedEnds>(record, (shown) => ({
      ...shown,
      endNames: Object.fromEntries(
        names.map(([field, byId]) => [field, byId.get(String(record[field]))]),
      ),
    })),
  );
}

interface ResourceSearch
  extends Pick<Lookup<LiveRecord>, "argument" | "list" | "again" | "exact"> {}

/**
 * The listed resources of a kind, and those that the state has and the list does not show: it may be
 * behind what amp did, or there may be none.
 */
export function withKnown(
  listed: readonly LiveRecord[],
  state: Pick<RoutingState, "entries"> | undefined,
  kind: NamedKind,
): readonly LiveRecord[] {
  const shown = new Set(listed.flatMap(({ id, name }) => [id, name]));
  const known = [...(state?.entries ?? [])].flatMap(([address, { id, key = [] }]): LiveRecord[] => {
    const [name] = key;
    const isMissing = id !== undefined && name !== undefined && !shown.has(id) && !shown.has(name);
    return isMissing && kindOf(address) === kind ? [{ id, name }] : [];
  });
  return [...listed, ...known];
}

/** The search by an argument, with the commands that list the kind and show one of it. */
export function searchFor(kind: ResourceKind, argument: string = `<${kind}>`): ResourceSearch {
  if (!isNamed(kind)) {
    const list = suggest("notify routes list");
    return { argument, list, again: () => list };
  }
  const group = NAMED_GROUPS[kind];
  return {
    argument,
    list: suggest(`notify ${group} list`),
    again: (name) => suggest(`notify ${group} get`, [name]),
  };
}

/** Whether a person names the resources of a kind. */
export function isNamed(kind: ResourceKind): kind is NamedKind {
  return Object.hasOwn(NAMED_GROUPS, kind);
}

/**
 * The resource that a text means: an ID or a name.
 * @throws {NotFoundError} where no resource matches
 * @throws {ConflictError} if several match, without an interactive terminal
 */
export function findResource(
  kind: ResourceKind,
  wanted: string,
  listed: ListedRouting,
  search: ResourceSearch,
  asker: Asker,
): Promise<LiveRecord> {
  const nameIn = (record: LiveRecord) => nameOf(kind, record, listed);
  const lookup: Lookup<LiveRecord> = {
    ...search,
    noun: RESOURCES[kind].words[0],
    ids: ({ id }) => [id],
    names: (record) => {
      const name = nameIn(record);
      return [name, name && `${kind}/${name}`];
    },
    describe: (record) => ({
      id: record.id,
      name: nameIn(record),
      ...shownDetails(kind, record),
      created: record.createTime,
    }),
  };
  // A record without an ID cannot be shown apart from others, and not be deleted.
  const records = listed[kind]?.filter(({ id }) => id !== "") ?? [];
  return findByIdOrName(records, wanted, lookup, asker);
}

function shownDetails(kind: ResourceKind, record: LiveRecord): Record<string, string | undefined> {
  const { details = {} } = RESOURCES[kind];
  return Object.fromEntries(
    Object.entries(details).map(([label, textOf]) => [
      label.toLowerCase(),
      textOf(record) ?? undefined,
    ]),
  );
}

/**
 * The IDs for options that name resources: an ID that is listed is taken as it is, the name of
 * exactly one resource is replaced with its ID, and anything else is left to the service.
 * @param state has resources that a list which is behind does not show yet
 * @param isFilter whether a name that no listed resource has is an error: a service answers a filter
 * by it with an empty list
 * @throws {NotFoundError} for such a name
 * @throws {ConflictError} if several have the name, without an interactive terminal
 */
export async function withIds<Fields extends Readonly<Record<string, string | undefined>>>(
  context: Asker & ProjectApi,
  kind: ResourceKind,
  fields: Fields,
  state?: RoutingState,
  isFilter = false,
): Promise<Fields> {
  const ids: Record<string, string> = {};
  for (const { field, references } of RESOURCES[kind].key) {
    const typed = fields[field];
    if (references === undefined || typed === undefined) continue;
    // The service may have no lists, and knows best what it was given.
    const shown = await ifAvailable(listResources(context, references));
    const listed = isNamed(references) ? withKnown(shown ?? [], state, references) : (shown ?? []);
    const found = listed.filter(({ name, id }) => id !== "" && name === typed);
    if (listed.some(({ id }) => id === typed)) continue;
    const isMissing = isFilter && shown !== undefined && found.length === 0;
    if (found.length === 0 && !isMissing) continue;
    const search = {
      ...searchFor(references, `--${references}`),
      again: (name: string) => suggest("notify routes list", [], { [references]: name }),
      exact: true,
    };
    const among = { [references]: isMissing ? listed : found };
    ids[field] = (await findResource(references, typed, among, search, context)).id;
  }
  return { ...fields, ...ids };
}

/** The kinds of routes that are meant, of one or both, and the fields that they must have. */
export interface MeantRoutes {
  readonly kinds: readonly [RouteKind, ...RouteKind[]];
  readonly fields: Readonly<Record<string, string | undefined>>;
}

/** The kind of a route: only one that leads to a destination has that field. */
export function routeKind({ destinationId }: LiveRecord): RouteKind {
  return destinationId === undefined ? "event-route" : "destination-route";
}

/** A route of a kind: where the service left out the destination, the route still leads to one. */
export function asRoute(kind: RouteKind, route: LiveRecord): LiveRecord {
  if (routeKind(route) === kind) return route;
  const destinationId = kind === "destination-route" ? null : undefined;
  return changeDisplayCopy(route, (shown) => ({ ...shown, destinationId }));
}

/** The routes that are meant, by the service's filters; one list after the other. */
export async function listRoutes(
  context: Asker & ProjectApi,
  { kinds, fields }: MeantRoutes,
): Promise<ListResult<LiveRecord>> {
  const [first, second] = kinds;
  const query = await withIds(context, first, fields, undefined, true);
  const listed = async (kind: RouteKind) =>
    mapList(await listForDisplay(context, kind, query), (route) => asRoute(kind, route));
  const routes = await listed(first);
  return second === undefined ? routes : inTurn(routes, () => listed(second));
}

/**
 * The only route that is meant, or the one that the user chooses.
 * @throws {NotFoundError} where there is none
 */
export async function findRoute(
  context: Asker & ProjectApi,
  { kinds, fields }: MeantRoutes,
): Promise<{ readonly kind: RouteKind; readonly id: string }> {
  const [first] = kinds;
  const wanted = Object.entries(await withIds(context, first, fields));
  const lists = await Promise.all(
    kinds.map(async (kind) =>
      (await listResources(context, kind)).map((route) => ({ kind, route })),
    ),
  );
  const routes = lists.flat().filter(({ route }) => route.id !== "");
  const found = routes.filter(({ route }) => wanted.every(([key, value]) => route[key] === value));
  const lookup: Lookup<(typeof routes)[number]> = {
    ...searchFor(first, "<route>"),
    noun: "route",
    ids: ({ route }) => [route.id],
    names: () => [],
    describe: ({ route: { id, createTime } }) => ({ id, created: createTime }),
  };
  const typed = Object.values(fields).join("/");
  if (found.length === 0) throw noMatch(routes, typed, lookup);
  const { kind, route } = await chooseOne(found, quotedInput(typed), lookup, context);
  return { kind, id: route.id };
}
