import { durationText } from "../values/duration.ts";
import { activeReads, type Facts, isFailing } from "./facts.ts";
import { type Rule, type RuleName, rule } from "./rule.ts";
import { countOf, millisecondsBetween, quotedList } from "./words.ts";

/** The failures of several installations that are more than a coincidence. */
const MANY = 3;
/** The time after a change of the config within which a first failure is taken for its effect. */
const CHANGE_MS = 3_600_000;

/** The causes that a failure of many explains. */
const CAUSES = [
  "credentials-refused",
  "permission-or-field",
  "rate-limited",
  "config-just-changed",
] as const satisfies readonly RuleName[];

/** The rules of the verdict. The names stand in their order in `RULE_NAMES`. */
export const RULES: Readonly<Record<RuleName, Rule>> = {
  "provider-wide": rule(["cohort"], {
    when: (facts) =>
      fails(facts) && isMany(facts.cohort.provider) && facts.cohort.integrationsAlike >= 2,
    says: ({ record, cohort: { provider, integrationsAlike } }) =>
      `${provider.alike} of ${countOf(provider.total, `${record.provider ?? "provider"} installation`)} fail with the same status, in ${integrationsAlike} integrations`,
    turn: "provider",
    advice: ({ record }) => `check the status page of ${record.provider ?? "the provider"}`,
    outranks: ["integration-wide", ...CAUSES],
  }),
  "integration-wide": rule(["cohort"], {
    when: (facts) => fails(facts) && isMany(facts.cohort.integration),
    says: ({ cohort: { integration } }) =>
      `${integration.alike} of ${countOf(integration.total, "installation")} of this integration fail with the same status`,
    turn: "builder",
    advice: () => "check the last revision of the integration and its provider app",
    outranks: CAUSES,
  }),
  "credentials-refused": rule([], {
    when: (facts) =>
      facts.record.connection === "bad_credentials" ||
      (fails(facts) && facts.logs?.match?.kind === "credentials"),
    says: ({ record }) => `${record.provider ?? "the provider"} refuses the credentials`,
    turn: "customer",
    advice: ({ record }) => `connect again to ${record.provider ?? "the provider"}`,
    outranks: ["config-just-changed"],
  }),
  "permission-or-field": rule(["logs"], {
    when: (facts) => fails(facts) && ["field", "permission"].includes(facts.logs.match?.kind ?? ""),
    says: ({ logs: { match } }) =>
      match?.kind === "field" ? "the provider refuses a field" : "the provider refuses access",
    turn: "customer",
    advice: ({ logs: { match } }) =>
      `give the connected user ${match?.subject ? `access to "${match.subject}"` : "the permission that the log asks for"}`,
    outranks: ["config-just-changed"],
  }),
  recovering: rule(["operations"], {
    when: (facts) => isFailing(facts.record) && facts.operations.hasRecovered,
    says: ({ operations }) =>
      `operations succeed again, after ${countOf(operations.failedBefore, "failure")}`,
    turn: "nobody",
    advice: () => "wait for the next operations",
  }),
  retrying: rule(["operations"], {
    when: (facts) => fails(facts) && facts.operations.isRetrying,
    says: ({ operations: { attempts } }) =>
      `the platform tries again${attempts === undefined ? "" : ` (attempt ${attempts})`}`,
    turn: "nobody",
    advice: () => "wait for the result of the next attempt",
    outranks: ["rate-limited"],
  }),
  stuck: rule(["reading"], {
    when: ({ reading }) => reading.isStill,
    says: ({ reading }) => `it ${reading.text}`,
    turn: "platform",
    advice: ({ reading: { operation }, record }) =>
      `ask the support of the platform, with the ID ${operation ?? record.id}`,
  }),
  "rate-limited": rule(["logs"], {
    when: (facts) => fails(facts) && facts.logs.match?.kind === "rate",
    says: ({ record }) => `${record.provider ?? "the provider"} limits the rate of requests`,
    turn: "builder",
    advice: () => "spread the schedules, or ask the provider for a higher limit",
  }),
  "destination-missing": rule(["destinations"], {
    when: (facts) => missingDestinations(facts).length > 0,
    says: (facts) => {
      const names = missingDestinations(facts);
      const are = names.length === 1 ? "which does not exist" : "which do not exist";
      return `reads deliver to ${quotedList(names)}, ${are}`;
    },
    turn: "builder",
    advice: (facts) =>
      `create ${quotedList(missingDestinations(facts))}, or name another destination in the configuration`,
    outranks: ["config-just-changed"],
  }),
  "config-just-changed": rule(["operations"], {
    when: ({ record, operations }) => msAfterChange({ record, operations }) !== undefined,
    says: (facts) =>
      `the configuration was changed ${durationText(msAfterChange(facts) ?? 0)} before the first failure`,
    turn: ({ record }) => (record.changedBy?.startsWith("builder:") ? "builder" : "customer"),
    advice: () => "review what was changed, and take it back if it is the cause",
  }),
  paused: rule([], {
    when: ({ record }) => record.reads.some(({ isPaused }) => isPaused),
    says: ({ record: { reads } }) => {
      const paused = reads.filter(({ isPaused }) => isPaused);
      const names = quotedList(paused.map(({ object }) => object));
      return paused.length === reads.length
        ? `all reads are paused: ${names}`
        : `reading ${names} is paused`;
    },
    turn: "builder",
    advice: () => "resume the reads when the reason for the pause is gone",
  }),
  "schedule-never": rule(["idle"], {
    when: ({ idle }) => idle.length > 0,
    says: ({ idle: [first] }) =>
      `the schedule of ${JSON.stringify(first?.object)} never comes: ${first?.schedule}`,
    turn: "builder",
    advice: () => "correct the schedule in the configuration",
  }),
  "reads-nothing": rule([], {
    when: ({ record: { reads, others } }) => reads.length === 0 && others.length === 0,
    says: () => "the configuration reads, writes and subscribes to nothing",
    turn: "customer",
    advice: () => "choose what is to be synchronised",
  }),
  "never-used": rule([], {
    when: ({ record, operations }) =>
      record.lastOperation === undefined &&
      record.connection === "created" &&
      (operations?.read ?? 0) === 0,
    says: () => "nothing has run since it was connected",
    turn: "nobody",
    advice: () => "wait for the first scheduled operation",
  }),
  "only-them": rule(["cohort"], {
    when: (facts) => {
      const { total, failing, fine } = facts.cohort.integration;
      return isFailing(facts.record) && total > MANY && failing === 1 && fine === total - 1;
    },
    says: ({ cohort: { integration } }) =>
      `1 of ${integration.total} installations of this integration fails; the other ${integration.fine} are fine`,
    turn: "builder",
    advice: () => "compare it with an installation that works",
  }),
  "nobody-notified": rule(["told"], {
    when: ({ told }) =>
      told.length > 0 && told.every(({ destinations }) => destinations.length === 0),
    says: ({ told }) => `no destination gets ${told.map(({ event }) => event).join(" or ")}`,
    turn: "builder",
    advice: () => "route the event to a destination",
  }),
  healthy: rule([], {
    when: (facts) => facts.record.health === "healthy" && !fails(facts),
    says: ({ reading }) =>
      `nothing is wrong, as far as the service tells${reading ? `; it ${reading.text}` : ""}`,
    turn: "nobody",
    advice: ({ reading }) => (reading ? "wait for the end of the read" : "nothing to do"),
  }),
};

/** Whether an installation fails, by its record or by its operations, which are newer. */
function fails({ record, operations }: Facts): boolean {
  return isFailing(record) || (operations?.failed ?? 0) > 0;
}

function isMany({ alike, total }: { readonly alike: number; readonly total: number }): boolean {
  return alike >= MANY && alike * 2 >= total;
}

/** The time from the last change of the config to the first failure, where one may cause the other. */
function msAfterChange({ record, operations }: Pick<Facts, "record" | "operations">) {
  const ms = millisecondsBetween(record.changed, operations?.since);
  return ms !== undefined && ms >= 0 && ms <= CHANGE_MS ? ms : undefined;
}

/** The destinations that active reads name and that do not exist. */
function missingDestinations({ record, destinations }: Facts): string[] {
  const names = activeReads(record).flatMap(({ destination }) => destination ?? []);
  return [...new Set(names)].filter((name) => !destinations?.has(name));
}
