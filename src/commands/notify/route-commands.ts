import { defineCommand, joined, type PageRow, record, required, text } from "../../cli/define.ts";
import {
  findResource,
  type ListedRouting,
  listAround,
  nameOf,
  type ShownKind,
  searchFor,
} from "../../notify/find-resource.ts";
import { type LiveRecord, RESOURCES } from "../../notify/model/resource.ts";
import { endOfRoute, resourcePage } from "../../notify/resource-page.ts";
import { asList } from "../../values/basics.ts";
import { changeCopyAndOriginal } from "../../values/odd-fields.ts";

/** An end of a route; in JSON under the kind of its resource: `topic`, `destination`. */
type RouteEnd = ReturnType<typeof endOfRoute>;

/** The command that shows a route with the names of what it connects. */
export function getRouteCommand(
  kind: ShownKind,
  { examples }: { readonly examples: readonly string[] },
) {
  const { words, fields, key } = RESOURCES[kind];
  const ends = key.flatMap(({ references, label, field }) =>
    references === undefined ? [] : [{ references, label, field }],
  );
  const endsOf = (route: LiveRecord): ListedRouting =>
    Object.fromEntries(ends.map(({ references }) => [references, asList(route[references])]));
  const form = key.map(({ label }) => label.toLowerCase()).join("/");
  return defineCommand({
    args: { route: required(text(`ID of the ${words[0]}, or ${form}`)) },
    needs: ["project"],
    examples,
    fields: [...fields, ...ends.map(({ references }) => references)],
    exits: { conflict: `several ${words[1]} match` },
    run: async (context) => {
      const { api, project, args } = context;
      const listed = await listAround({ api, project }, kind);
      const search = searchFor(kind, "<route>");
      const found = await findResource(kind, args.route, listed, search, context);
      const connected = ends.flatMap(({ references, field }): [string, RouteEnd][] => {
        const value = found[field];
        const end = endOfRoute(listed[references], typeof value === "string" ? value : undefined);
        return end ? [[references, end]] : [];
      });
      return changeCopyAndOriginal(found, (shown) => ({
        ...shown,
        ...Object.fromEntries(connected),
      }));
    },
    view: record<LiveRecord>((route) =>
      resourcePage(kind, route, {
        title: nameOf(kind, route, endsOf(route)),
        ends: ends.map(({ references, label }): PageRow => {
          const end = route[references] as RouteEnd;
          return [label, end && joined([end.name, end.id])];
        }),
        blocks: [],
      }),
    ),
  });
}
