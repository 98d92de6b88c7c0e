import { type CaseSummary, RULE_NAMES, type RuleName, type Turn } from "../documents/case.ts";
import { counted, numberText, quotedNames } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { durationText, millisecondsBetween } from "../values/time.ts";
import {
  activeReads,
  type FactPart,
  type Facts,
  fails,
  isFailing,
  listedFacts,
  type Missing,
  type ReadFact,
  strangeStates,
} from "./facts.ts";
import type { LogKind } from "./log-facts.ts";
import { alikeText, headlineText, quoteText } from "./prose.ts";
import type { Tally } from "./target.ts";

/** A rule: what it needs to know, when it holds, and what it then means. */
interface Rule {
  readonly needs: readonly FactPart[];
  // Methods, because a rule is called only with facts that have what it needs.
  when(facts: Facts): boolean;
  /** The reason in words, the end of the sentence "Reads have failed since 9:15: …". */
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
function rule<const Of extends FactPart>(
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
function ofMany(facts: Facts): readonly [Turn, string] | undefined {
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

function checkStatus({ record }: Facts): string {
  return `check the status page of ${record.provider ?? "the provider"}`;
}

function providerOf({ provider }: Facts["record"]): string {
  return provider ?? "the provider";
}

/** Whether access was refused for a scope, which is the provider app's and not the user's. */
function lacksScope(match: { readonly kind: LogKind; readonly text: string } | undefined): boolean {
  return match?.kind === "permission" && /scope/iu.test(match.text);
}

/** Whether a failure of several installations is more than a coincidence. */
function isMany({ alike, total }: Pick<Tally, "alike" | "total">): boolean {
  return alike >= MANY && alike * 2 >= total;
}

/** The active reads that deliver to a destination which does not exist. */
function lostReads({ record, destinations }: Facts): readonly ReadFact[] {
  return activeReads(record).filter(
    ({ destination }) => destination !== undefined && !destinations?.has(destination),
  );
}

function missingDestinations(facts: Facts): string[] {
  return [...new Set(lostReads(facts).flatMap(({ destination }) => destination ?? []))];
}

/** The time after a change of the config within which a first failure is taken for its effect. */
const CHANGE_MS = 3_600_000;

/** The causes that a failure of many explains. */
const CAUSES = [
  "credentials-refused",
  "permission-or-field",
  "rate-limited",
  "config-just-changed",
  "provider-unavailable",
] as const satisfies readonly RuleName[];

/** The rules of the verdict. `RULE_NAMES` has their order. */
export const CASE_RULES: Readonly<Record<RuleName, Rule>> = {
  "provider-wide": rule(["cohort"], {
    when: (facts) =>
      fails(facts) && isMany(facts.cohort.provider) && facts.cohort.integrationsAlike >= 2,
    says: ({ record, cohort, cohort: { provider, integrationsAlike } }) =>
      `${provider.alike} of ${counted(provider.total, `${record.provider ?? "provider"} installation`)} in ${integrationsAlike} integrations fail ${alikeText(cohort)}`,
    turn: (facts) => ofMany(facts)?.[0] ?? "provider",
    advice: (facts) => ofMany(facts)?.[1] ?? checkStatus(facts),
    outranks: ["integration-wide", ...CAUSES],
  }),
  "integration-wide": rule(["cohort"], {
    when: (facts) => fails(facts) && isMany(facts.cohort.integration),
    says: ({ cohort, cohort: { integration } }) =>
      `${integration.alike} of ${counted(integration.total, "installation")} of this integration fail ${alikeText(cohort)}`,
    turn: (facts) => ofMany(facts)?.[0] ?? "builder",
    advice: (facts) =>
      ofMany(facts)?.[1] ?? "check the latest revision of the integration and its provider app",
    outranks: CAUSES,
  }),
  "credentials-refused": rule([], {
    when: (facts) =>
      facts.record.connection === "bad_credentials" ||
      (fails(facts) && facts.logs?.match?.kind === "credentials"),
    says: ({ record }) => `${providerOf(record)} rejects the credentials`,
    turn: "customer",
    advice: ({ record }) => `reconnect to ${providerOf(record)}`,
    outranks: ["config-just-changed"],
  }),
  "permission-or-field": rule(["logs"], {
    when: (facts) => fails(facts) && ["field", "permission"].includes(facts.logs.match?.kind ?? ""),
    says: ({ logs: { match } }) => {
      if (match?.kind === "field") return "the provider refuses a field";
      return `the provider refuses access${lacksScope(match) ? ": a scope is missing" : ""}`;
    },
    turn: ({ logs: { match } }) => (lacksScope(match) ? "builder" : "customer"),
    advice: ({ logs: { match } }) => {
      const name = match?.subject && JSON.stringify(match.subject);
      if (lacksScope(match)) {
        return `add the scope${name ? ` ${name}` : ""} to the provider app, then ask the customer to reconnect`;
      }
      if (match?.kind === "field") {
        return `grant the connected user access to ${name ?? "the field"}, or stop reading it if it no longer exists`;
      }
      return `grant the connected user ${name ? `access to ${name}` : "the permission that the log mentions"}`;
    },
    outranks: ["config-just-changed"],
  }),
  recovering: rule(["operations"], {
    when: (facts) => isFailing(facts.record) && facts.operations.recovered !== undefined,
    says: ({ operations }) =>
      `operations are succeeding again, after ${operations.recovered?.isCut ? "at least " : ""}${counted(operations.recovered?.failed ?? 0, "failure")}`,
    turn: "nobody",
    advice: () => "wait for the next operations",
  }),
  retrying: rule(["operations"], {
    when: (facts) => fails(facts) && facts.operations.isRetrying,
    says: ({ operations: { attempts } }) =>
      attempts === undefined
        ? "the next attempt is running"
        : `the platform is retrying (attempt ${attempts})`,
    turn: "nobody",
    advice: () => "wait for the result of the next attempt",
    outranks: ["rate-limited", "provider-unavailable"],
  }),
  stuck: rule(["reading"], {
    when: ({ reading }) => reading.isStill,
    says: ({ reading }) => `it ${reading.text}`,
    turn: "platform",
    advice: ({ reading: { operation }, record }) =>
      `contact platform support with the ID ${operation ?? record.id}`,
    isState: true,
  }),
  "rate-limited": rule(["logs"], {
    when: (facts) => fails(facts) && facts.logs.match?.kind === "rate",
    says: ({ record }) => `${providerOf(record)} limits the rate of requests`,
    turn: "builder",
    advice: () => "spread out the schedules, or ask the provider for a higher limit",
  }),
  "destination-missing": rule(["destinations"], {
    when: (facts) => missingDestinations(facts).length > 0,
    says: (facts) => {
      const names = missingDestinations(facts);
      const are = names.length === 1 ? "which does not exist" : "which do not exist";
      return `reads deliver to ${quotedNames(names)}, ${are}`;
    },
    turn: "builder",
    advice: (facts) =>
      `create ${quotedNames(missingDestinations(facts))}, or choose another destination in the configuration`,
    // Each of several objects may fail for a different reason.
    explains: (facts) =>
      facts.operations?.objects === undefined ||
      lostReads(facts).some(({ object }) => facts.operations?.objects?.includes(object)),
    outranks: ["config-just-changed"],
  }),
  "config-just-changed": rule(["operations"], {
    when: ({ record, operations }) => msAfterChange({ record, operations }) !== undefined,
    says: (facts) =>
      `the configuration was changed ${durationText(msAfterChange(facts) ?? 0)} before the first failure`,
    turn: ({ record }) => (record.changedBy?.startsWith("builder:") ? "builder" : "customer"),
    advice: () => "review the change, and revert it if it is the cause",
    outranks: ["provider-unavailable"],
  }),
  "provider-unavailable": rule(["logs"], {
    when: (facts) => fails(facts) && facts.logs.match?.kind === "unavailable",
    says: ({ record }) => `${providerOf(record)} does not respond, or returns a server error`,
    turn: ({ operations }) => (operations?.failed === 1 ? "nobody" : "provider"),
    advice: (facts) =>
      facts.operations?.failed === 1 ? "wait for the next operation" : checkStatus(facts),
  }),
  paused: rule([], {
    when: ({ record }) => record.reads.some(({ isPaused }) => isPaused),
    says: ({ record: { reads } }) => {
      const paused = reads.filter(({ isPaused }) => isPaused);
      const names = quotedNames(paused.map(({ object }) => object));
      return paused.length === reads.length
        ? `all reads are paused: ${names}`
        : `reading ${names} is paused`;
    },
    turn: "builder",
    advice: () => "resume the reads when the reason for the pause is resolved",
    explains: ({ record }) => activeReads(record).length === 0,
    isState: true,
  }),
  "schedule-never": rule(["idle"], {
    when: ({ idle }) => idle.length > 0,
    says: ({ idle: [first] }) =>
      `the schedule of ${JSON.stringify(first?.object)} never occurs: ${first?.schedule}`,
    turn: "builder",
    advice: () => "correct the schedule in the configuration",
    explains: ({ idle, record, operations }) =>
      (operations?.failed ?? 0) === 0 && idle.length === activeReads(record).length,
    isState: true,
  }),
  "not-running": rule(["late"], {
    when: ({ late }) => late.length > 0,
    says: ({ late }) => {
      const [first] = late;
      const of = quotedNames(late.map(({ object }) => object));
      const since = first?.isFirst ? "since it was configured" : `for ${first?.ago ?? "a day"}`;
      return `no read of ${of} has run ${since}, although it was due`;
    },
    turn: "platform",
    advice: ({ record }) => `contact platform support with the ID ${record.id}`,
    explains: ({ operations }) => (operations?.failed ?? 0) === 0,
    outranks: ["never-used"],
    isState: true,
  }),
  "reads-nothing": rule([], {
    when: ({ record }) => record.isEmpty,
    says: () => "the configuration reads, writes and subscribes to nothing",
    turn: "customer",
    advice: () => "choose what to synchronise",
    isState: true,
  }),
  "never-used": rule([], {
    when: ({ record, operations }) =>
      record.lastOperation === undefined &&
      (operations ? operations.read === 0 && !operations.isCut : record.connection === "created"),
    says: ({ operations }) =>
      operations
        ? "nothing has run since the installation was connected"
        : "the service reports no operation since the installation was connected",
    turn: "nobody",
    advice: () => "wait for the first scheduled operation",
    isState: true,
  }),
  "only-them": rule(["cohort"], {
    when: (facts) => {
      const { total, failing, fine } = facts.cohort.integration;
      return isFailing(facts.record) && total >= 4 && failing === 1 && fine === total - 1;
    },
    says: ({ cohort: { integration }, logs }) => {
      const alone = `none of the ${numberText(integration.fine)} other installations of this integration is reported as failing`;
      return logs?.worst ? `the log says ${quoteText(logs.worst.text)}; ${alone}` : alone;
    },
    turn: ({ unread }) => (unread ? "unknown" : "builder"),
    advice: ({ unread }) => unread ?? "compare it with an installation that works",
  }),
  healthy: rule([], {
    when: (facts) => !fails(facts) && strangeStates(facts).length === 0,
    says: ({ reading, operations }) =>
      operations
        ? `no problem found in the data of the service${reading ? `; it ${reading.text}` : ""}`
        : "the record of the installation shows no problem; its operations are not available",
    turn: "nobody",
    advice: ({ reading }) => (reading ? "wait for the end of the read" : "nothing to do"),
  }),
};

/**
 * The time from the last change of the config to the first failure, where one may cause the other.
 */
function msAfterChange({ record, operations }: Pick<Facts, "record" | "operations">) {
  // A success after the change, or a failure before the operations read, has another cause.
  const worked = millisecondsBetween(record.changed, operations?.lastSuccess) ?? 0;
  const ms = millisecondsBetween(record.changed, operations?.since);
  const isCause = ms !== undefined && ms >= 0 && ms <= CHANGE_MS && worked <= 0;
  return isCause && !operations?.isCut ? ms : undefined;
}

/** The facts of a failure that no rule explains; the service may contradict itself. */
function unexplainedText(facts: Facts): string {
  const { record, operations, logs } = facts;
  const failed = operations?.lastFailed?.id;
  if (failed !== undefined) {
    if (logs === undefined) return `${failed} failed, and its log is not available`;
    if (logs.worst) return "the log has a cause that amp does not know";
    return `the log of ${failed} does not say why`;
  }
  if (!fails(facts)) {
    return `the service reports ${strangeStates(facts).join(", ")}, which amp does not know`;
  }
  const reported = record.health === "unhealthy" ? "it as unhealthy" : "a failed operation";
  const but =
    operations === undefined
      ? "and its operations are not available"
      : operations.lastSuccess === undefined
        ? "but no failed operation"
        : "although its last operation succeeded";
  return `the service reports ${reported}, ${but}`;
}

/** The verdict where no rule holds. */
const UNEXPLAINED: Pick<Rule, "says" | "turn" | "advice" | "isState"> = {
  says: unexplainedText,
  turn: ({ unread }) => (unread ? "unknown" : "platform"),
  advice: ({ record, operations, logs, unread }) =>
    unread ??
    `${logs === undefined ? "" : "read the log, and "}contact platform support with the ID ${operations?.lastFailed?.id ?? record.id}`,
};

/**
 * Judges facts by every rule: the highest that holds, and that no other explains, is the verdict.
 */
export function judgeFacts(facts: Facts, missing: Missing, now: Date) {
  const rules = RULE_NAMES.map((name) => judgeRule(name, facts, missing));
  const holding = rules.flatMap(({ rule: name, says }) =>
    says === undefined ? [] : [{ rule: name, says }],
  );
  const explained = new Set(holding.flatMap(({ rule: name }) => CASE_RULES[name].outranks ?? []));
  const isFault = fails(facts);
  const first = holding.find(
    ({ rule: name }) => !explained.has(name) && (!isFault || CASE_RULES[name].explains(facts)),
  );
  const chosen = first ? CASE_RULES[first.rule] : UNEXPLAINED;
  const says = chosen.says(facts);
  // Why this one fails comes before how many others do.
  const isWide = first?.rule === "provider-wide" || first?.rule === "integration-wide";
  // A change of the config is a coincidence there.
  const causes = CAUSES.filter((name) => isWide && name !== "config-just-changed");
  const cause = holding.find(({ rule: name }) => causes.some((one) => one === name));
  return {
    rule: first?.rule ?? ("unexplained" as const),
    headline: headlineText(facts, cause ? `${cause.says}; ${says}` : says, now, chosen.isState),
    says,
    turn: chosen.turn(facts),
    advice: chosen.advice(facts),
    // A healthy record has no fault beyond that of the verdict.
    also: holding.filter((one) => one !== first && one.rule !== "healthy"),
    rules,
    facts: listedFacts(facts, missing),
    ...defined({ notifications: facts.notifications }),
  };
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
