import { isAbsolute } from "node:path";
import { version } from "../runtime/version.ts";
import { safeJson } from "../values/safe-data.ts";
import { visible } from "../values/visible.ts";
import type { RuleFacts, Severity } from "./rules.ts";

/** A breach of a rule, in a SARIF report. */
export interface SarifFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly text: string;
  /** The place in the file, counted from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * SARIF 2.1.0, which code scanning of GitHub and others read.
 * @param place the file that the findings are about, as the reader of the report finds it; for what is at
 *   the service a path that says what it is. GitHub refuses a report in which a finding has none.
 */
export async function sarifJson(
  rules: readonly RuleFacts[],
  findings: readonly SarifFinding[],
  place: string,
): Promise<string> {
  const { SarifBuilder, SarifResultBuilder, SarifRuleBuilder, SarifRunBuilder } = await import(
    "node-sarif-builder"
  );
  const run = new SarifRunBuilder({ columnKind: "utf16CodeUnits" }).initSimple({
    toolDriverName: "amp",
    toolDriverVersion: version,
  });
  for (const { id, severity, title, remedy } of rules) {
    run.addRule(
      new SarifRuleBuilder({
        id,
        shortDescription: { text: `${title}.` },
        help: { text: remedy },
        defaultConfiguration: { level: severity },
      }),
    );
  }
  for (const { rule, severity, text, line, column } of findings) {
    const found = new SarifResultBuilder();
    found.setRuleId(rule);
    found.setLevel(severity);
    found.setMessageText(visible(text));
    found.setLocationArtifactUri({ uri: uriOf(place) });
    // A finding about the command line, or the service, has no line; readers of the format want one.
    found.setLocationRegion({ startLine: line ?? 1, startColumn: column ?? 1 });
    run.addResult(found);
  }
  const log = new SarifBuilder();
  log.addRun(run);
  return `${safeJson(log.buildSarifJsonString({ indent: true }))}\n`;
}

function uriOf(path: string): string {
  const uri = path.split("/").map(encodeURIComponent).join("/");
  return isAbsolute(path) ? `file://${uri}` : uri;
}
