import { addressCell, defineCommand, id, table, time } from "../../../cli/define.ts";
import {
  listRoutes,
  type NamedEnds,
  routeKind,
  withEndNames,
} from "../../../notify/find-resource.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { routeOptions, routesMeant } from "./options.ts";

export default defineCommand({
  description:
    "Event routes lead from an event type to a topic, destination routes from a topic to a destination. With --event only event routes are listed, with --destination only destination routes.",
  options: routeOptions,
  needs: ["project"],
  examples: [
    "amp notify routes list",
    "amp notify routes list --topic lifecycle",
    "amp notify routes list --event connection.error --json",
  ],
  fields: RESULT_FIELDS.route,
  run: async (context) => {
    const { output, selection, options } = context;
    const meant = routesMeant(options);
    const list = await listRoutes(context, meant);
    const isNamed = selection.uses("From") || selection.uses("To");
    return output.forReading() || isNamed ? withEndNames(context, meant.kinds, list) : list;
  },
  view: table<NamedEnds>(
    ["route", "routes"],
    {
      From: (route) =>
        routeKind(route) === "event-route"
          ? route.eventType && addressCell(route.eventType)
          : endCell(route, "topicId"),
      To: (route) =>
        endCell(route, routeKind(route) === "event-route" ? "topicId" : "destinationId"),
      Created: ({ createTime }) => time(createTime),
      ID: (route) => id(route.id),
    },
    { next: suggest("notify graph"), whenEmpty: suggest("notify setup") },
  ),
});

/** The name of an end of a route, with the ID for a pipe; the ID where no list has the name. */
function endCell({ endNames, ...route }: NamedEnds, field: "topicId" | "destinationId") {
  const raw = route[field];
  if (!raw) return undefined;
  const name = endNames?.[field];
  return name === undefined ? id(raw) : { text: name, raw, kind: "address" as const };
}
