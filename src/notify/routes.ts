import type { ListResult } from "../api/operations/endpoint.ts";
import { type Asker, chooseOne, type Lookup, noMatch, quotedInput } from "../questions/find.ts";
import { inTurn, mapList } from "../values/batches.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { searchFor, withIds } from "./find-resource.ts";
import { listForDisplay, listResources, type ProjectApi } from "./model/operations.ts";
import type { LiveRecord, RouteKind } from "./model/resource.ts";

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
  const query = await withIds(context, first, fields);
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
