import { defineCommand, record } from "../../cli/define.ts";
import { withListedScope } from "../../inspect/find-integration.ts";
import { summariseInstallations, summaryPage } from "../../inspect/summary.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { LOOKUPS, SCOPE_ARGS, SCOPE_OPTIONS, SCOPE_TEXT } from "./options.ts";

export default defineCommand({
  description: `Says first which installations fail together: by provider, cause and the hour in which they began to fail. Then counts installations by health, last operation, connection, provider and integration, lists the unhealthy ones, those that have failed longest first, and suggests commands that list the first groups. Causes and times are looked up for some of them, as their operations and logs say them. ${SCOPE_TEXT}`,
  args: SCOPE_ARGS,
  options: {
    ...SCOPE_OPTIONS,
    lookups: LOOKUPS,
  },
  needs: ["project"],
  filters: "own",
  examples: [
    "amp installations summary",
    "amp installations summary --filter provider=hubspot",
    "amp installations summary crm-sync --json",
    "amp installations summary -o markdown",
  ],
  fields: RESULT_FIELDS.summary,
  exits: { conflict: "several integrations match" },
  run: async (context) => {
    const { assertWholeList } = await import("../../case/case-file.ts");
    await assertWholeList(context);
    const { output, options } = context;
    const filters = output.query()?.filters ?? [];
    return withListedScope(context, "installations summary", (scope) =>
      summariseInstallations(context, scope, filters, options.lookups),
    );
  },
  view: record(summaryPage, ({ unhealthy }) => unhealthy.map(({ id }) => id)),
});
