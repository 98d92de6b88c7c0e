import { defineCommand, table } from "../../cli/define.ts";
import { HISTORY_COLUMNS, type HistoryRow, historyOf } from "../../notify/history.ts";
import { suggest } from "../../values/suggested-command.ts";
import { stateOptions } from "./options.ts";

export default defineCommand({
  description:
    "Lists the last 20 runs of the saved state: time, user, command, and each resource that was created, updated or deleted, with its earlier values. Secrets are not kept. Runs that changed nothing are not listed, and neither is the delete of a resource that was not in the state.",
  options: { state: stateOptions.state },
  needs: ["project"],
  examples: ["amp notify history", "amp notify history --json"],
  fields: ["run", "time", "who", "command", "routing", "undoes", "counts", "changes", "complete"],
  run: (context) => historyOf(context, context.options),
  view: table<HistoryRow>(["run", "runs"], HISTORY_COLUMNS, {
    id: ({ run }) => run,
    spare: ["Command", "Who", "Routing"],
    next: suggest("notify undo", [{ placeholder: "run" }]),
    whenEmpty: "The state has no run that changed anything.",
  }),
});
