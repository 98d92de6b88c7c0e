import { type CaseSummary, RULE_NAMES, type RuleName } from "./case-schema.ts";
import { type FactPart, type Facts, fails, listedFacts, strangeStates } from "./facts.ts";
import { CASE_RULES } from "./rules.ts";
import { quotedList, shortTimeText, sinceText } from "./words.ts";

/** Why a part of the facts is not known, in words that follow "not available: ". */
export type Missing = Readonly<Partial<Record<FactPart, string>>>;

/** The verdict of a case. */
type Verdict = Pick<
  CaseSummary,
  "rule" | "headline" | "says" | "turn" | "advice" | "also" | "rules" | "facts" | "notifications"
>;

/** The rules that are never the verdict: who hears of a failure, and that others fail. */
const ASIDES: ReadonlySet<RuleName> = new Set(["nobody-notified", "others-failing"]);

/** Judges facts by every rule: the highest that holds, and that no other explains, is the verdict. */
export function judgeFacts(facts: Facts, missing: Missing, now: Date): Verdict {
  const rules = RULE_NAMES.map((name) => judgeRule(name, facts, missing));
  const holding = rules.filter(({ holds }) => holds).map(({ rule }) => rule);
  const explained = new Set(holding.flatMap((name) => CASE_RULES[name].outranks ?? []));
  const isFault = fails(facts);
  const first = holding.find(
    (name) =>
      !explained.has(name) && !ASIDES.has(name) && (!isFault || CASE_RULES[name].explains(facts)),
  );
  const chosen = first === undefined ? undefined : CASE_RULES[first];
  const says = chosen?.says(facts) ?? unexplained(facts);
  return {
    rule: first ?? "unexplained",
    headline: headline(facts, says, now, chosen?.isState),
    says,
    turn: chosen?.turn(facts) ?? "platform",
    advice: chosen?.advice(facts) ?? adviceOfUnexplained(facts),
    also: holding
      // A healthy record has no fault beyond that of the verdict.
      .filter((name) => name !== first && name !== "healthy")
      .map((name) => ({ rule: name, says: CASE_RULES[name].says(facts) })),
    rules,
    facts: listedFacts(facts, missing),
    ...(facts.notifications === undefined ? {} : { notifications: facts.notifications }),
  };
}

/** The facts of a failure that no rule explains; the service may contradict itself. */
function unexplained(facts: Facts): string {
  const { record, operations, logs } = facts;
  const failed = operations?.lastFailed?.id;
  if (failed !== undefined) {
    if (logs === undefined) return `${failed} failed, and its log is not available`;
    return logs.worst
      ? `the log has a cause that amp does not know`
      : `the log of ${failed} does not say why`;
  }
  if (!fails(facts))
    return `the service reports ${strangeStates(facts).join(", ")}, which amp does not know`;
  const reported = `the service reports ${record.health === "unhealthy" ? "it as unhealthy" : "a failed operation"}`;
  if (operations === undefined) return `${reported}, without a reason`;
  if (operations.lastSuccess !== undefined)
    return `${reported}, although its last operation succeeded`;
  return `${reported}, but no failed operation`;
}

function adviceOfUnexplained({ record, operations, logs }: Facts): string {
  const read = logs === undefined ? "" : "read the log, and ";
  return `${read}contact platform support with the ID ${operations?.lastFailed?.id ?? record.id}`;
}

function judgeRule(name: RuleName, facts: Facts, missing: Missing): CaseSummary["rules"][number] {
  const { needs, when, says } = CASE_RULES[name];
  const unknown = needs.filter((need) => facts[need] === undefined);
  if (unknown.length > 0) {
    return { rule: name, holds: null, needs: unknown.map((need) => missing[need] ?? `no ${need}`) };
  }
  return when(facts)
    ? { rule: name, holds: true, says: says(facts) }
    : { rule: name, holds: false };
}

const ACTIONS: Readonly<Record<string, { readonly one: string; readonly many: string }>> = {
  read: { one: "read", many: "Reads" },
  write: { one: "write", many: "Writes" },
  subscribe: { one: "subscription", many: "Subscriptions" },
};

function headline(facts: Facts, says: string, now: Date, isState = false): string {
  const { failed = 0, since, isCut, action = "", objects = [] } = facts.operations ?? {};
  const sentence = `${says[0]?.toUpperCase() ?? ""}${says.slice(1)}`;
  if (failed === 0) return sentence;
  const kind = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  const of = objects.length > 0 ? ` of ${quotedList(objects)}` : "";
  const many = `${kind?.many ?? "Operations"}${of}`;
  if (since === undefined) return isState ? sentence : `${many} fail: ${says}`;
  const span = sinceText(since, now);
  const ago = (text: string) => (span === undefined ? "" : ` (${span}${text})`);
  const at = shortTimeText(since, now);
  const from = `${isCut ? "at least since" : "since"} ${at}${ago("")}`;
  if (isState) return `${sentence}; ${many[0]?.toLowerCase()}${many.slice(1)} failed ${from}`;
  return failed === 1 && !isCut
    ? `The last ${kind?.one ?? "operation"}${of} failed, ${at}${ago(" ago")}: ${says}`
    : `${many} fail ${from}: ${says}`;
}
