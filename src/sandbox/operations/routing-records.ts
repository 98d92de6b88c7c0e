import { remove } from "../change.ts";
import { filters, matches, missing, projectOf } from "../find.ts";
import { found, gone, type Operation } from "../operation.ts";
import type { GrowingList, World } from "../world.ts";

/** What all four kinds of routing records have in common. */
export const routing = { credential: "required", subsystem: "notifications" } as const;

/** How the records of one kind are listed and deleted. */
export interface RecordKind<List extends GrowingList> {
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
export function listAndDelete<List extends GrowingList>(kind: RecordKind<List>): Operation[] {
  const { list, what, show = (record) => record, cascade = (world) => world } = kind;
  return [
    {
      ...routing,
      method: "GET",
      path: kind.path,
      source: "platform",
      handle: (call) => {
        const projectId = projectOf(call).id;
        const wanted = { ...filters<string>(call, kind.filters ?? []), projectId };
        const records: readonly World[List][number][] = call.store.world[list];
        return found(records.filter((record) => matches(record, wanted)).map(show));
      },
    },
    {
      ...routing,
      method: "DELETE",
      path: `${kind.path}/{id}`,
      source: "platform",
      handle: async (call) => {
        const wanted = { id: call.param("id"), projectId: projectOf(call).id };
        await call.store.change((world) => {
          const records: readonly World[List][number][] = world[list];
          if (!records.some((record) => matches(record, wanted))) missing(what, wanted.id);
          const rest = remove(world, list, (record) => record.id === wanted.id);
          return { world: cascade(rest, wanted.id), result: undefined };
        });
        return gone;
      },
    },
  ];
}
