import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import type { CheckedRule, Finding } from "../documents/parts.ts";
import { version } from "../runtime/version.ts";
import { safeJson, visible, withoutCommands } from "../values/safe-data.ts";

/** The words of a rule, which its table has beside its work. */
export type RuleWords = Omit<CheckedRule, "id">;

/** A rule as people and programs read it. */
export interface RuleFacts<Id extends string = string> extends CheckedRule {
  readonly id: Id;
}

/** A breach of a rule. */
export interface RuleFinding<Id extends string = string> extends Finding {
  readonly rule: Id;
}

/** The rules to check, by default all, and those to leave out. */
export interface RuleChoice<Id extends string> {
  readonly rule: readonly Id[];
  readonly skip: readonly Id[];
}

/** The rules of a table that are chosen, in its order. */
export function chosenRules<Id extends string>(
  table: Readonly<Record<Id, RuleWords>>,
  { rule, skip }: RuleChoice<Id>,
): RuleFacts<Id>[] {
  const all = Object.entries<RuleWords>(table) as [Id, RuleWords][];
  return all
    .filter(([id]) => (rule.length === 0 || rule.includes(id)) && !skip.includes(id))
    .map(([id, { severity, title, remedy }]) => ({ id, severity, title, remedy }));
}

/** The numbers of findings that a result has. */
export function countFindings(findings: readonly Pick<RuleFinding, "severity">[]): {
  readonly errors: number;
  readonly warnings: number;
} {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: findings.length - errors };
}

/** JUnit's test cases: one for each finding, and one for each rule without any. */
export function ruleCases<Finding extends RuleFinding>(
  { findings, rules }: { findings: readonly Finding[]; rules: readonly RuleFacts[] },
  options: {
    /** The beginning of the class names: `amp.apps.lint`. */
    readonly check: string;
    /** Whether warnings fail, too. */
    readonly strict: boolean;
    /** The name of a finding, and the text after its remedy. */
    readonly wordsOf: (finding: Finding) => { readonly name: string; readonly place: string };
  },
): JunitCase[] {
  const { check, strict, wordsOf } = options;
  const found = findings.map((finding): JunitCase => {
    const { rule, severity, message, remedy } = finding;
    const { name, place } = wordsOf(finding);
    const text = `${severity}: ${message} ${remedy}${place}`;
    const isFailure = severity === "error" || strict;
    return {
      className: `${check}.${rule}`,
      name,
      ...(isFailure ? { failure: { text, type: rule } } : { output: text }),
    };
  });
  const broken = new Set<string>(findings.map(({ rule }) => rule));
  const kept = rules.filter(({ id }) => !broken.has(id));
  return [...found, ...kept.map(({ id, title }) => ({ className: `${check}.${id}`, name: title }))];
}

/** One test case of a JUnit report. */
export interface JunitCase {
  /** Dotted, as tools group by it: `amp.notify.check.required-event`. */
  readonly className: string;
  readonly name: string;
  /** The file that it is about, as the reader of the report finds it. */
  readonly file?: string | undefined;
  /** Seconds that it took. */
  readonly seconds?: number | undefined;
  /** The failure; absent if there is none. */
  readonly failure?: { readonly text: string; readonly type: string } | undefined;
  /** The remark of a case that did not fail. */
  readonly output?: string | undefined;
  /** Whether it was not tried. */
  readonly skipped?: boolean;
}

/** Test cases of one subject, for example of one file. */
interface JunitSuite {
  readonly name: string;
  readonly cases: readonly JunitCase[];
}

/** JUnit's XML, which CI systems show beside the results of other tests. */
export async function junitXml(...suites: readonly JunitSuite[]): Promise<string> {
  const { default: loaded } = await import("junit-report-builder");
  // Node passes the builder itself, a bundle the module that has it as its default.
  const builder = ("newBuilder" in loaded ? loaded : loaded.default) as typeof loaded.default;
  const report = builder.newBuilder();
  for (const { name, cases } of suites) {
    const suite = report.testSuite().name(plain(name));
    for (const { className, name: title, file, seconds, failure, output, skipped } of cases) {
      const made = suite.testCase().className(plain(className)).name(plain(title));
      if (file !== undefined) made.file(plain(file));
      if (seconds !== undefined) made.time(seconds);
      if (failure !== undefined) made.failure(plain(failure.text), failure.type);
      if (output !== undefined) made.standardOutput(plain(output));
      if (skipped) made.skipped();
    }
  }
  return `${report.build()}\n`;
}

/** A text on one line; in CDATA, which has no entities, an escape has to break a CI command. */
function plain(text: string): string {
  return withoutCommands(visible(text));
}

/** A breach of a rule, in a report of SARIF or Code Quality. */
export interface SarifFinding {
  readonly rule: string;
  readonly severity: Finding["severity"];
  readonly text: string;
  /** The file that it is about, where a report is about several. */
  readonly place?: string;
  /** The place in the file, counted from 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

/**
 * SARIF 2.1.0, which code scanning of GitHub and others read.
 * @param place the file that the findings are about, as the reader of the report finds it; for what
 *   is at the service a path that says what it is. GitHub refuses a finding without one.
 */
export async function sarifJson(
  rules: readonly RuleFacts[],
  findings: readonly SarifFinding[],
  place = "",
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
  for (const { rule, severity, text, place: own = place, line, column } of findings) {
    const found = new SarifResultBuilder();
    found.setRuleId(rule);
    found.setLevel(severity);
    found.setMessageText(visible(text));
    found.setLocationArtifactUri({ uri: uriOf(own) });
    // A finding about the command line, or the service, has no line; readers want one.
    found.setLocationRegion({ startLine: line ?? 1, startColumn: column ?? 1 });
    run.addResult(found);
  }
  const log = new SarifBuilder();
  log.addRun(run);
  return `${safeJson(log.buildSarifJsonString({ indent: true }))}\n`;
}

/** GitLab's Code Quality report, which a merge request shows beside what it changes. */
export function codeQualityJson(findings: readonly SarifFinding[]): string {
  const issues = findings.map(({ rule, severity, text, place = "", line = 1 }) => ({
    description: visible(text),
    check_name: rule,
    // By it GitLab knows a finding of another run again.
    fingerprint: createHash("sha256")
      .update(JSON.stringify([place, rule, text]))
      .digest("hex"),
    severity: severity === "error" ? "major" : "minor",
    location: { path: place, lines: { begin: line } },
  }));
  return `${safeJson(JSON.stringify(issues, undefined, 2))}\n`;
}

function uriOf(path: string): string {
  const uri = path.split("/").map(encodeURIComponent).join("/");
  return isAbsolute(path) ? `file://${uri}` : uri;
}
