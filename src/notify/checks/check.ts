import type { CheckFinding, CheckResult } from "../../documents/notify.ts";
import { countFindings, type RuleChoice } from "../../reports/reports.ts";
import { handleSignals } from "../../runtime/end-process.ts";
import { defined } from "../../values/json.ts";

import { routingErrors } from "../errors.ts";
import type { ReadRouting } from "../file/read.ts";
import { graphOf } from "../graph/graph.ts";
import { type LoadedGraph, partsOfModel } from "../graph/load.ts";
import {
  chosenRoutingRules,
  type RoutingFacts,
  type RoutingRuleFacts,
  type RuleId,
  ruleOf,
} from "./rules.ts";

interface CheckInput extends RuleChoice<RuleId> {
  /** The event types that must reach a destination, beyond those of the file. */
  readonly require: readonly string[];
  /** The reads of customers, or why they are not known. */
  readonly reads?: RoutingFacts["reads"] | string;
}

/**
 * Checks a routing by its rules and those of its file.
 * @throws {unknown} the reason of the signal, once it is aborted
 */
export async function checkRouting(
  loaded: LoadedGraph,
  input: CheckInput,
  signal?: AbortSignal,
): Promise<CheckResult> {
  const { graph, source, content, listedNames } = loaded;
  const { reads } = input;
  const own = content?.rules ?? { require: [], forbid: [] };
  const facts: RoutingFacts = {
    graph,
    ...own,
    alsoRequire: input.require,
    ...defined({ listedNames, declared: content?.model.destinations }),
    ...(reads === undefined || typeof reads === "string" ? {} : { reads }),
  };
  const chosen = chosenRoutingRules(input);
  const isChecked = ({ id }: RoutingRuleFacts) =>
    ruleOf(id).reads !== "needed" || facts.reads !== undefined;
  const rules = chosen.filter(isChecked);
  const findings: CheckFinding[] = [];
  for (const { id } of rules) {
    findings.push(...findingsOf([id], facts, content?.positionOf));
    await handleSignals(signal);
  }
  findings.sort(inFile);
  // A rule may find what the reader of the file warns of.
  const places = new Set(findings.map(({ line, column }) => `${line}:${column}`));
  const isNew = (warning: string) => {
    const place = /^:(\d+:\d+):/u.exec(warning.slice(source.file?.length))?.[1];
    return place === undefined || !places.has(place);
  };
  const why = typeof reads === "string" ? reads : "a file does not contain the reads of customers";
  return {
    ...source,
    ...countFindings(findings),
    findings,
    rules,
    unchecked: chosen.flatMap((one) => (isChecked(one) ? [] : { rule: one.id, reason: why })),
    ...(content && {
      fileWarnings: content.warnings.filter(isNew),
      unavailableSecrets: content.unavailableSecrets,
    }),
  };
}

function findingsOf(
  ids: readonly RuleId[],
  facts: RoutingFacts,
  positionOf: ReadRouting["positionOf"] | undefined,
): CheckFinding[] {
  return ids.flatMap((rule) => {
    const { severity, remedy, breaches } = ruleOf(rule);
    return breaches(facts).map(({ part, message, ...about }): CheckFinding => {
      const place = part === undefined ? {} : (positionOf?.(part) ?? {});
      return { rule, severity, message, remedy, ...about, ...place };
    });
  });
}

function inFile(a: CheckFinding, b: CheckFinding): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/**
 * Checks the rules that a routing file has for itself, before anything is planned or sent.
 * @param path of the file, for the message
 * @throws {ResultError} where its own `require` or `forbid` does not hold
 */
export function assertFileRules({ model, rules, positionOf }: ReadRouting, path: string): void {
  if (rules.require.length + rules.forbid.length === 0) return;
  const facts = { graph: graphOf(partsOfModel(model)), ...rules };
  const problems = findingsOf(["required-event", "forbidden-route"], facts, positionOf).sort(
    inFile,
  );
  const [first] = problems;
  if (first === undefined) return;
  const lines = problems.map(
    ({ line, column, message, rule }) => `${path}:${line}:${column}: ${message} (${rule})`,
  );
  const places = problems.map(({ line, column, message }) => ({ line, column, message }));
  throw routingErrors.own_rules_broken(path, lines, first.remedy, places);
}
