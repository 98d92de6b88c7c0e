import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { loadGraph } from "../../notify/graph/load.ts";
import { type EventTrace, traceEvent, tracePage } from "../../notify/graph/trace.ts";
import { routingFile, secretOptions } from "./options.ts";

export default defineCommand({
  description:
    "Follows one event type through a routing file, without login and network, or without a file through the routing that the service lists: every topic and destination, or why it reaches nobody.",
  args: {
    event: required(text("event type; amp notify events lists them", { suggestions: EVENT_TYPES })),
  },
  options: { file: routingFile, ...secretOptions },
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
    "reachesNobody",
    "reason",
  ],
  exits: { check: "the event reaches nobody" },
  run: async (context) => traceEvent(await loadGraph(context, context.options), context.args.event),
  exit: ({ reachesNobody }) => (reachesNobody ? "check" : "ok"),
  view: record<EventTrace>(tracePage, ({ destinations }) => destinations),
});
