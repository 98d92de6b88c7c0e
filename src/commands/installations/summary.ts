import { defineCommand, record } from "../../cli/define.ts";
import { listedScope } from "../../inspect/listed-scope.ts";
import { summarise } from "../../inspect/summary.ts";
import { summaryPage } from "../../inspect/summary-page.ts";
import { SCOPE_ARGS, SCOPE_OPTIONS, SCOPE_TEXT } from "./options.ts";

export default defineCommand({
  description: `Counts installations by health, last operation, connection, provider and integration, and names those that are unhealthy. ${SCOPE_TEXT}`,
  args: SCOPE_ARGS,
  options: SCOPE_OPTIONS,
  needs: ["project"],
  examples: [
    "amp installations summary",
    "amp installations summary crm-sync --json",
    "amp installations summary --all-integrations -o markdown",
  ],
  fields: ["project", "integration", "groupRef", "installations", "counts", "unhealthy"],
  exits: { conflict: "several integrations match" },
  run: async (context) => summarise(context, await listedScope(context, "installations summary")),
  view: record(summaryPage, ({ unhealthy }) => unhealthy.map(({ id }) => id)),
});
