import { choice, defineCommand, needing, record, text, written } from "../../cli/define.ts";
import type { EventTrace, GraphResult } from "../../documents/notify.ts";
import { MESSAGE_NAMES } from "../../events/known-events.ts";
import { mermaidText } from "../../notify/graph/graph.ts";
import { loadGraph } from "../../notify/graph/load.ts";
import { graphPage, graphRows } from "../../notify/graph/page.ts";
import { traceEvent, tracePage, traceRows } from "../../notify/graph/trace.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { allowOfFile, fileInstead, routingExits } from "./options.ts";

export default defineCommand({
  description:
    "Draws the routing of a file, without a login or network access, or, without -f, the routing at the service. Marks event types that reach no destination, and topics and destinations that receive nothing. With an event type: every topic and destination that it reaches, or why it reaches none; read.message and subscribe.message need no topic.",
  args: {
    event: text("only where this event type is delivered; amp notify events lists them", {
      suggestions: MESSAGE_NAMES,
    }),
  },
  options: {
    file: fileInstead,
    format: choice("write the whole routing as a diagram for Markdown", ["mermaid"], {
      placeholder: "format",
    }),
    allow: needing("file", allowOfFile),
  },
  offlineWith: ["file"],
  examples: [
    "amp notify graph",
    "amp notify graph connection.error",
    { note: "in CI, as a check", run: "amp notify graph connection.error -f routing.yaml --json" },
    { note: "a diagram", run: "amp notify graph -f routing.yaml --format mermaid > routing.mmd" },
  ],
  fields: [...new Set([...RESULT_FIELDS.graph, ...RESULT_FIELDS.trace])],
  exits: { ...routingExits, check: "the event reaches no destination" },
  run: async (context) => {
    const { args, options } = context;
    const output = context.output.format();
    const conflicting = args.event ? "an event type" : output && `the output format ${output}`;
    if (options.format !== undefined && conflicting !== undefined) {
      throw inputErrors.options_conflict(
        "--format mermaid",
        conflicting,
        "Use --format without an event type, --output, --json and AMP_OUTPUT.",
      );
    }
    const loaded = await loadGraph(context, options);
    if (args.event !== undefined) return traceEvent(loaded, args.event);
    const result = { ...loaded.source, ...loaded.graph };
    if (options.format === undefined) return result;
    await context.write(mermaidText(result));
    return written();
  },
  exit: (result) => ("event" in result && result.reachesNoDestination ? "check" : "ok"),
  view: record<GraphResult | EventTrace>(
    (result) => ("event" in result ? tracePage(result) : graphPage(result)),
    (result) => ("event" in result ? result.destinations : result.topics.map(({ name }) => name)),
    (result) => ("event" in result ? traceRows(result) : graphRows(result)),
  ),
});
