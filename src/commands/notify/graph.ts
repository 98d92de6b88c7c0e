import { choice, defineCommand, record, written } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { loadGraph } from "../../notify/graph/load.ts";
import { type GraphResult, graphPage, graphRows } from "../../notify/graph/page.ts";
import { safeJson } from "../../values/safe-data.ts";
import { routingExits, routingFile, secretOptionsOfFile } from "./options.ts";

const FORMATS = {
  mermaid: async (graph) => (await import("../../notify/graph/label.ts")).mermaidText(graph),
  json: async (graph) => `${safeJson(JSON.stringify(graph, undefined, 2))}\n`,
} as const satisfies Readonly<Record<string, (graph: GraphResult) => Promise<string>>>;

const FORMAT_NAMES = Object.keys(FORMATS) as (keyof typeof FORMATS)[];

export default defineCommand({
  description:
    "Draws the routing of a file, without a login or network access, or, without -f, the routing at the service. Marks event types that reach no destination, and topics and destinations that receive nothing.",
  options: {
    file: routingFile,
    format: choice("format of the drawing, for a document or another program", FORMAT_NAMES, {
      placeholder: "format",
    }),
    ...secretOptionsOfFile,
  },
  offlineWith: ["file"],
  examples: [
    "amp notify graph",
    "amp notify graph -f routing.yaml",
    { note: "for Markdown", run: "amp notify graph -f routing.yaml --format mermaid" },
  ],
  fields: ["file", "project", "events", "topics", "destinations", "unrouted"],
  exits: routingExits,
  run: async (context) => {
    const { format } = context.options;
    const output = context.output.format();
    if (format !== undefined && output !== undefined && output !== format) {
      throw new UsageError(`--format ${format} and the output format ${output} conflict`, {
        remedy: "Use --format without --output, --json and AMP_OUTPUT.",
      });
    }
    const { graph, source } = await loadGraph(context, context.options);
    const result = { ...source, ...graph };
    if (format === undefined) return result;
    await context.write(await FORMATS[format](result));
    return written();
  },
  view: record<GraphResult>(graphPage, ({ topics }) => topics.map(({ name }) => name), graphRows),
});
