import type { FactPart, Facts } from "./facts.ts";

/** Who has to do something next. */
export type Turn = "customer" | "builder" | "provider" | "platform" | "nobody";

/** The names of the rules, the highest first. */
export const RULE_NAMES = [
  "provider-wide",
  "integration-wide",
  "credentials-refused",
  "permission-or-field",
  "recovering",
  "retrying",
  "stuck",
  "rate-limited",
  "destination-missing",
  "config-just-changed",
  "provider-unavailable",
  "paused",
  "schedule-never",
  "not-running",
  "reads-nothing",
  "never-used",
  "only-them",
  "nobody-notified",
  "others-failing",
  "healthy",
] as const;

/** The name of a rule. */
export type RuleName = (typeof RULE_NAMES)[number];

/** A rule: what it needs to know, when it holds, and what it then means. */
export interface Rule {
  readonly needs: readonly FactPart[];
  // Methods, because a rule is called only with facts that have what it needs.
  when(facts: Facts): boolean;
  /** The reason in words, the end of the sentence "Reads fail since 9:15: …". */
  says(facts: Facts): string;
  turn(facts: Facts): Turn;
  /** The action for whoever must act, as the end of "the customer: …". */
  advice(facts: Facts): string;
  /** Whether it can be why an installation fails that fails; else it is only mentioned then. */
  explains(facts: Facts): boolean;
  /** Whether it says what is, and not why something fails: a sentence of its own. */
  readonly isState?: true;
  /** The rules that it explains: they are mentioned, and never the verdict. */
  readonly outranks?: readonly RuleName[];
}

type Knowing<Of extends FactPart> = Facts & Required<Pick<Facts, Of>>;

/** A rule whose functions see the facts that it needs as present. */
export function rule<const Of extends FactPart>(
  needs: readonly Of[],
  functions: {
    readonly when: (facts: Knowing<Of>) => boolean;
    readonly says: (facts: Knowing<Of>) => string;
    readonly turn: Turn | ((facts: Knowing<Of>) => Turn);
    readonly advice: (facts: Knowing<Of>) => string;
    readonly explains?: (facts: Knowing<Of>) => boolean;
    readonly isState?: true;
    readonly outranks?: readonly RuleName[];
  },
): Rule {
  const { turn, explains = () => true, ...others } = functions;
  return { needs, explains, ...others, turn: typeof turn === "function" ? turn : () => turn };
}
