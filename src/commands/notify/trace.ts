import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { loadGraph } from "../../notify/graph/load.ts";
import { type EventTrace, traceEvent, tracePage, traceRows } from "../../notify/graph/trace.ts";
import { routingExits, routingFile, secretOptionsOfFile } from "./options.ts";

export default defineCommand({
  description:
    "Shows every topic and destination that an event type reaches, or why it reaches none. Reads a routing file, without a login or network access, or, without -f, the routing at the service.",
  args: {
    event: required(text("event type; amp notify events lists them", { suggestions: EVENT_TYPES })),
  },
  options: { file: routingFile, ...secretOptionsOfFile },
  offlineWith: ["file"],
  examples: [
    "amp notify trace connection.error",
    { note: "in CI, as a check", run: "amp notify trace connection.error -f routing.yaml --json" },
  ],
  fields: [
    "event",
    "file",
    "project",
    "known",
    "nearest",
    "topics",
    "destinations",
    "reachesNoDestination",
    "reason",
  ],
  exits: { ...routingExits, check: "the event reaches no destination" },
  run: async (context) => traceEvent(await loadGraph(context, context.options), context.args.event),
  exit: ({ reachesNoDestination }) => (reachesNoDestination ? "check" : "ok"),
  view: record<EventTrace>(tracePage, ({ destinations }) => destinations, traceRows),
});
