import { listProviderApps } from "../../api/operations/endpoints.ts";
import { choice, defineCommand, flag, list, record, text } from "../../cli/define.ts";
import type { AppsLint } from "../../documents/inspect.ts";
import {
  APP_REPORTS,
  APP_RULE_IDS,
  appsLintPage,
  appsLintRows,
  chosenAppRules,
  findApp,
  lintApps,
} from "../../inspect/apps.ts";
import { findingsExit, findingsIds, findingsReason } from "../../inspect/findings-page.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { reportOptions, writeReports } from "../report-options.ts";

export default defineCommand({
  description:
    "Checks each provider app of the project, or one, against its provider. Exits with code 8 if it finds an error, or, with --strict, a warning.",
  args: { app: text("provider app ID or a unique prefix of it, client ID, or provider name") },
  options: {
    rule: list(choice("check only these rules", APP_RULE_IDS, { placeholder: "rule" })),
    skip: list(choice("do not check these rules", APP_RULE_IDS, { placeholder: "rule" })),
    strict: flag("also exit with code 8 for warnings"),
    ...reportOptions("junit", "sarif"),
  },
  needs: ["project"],
  examples: [
    "amp apps lint",
    "amp apps lint app_5f0c2e91 --json",
    { note: "in CI", run: "amp apps lint --strict --report junit=apps.xml --overwrite" },
  ],
  fields: RESULT_FIELDS.appsLint,
  exits: {
    check: "an error, or with --strict a warning, was found",
    conflict: "several provider apps match",
  },
  run: async (context): Promise<AppsLint> => {
    const { api, args, options, files, project, report } = context;
    const rules = chosenAppRules(options);
    const all = await api.call(listProviderApps, { path: { projectIdOrName: project } });
    const again = (name: string) => suggest("apps lint", [name]);
    const apps = args.app === undefined ? all : [await findApp(all, args.app, context, again)];
    const result = await lintApps(api, project, apps, rules);
    await writeReports({ files, report, options }, (kind) =>
      APP_REPORTS[kind](result, options.strict),
    );
    return result;
  },
  exit: (result, { options }) => findingsExit(result, options.strict),
  reason: findingsReason,
  view: record<AppsLint>(
    appsLintPage,
    (result) => findingsIds(result, ({ app }) => app),
    appsLintRows,
  ),
});
