import { defineCommand, integer, record } from "../../cli/define.ts";
import { listedScope } from "../../inspect/find-integration.ts";
import { summariseInstallations, summaryPage } from "../../inspect/summary.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { SCOPE_ARGS, SCOPE_OPTIONS, SCOPE_TEXT } from "./options.ts";

/**
 * Each lookup is a request, four at once. A slow service would let a reader wait for minutes for
 * the counts, which are known before.
 */
const DEFAULT_LOOKUPS = { most: 1_000, withinMs: 20_000 };

export default defineCommand({
  description: `Counts installations by health, last operation, connection, provider and integration, and lists the unhealthy ones: if the service provides operations, those that have failed longest come first. Each lookup is a request; installations that were not looked up come last. ${SCOPE_TEXT}`,
  args: SCOPE_ARGS,
  options: {
    ...SCOPE_OPTIONS,
    lookups: integer(
      "look up when the failures began for at most this many unhealthy installations (default: up to 1000, for 20 s; 0 for none)",
      { min: 0, max: 10_000 },
    ),
  },
  needs: ["project"],
  examples: [
    "amp installations summary",
    "amp installations summary crm-sync --json",
    "amp installations summary -o markdown",
  ],
  fields: RESULT_FIELDS.summary,
  exits: { conflict: "several integrations match" },
  run: async (context) => {
    const { assertWholeList } = await import("../../case/case-file.ts");
    await assertWholeList(context);
    const scope = await listedScope(context, "installations summary");
    const { lookups } = context.options;
    const limits = lookups === undefined ? DEFAULT_LOOKUPS : { most: lookups };
    return summariseInstallations(context, scope, limits);
  },
  view: record(summaryPage, ({ unhealthy }) => unhealthy.map(({ id }) => id)),
});
