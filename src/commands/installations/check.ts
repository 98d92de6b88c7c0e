import { defineCommand, integer, record, withDefault } from "../../cli/define.ts";
import type { InstallationsCheck } from "../../documents/inspect.ts";
import { withListedScope } from "../../inspect/find-integration.ts";
import {
  annotationTexts,
  CHECK_REPORTS,
  checkInstallations,
  checkPage,
  checkRows,
  verdictText,
} from "../../inspect/installations-check.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { reportOptions, writeReports } from "../report-options.ts";
import { SCOPE_ARGS, SCOPE_OPTIONS, SCOPE_TEXT } from "./options.ts";

export default defineCommand({
  description: `Exits with code 8 if more than --max installations meet all filters, and lists them; for CI and monitoring. ${SCOPE_TEXT}`,
  args: SCOPE_ARGS,
  options: {
    ...SCOPE_OPTIONS,
    max: withDefault(
      integer("maximum number of installations that may meet the filters", {
        min: 0,
        max: 1_000_000,
      }),
      "0",
    ),
    ...reportOptions("junit", "sarif"),
  },
  needs: ["project"],
  filters: "own",
  examples: [
    "amp installations check --filter health=unhealthy --max 5",
    "amp installations check --filter connection=bad_credentials --report junit=check.xml --overwrite",
  ],
  fields: RESULT_FIELDS.installationsCheck,
  exits: {
    check: "more installations than --max meet the filters",
    conflict: "several integrations match",
  },
  run: async (context) => {
    const { output, options } = context;
    const filters = output.query()?.filters ?? [];
    if (filters.length === 0) {
      throw inputErrors.param_missing(
        "--filter",
        "Add a filter, for example --filter health=unhealthy.",
        "Nothing was sent.",
      );
    }
    const { assertWholeList } = await import("../../case/case-file.ts");
    await assertWholeList(context);
    const result = await withListedScope(context, "installations check", (scope) =>
      checkInstallations(context, scope, { filters, max: options.max }),
    );
    await writeReports(context, (kind) => CHECK_REPORTS[kind](result));
    for (const text of annotationTexts(result)) {
      context.report.annotation({ level: "error", title: "amp installations check", text });
    }
    return result;
  },
  exit: ({ passed }) => (passed ? "ok" : "check"),
  reason: verdictText,
  view: record<InstallationsCheck>(
    checkPage,
    ({ installations }) => installations.map(({ id }) => id),
    checkRows,
  ),
});
