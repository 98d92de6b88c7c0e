import {
  hasValues,
  NO_CONTENT,
  type Operation,
  okResult,
  projectOf,
  queryFilters,
  throwNotFound,
} from "../operation.ts";
import { removeRecords } from "../store.ts";
import type { RoutingList, World } from "../world.ts";

/** What all four kinds of routing records have in common. */
export const ROUTING_OPERATION = { credential: "required", subsystem: "notifications" } as const;

/** How the records of one kind are listed and deleted. */
export interface RecordKind<List extends RoutingList> {
  readonly list: List;
  /** For a problem's detail: "topic". */
  readonly what: string;
  readonly path: string;
  readonly filters?: readonly Extract<keyof World[List][number], string>[];
  /** The record as it is answered; without it, as it is. */
  readonly show?: (record: World[List][number]) => unknown;
  /**
   * Takes away the routes of a deleted record. The platform declares no answer to a delete but 204
   * and 404, so a record that is routed is not refused.
   */
  readonly cascade?: (world: World, id: string) => World;
}

/** The list and the delete of one kind; the spec has neither. */
export function listAndDelete<List extends RoutingList>(kind: RecordKind<List>): Operation[] {
  const { list, what, show = (record) => record, cascade = (world) => world } = kind;
  return [
    {
      ...ROUTING_OPERATION,
      method: "GET",
      path: kind.path,
      source: "platform",
      handle: (call) => {
        const projectId = projectOf(call).id;
        const wanted = { ...queryFilters<string>(call, kind.filters ?? []), projectId };
        const records: readonly World[List][number][] = call.store.world[list];
        return okResult(records.filter((record) => hasValues(record, wanted)).map(show));
      },
    },
    {
      ...ROUTING_OPERATION,
      method: "DELETE",
      path: `${kind.path}/{id}`,
      source: "platform",
      handle: async (call) => {
        const wanted = { id: call.param("id"), projectId: projectOf(call).id };
        await call.store.change((world) => {
          const records: readonly World[List][number][] = world[list];
          if (!records.some((record) => hasValues(record, wanted))) throwNotFound(what, wanted.id);
          const rest = removeRecords(world, list, (record) => record.id === wanted.id);
          return { world: cascade(rest, wanted.id), result: undefined };
        });
        return NO_CONTENT;
      },
    },
  ];
}
