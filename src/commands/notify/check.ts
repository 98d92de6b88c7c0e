import { choice, defineCommand, flag, list, record, value } from "../../cli/define.ts";
import { findReferences } from "../../inspect/references.ts";
import {
  type CheckResult,
  checkRouting,
  chosenRules,
  ruleFacts,
} from "../../notify/checks/check.ts";
import { checkPage, type RuleList } from "../../notify/checks/page.ts";
import { RULE_IDS, usesReads } from "../../notify/checks/rules.ts";
import { loadGraph } from "../../notify/graph/load.ts";
import { readEvent, routingFile, secretOptions } from "./options.ts";

export default defineCommand({
  description:
    "Checks a routing by rules: those of amp, and require and forbid of the file. With -f it needs neither login nor network; without, it checks the routing that the service lists, and that the reads of customers name destinations that exist. An error ends with exit code 8, a warning only with --strict.",
  options: {
    file: routingFile,
    require: list(value("event types that must reach a destination", "event", readEvent)),
    rule: list(choice("check only these rules", RULE_IDS)),
    skip: list(choice("do not check these rules", RULE_IDS)),
    strict: flag("exit 8 if there are warnings, too"),
    listRules: flag("list the rules, and check nothing"),
    ...secretOptions,
  },
  offlineWith: ["file", "listRules"],
  examples: [
    "amp notify check",
    "amp notify check -f routing.yaml --require connection.error",
    { note: "in CI", run: "amp notify check -f routing.yaml --strict --skip unknown-event" },
  ],
  fields: ["file", "project", "errors", "warnings", "findings", "rules", "unchecked"],
  exits: { check: "an error was found, or a warning (with --strict)" },
  run: async (context): Promise<CheckResult | RuleList> => {
    const { options } = context;
    if (options.listRules) return { rules: ruleFacts(chosenRules(options)) };
    const loaded = await loadGraph(context, options);
    const isUsed = chosenRules(options).some((id) => usesReads(id));
    const reads = isUsed ? await readsOf(context, loaded.source.project) : {};
    return checkRouting(loaded, { ...options, ...reads });
  },
  exit: (result, { options }) => {
    if (!("findings" in result)) return "ok";
    return result.errors + (options.strict ? result.warnings : 0) > 0 ? "check" : "ok";
  },
  view: record<CheckResult | RuleList>(checkPage, (result) =>
    "findings" in result
      ? [...new Set(result.findings.map(({ rule }) => rule))]
      : result.rules.map(({ id }) => id),
  ),
});

/** The reads of a project's customers, or why they are not known; none for a file. */
async function readsOf(
  { api, report }: Pick<Parameters<typeof findReferences>[0], "api" | "report">,
  project: string | undefined,
) {
  if (project === undefined) return {};
  const found = await findReferences({ api, report, project });
  return { reads: found.checked ? found.reads : found.why };
}
