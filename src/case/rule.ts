import type { RuleName, Turn } from "./case-schema.ts";
import type { Tally } from "./cohort.ts";
import { activeReads, type FactPart, type Facts, type ReadFact } from "./facts.ts";
import type { LogKind } from "./log-facts.ts";

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

/** The failures of several installations that are more than a coincidence. */
const MANY = 3;

/**
 * Who has to act, and how, where the log of one of many that fail names the cause; undefined: it
 * does not.
 */
export function ofMany(facts: Facts): readonly [Turn, string] | undefined {
  const refused = facts.record.connection === "bad_credentials" ? "credentials" : undefined;
  const kind = facts.logs?.match?.kind ?? refused;
  const answers: Readonly<Record<LogKind, readonly [Turn, string]>> = {
    credentials: [
      "builder",
      "check the provider app: its client secret or scopes may have changed",
    ],
    permission: ["builder", "check the scopes of the provider app"],
    field: ["builder", "check the fields that the integration reads"],
    rate: ["builder", "spread out the schedules, or ask the provider for a higher limit"],
    unavailable: ["provider", checkStatus(facts)],
  };
  return kind && answers[kind];
}

/** The advice for a provider that fails. */
export function checkStatus({ record }: Facts): string {
  return `check the status page of ${record.provider ?? "the provider"}`;
}

/** The provider by its name, where it is known. */
export function providerOf({ provider }: Facts["record"]): string {
  return provider ?? "the provider";
}

/** Whether access was refused for a scope, which is the provider app's and not the user's. */
export function lacksScope(
  match: { readonly kind: LogKind; readonly text: string } | undefined,
): boolean {
  return match?.kind === "permission" && /scope/iu.test(match.text);
}

/** Whether a failure of several installations is more than a coincidence. */
export function isMany({ alike, total }: Pick<Tally, "alike" | "total">): boolean {
  return alike >= MANY && alike * 2 >= total;
}

/**
 * The installations most of which are reported as failing beside one that is not: "stripe
 * installations".
 */
export function othersFailing({ cohort, record }: Facts): string | undefined {
  const fail = ({ failing, total }: Tally) => isMany({ alike: failing, total: total - 1 });
  if (cohort === undefined) return undefined;
  if (fail(cohort.provider)) return `${record.provider ?? "provider"} installations`;
  return fail(cohort.integration) ? "installations of this integration" : undefined;
}

/** The active reads that deliver to a destination which does not exist. */
export function lostReads({ record, destinations }: Facts): readonly ReadFact[] {
  return activeReads(record).filter(
    ({ destination }) => destination !== undefined && !destinations?.has(destination),
  );
}

/** The names of these destinations, each once. */
export function missingDestinations(facts: Facts): string[] {
  return [...new Set(lostReads(facts).flatMap(({ destination }) => destination ?? []))];
}
