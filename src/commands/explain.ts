import { type CommandNode, defineCommand, flag, record, text } from "../cli/define.ts";
import type { Explanation } from "../documents/inspect.ts";
import { explanationIds, explanationPage, explanationRows } from "../inspect/explain.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";

export default defineCommand({
  description:
    "Shows the meaning of a field of the service's records, its type and known values, where it is documented, and which commands show it; or what triggers an event. Needs no login or network access. Without a field, lists the records.",
  args: {
    field: text("record, field or event type, for example installation.connection.status", {
      complete: "field",
    }),
  },
  options: { recursive: flag("include the fields at every depth") },
  examples: [
    "amp explain",
    "amp explain installation.connection.status",
    "amp explain installation --recursive",
    "amp explain connection.error",
    { run: "amp explain healthStatus", note: "the end of a path is enough" },
  ],
  fields: RESULT_FIELDS.explanation,
  exits: { "not-found": "no field matches", conflict: "several fields match" },
  run: async (context): Promise<Explanation | readonly Explanation[]> => {
    const { field } = context.args;
    // The schemas load zod: help and completion of this command need neither.
    const [{ explainPath, explainRecords }, tree] = await Promise.all([
      import("../inspect/explain.ts"),
      context.tree(),
    ]);
    const commands = leavesOf(tree);
    const { recursive } = context.options;
    if (field === undefined) return explainRecords(commands, { recursive });
    return explainPath(field, commands, { recursive, asker: context });
  },
  view: record<Explanation | readonly Explanation[]>(
    explanationPage,
    explanationIds,
    explanationRows,
  ),
});

function leavesOf(node: CommandNode): CommandNode[] {
  return node.children.length === 0 ? [node] : node.children.flatMap(leavesOf);
}
