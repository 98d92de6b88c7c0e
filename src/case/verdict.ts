import {
  type FactPart,
  type Facts,
  isFailing,
  type ListedFact,
  listedFacts,
  type ToldFact,
} from "./facts.ts";
import { RULE_NAMES, type RuleName, type Turn } from "./rule.ts";
import { RULES } from "./rules.ts";
import { momentText, sinceText } from "./words.ts";

/** Why a part of the facts is not known, in words that follow "not available: ". */
export type Missing = Readonly<Partial<Record<FactPart, string>>>;

/** A rule, and whether it holds; `null`: it could not be judged. */
export interface JudgedRule {
  readonly rule: RuleName;
  readonly holds: boolean | null;
  /** What it says, where it holds. */
  readonly says?: string;
  /** What it needs and nobody told, where it could not be judged. */
  readonly needs?: readonly string[];
}

/** What a case means. */
export interface Verdict {
  /** The rule of the verdict; `unexplained` where none holds. */
  readonly rule: RuleName | "unexplained";
  /** The verdict as a sentence. */
  readonly headline: string;
  readonly says: string;
  readonly turn: Turn;
  readonly advice: string;
  readonly also: readonly { readonly rule: RuleName; readonly says: string }[];
  readonly rules: readonly JudgedRule[];
  readonly facts: readonly ListedFact[];
  readonly told?: readonly ToldFact[];
}

/** The rule that is never the verdict: who hears of a failure is not its cause. */
const EFFECT: RuleName = "nobody-notified";

const TURN_OF_UNEXPLAINED = {
  turn: "platform",
  advice: "ask the support of the platform, with the ID of the installation",
} as const;

/** Judges facts by every rule: the highest that holds, and that no other explains, is the verdict. */
export function judge(facts: Facts, missing: Missing, now: Date): Verdict {
  const rules = RULE_NAMES.map((name) => judgeRule(name, facts, missing));
  const holding = rules.filter(({ holds }) => holds).map(({ rule }) => rule);
  const explained = new Set(holding.flatMap((name) => RULES[name].outranks ?? []));
  const first = holding.find((name) => !explained.has(name) && name !== EFFECT);
  const chosen = first === undefined ? undefined : RULES[first];
  const says = chosen?.says(facts) ?? unexplained(facts);
  return {
    rule: first ?? "unexplained",
    headline: headline(facts, says, now),
    says,
    turn: chosen?.turn(facts) ?? TURN_OF_UNEXPLAINED.turn,
    advice: chosen?.advice(facts) ?? TURN_OF_UNEXPLAINED.advice,
    also: holding
      // Of a healthy record nothing is wrong, but for what the verdict says.
      .filter((name) => name !== first && name !== "healthy")
      .map((name) => ({ rule: name, says: RULES[name].says(facts) })),
    rules,
    facts: listedFacts(facts, missing),
    ...(facts.told === undefined ? {} : { told: facts.told }),
  };
}

function unexplained({ operations, logs }: Facts): string {
  const failed = operations?.lastFailed?.id ?? logs?.worst?.operation;
  return failed === undefined
    ? "nothing that the service tells says why"
    : `${failed} failed, and nothing that the service tells says why`;
}

function judgeRule(name: RuleName, facts: Facts, missing: Missing): JudgedRule {
  const { needs, when, says } = RULES[name];
  const unknown = needs.filter((need) => facts[need] === undefined);
  if (unknown.length > 0) {
    return { rule: name, holds: null, needs: unknown.map((need) => missing[need] ?? `no ${need}`) };
  }
  return when(facts)
    ? { rule: name, holds: true, says: says(facts) }
    : { rule: name, holds: false };
}

const ACTIONS: Readonly<Record<string, string>> = {
  read: "Reads",
  write: "Writes",
  subscribe: "Subscriptions",
};

function headline({ record, operations }: Facts, says: string, now: Date): string {
  const { failed = 0, since, isCut, action = "" } = operations ?? {};
  if (failed === 0 || since === undefined) {
    const fails = isFailing(record) && failed === 0 && !operations?.hasRecovered;
    return fails ? `It fails: ${says}` : `${says[0]?.toUpperCase() ?? ""}${says.slice(1)}`;
  }
  const span = sinceText(since, now);
  const what = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : "Operations";
  const from = `${isCut ? "at least since" : "since"} ${momentText(since, now)}`;
  return `${what} fail ${from}${span === undefined ? "" : ` (${span})`}: ${says}`;
}
