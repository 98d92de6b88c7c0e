import { defineCommand, table } from "../../cli/define.ts";
import { HISTORY_COLUMNS, type HistoryRow, historyOf } from "../../notify/history.ts";
import { suggest } from "../../values/suggested-command.ts";
import { stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "The saved state keeps its last 20 runs: when, who, the command, and each resource that was created, updated or deleted, with the values before. Secrets are not kept. Runs that changed nothing are not listed, and neither is the delete of a resource that the state did not have.",
  options: { state: stateOptions.state },
  needs: ["project"],
  examples: ["amp notify history", "amp notify history --json"],
  fields: ["run", "time", "who", "command", "routing", "undoes", "counts", "changes", "complete"],
  run: (context) => historyOf(context, context.options),
  view: table<HistoryRow>(["run", "runs"], HISTORY_COLUMNS, {
    id: ({ run }) => run,
    spare: ["Command", "Who", "Routing"],
    next: suggest("notify undo", [{ placeholder: "run" }]),
    whenEmpty: "The state has no run that changed something.",
  }),
});
