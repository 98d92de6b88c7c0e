import type { JunitCase } from "./junit.ts";

/** How much a finding matters: an error fails the check, a warning only with `--strict`. */
export type Severity = "error" | "warning";

/** The words of a rule, which its table has beside its work. */
export interface RuleWords {
  readonly severity: Severity;
  /** Requirement, without a full stop. */
  readonly title: string;
  /** The advice for a breach. */
  readonly remedy: string;
}

/** A rule as people and programs read it. */
export interface RuleFacts<Id extends string = string> extends RuleWords {
  readonly id: Id;
}

/** A breach of a rule. */
export interface RuleFinding<Id extends string = string> {
  readonly rule: Id;
  readonly severity: Severity;
  readonly message: string;
  readonly remedy: string;
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
