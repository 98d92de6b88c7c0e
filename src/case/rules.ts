import { counted, numberText } from "../values/counted.ts";
import { durationText } from "../values/time.ts";
import type { RuleName } from "./case-schema.ts";
import { activeReads, type Facts, fails, isFailing, strangeStates } from "./facts.ts";
import {
  checkStatus,
  isMany,
  lacksScope,
  lostReads,
  missingDestinations,
  ofMany,
  othersFailing,
  providerOf,
  type Rule,
  rule,
} from "./rule.ts";
import { excerpt, millisecondsBetween, quotedList } from "./words.ts";

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
    says: ({ record, cohort: { provider, integrationsAlike } }) =>
      `${provider.alike} of ${counted(provider.total, `${record.provider ?? "provider"} installation`)} are reported as failing similarly, in ${integrationsAlike} integrations`,
    turn: (facts) => ofMany(facts)?.[0] ?? "provider",
    advice: (facts) => ofMany(facts)?.[1] ?? checkStatus(facts),
    outranks: ["integration-wide", ...CAUSES],
  }),
  "integration-wide": rule(["cohort"], {
    when: (facts) => fails(facts) && isMany(facts.cohort.integration),
    says: ({ cohort: { integration } }) =>
      `${integration.alike} of ${counted(integration.total, "installation")} of this integration are reported as failing similarly`,
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
      return `reads deliver to ${quotedList(names)}, ${are}`;
    },
    turn: "builder",
    advice: (facts) =>
      `create ${quotedList(missingDestinations(facts))}, or choose another destination in the configuration`,
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
      const names = quotedList(paused.map(({ object }) => object));
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
      const of = quotedList(late.map(({ object }) => object));
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
      return logs?.worst ? `the log says "${excerpt(logs.worst.text)}"; ${alone}` : alone;
    },
    turn: "builder",
    advice: () => "compare it with an installation that works",
  }),
  "nobody-notified": rule(["notifications"], {
    when: ({ notifications }) =>
      notifications.length > 0 &&
      notifications.every(({ destinations }) => destinations.length === 0),
    says: ({ notifications }) =>
      `no destination receives ${notifications.map(({ event }) => event).join(" or ")}`,
    turn: "builder",
    advice: () => "route the event to a destination",
  }),
  "others-failing": rule(["cohort"], {
    when: (facts) => !fails(facts) && othersFailing(facts) !== undefined,
    says: (facts) => `at least half of the other ${othersFailing(facts)} are reported as failing`,
    turn: "provider",
    advice: checkStatus,
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
