import type { OperationRecord } from "../api/schemas/operation.ts";
import { counted } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { durationText } from "../values/time.ts";
import { type CaseSummary, RULE_NAMES, type RuleName } from "./case-schema.ts";
import type { Cohort } from "./cohort.ts";
import {
  activeReads,
  type FactPart,
  type Facts,
  fails,
  listedFacts,
  strangeStates,
} from "./facts.ts";
import type { OperationFacts, Recovery, ResultFact } from "./operation-facts.ts";
import type { MissingEvidence } from "./recorder.ts";
import { CASE_RULES } from "./rules.ts";
import {
  DAY_MS,
  excerpt,
  millisecondsBetween,
  quotedList,
  shortTimeText,
  sinceText,
} from "./words.ts";

/** Why a part of the facts is not known, in words that follow "not available: ". */
export type Missing = Readonly<Partial<Record<FactPart, string>>>;

type Verdict = Pick<
  CaseSummary,
  "rule" | "headline" | "says" | "turn" | "advice" | "also" | "rules" | "facts" | "notifications"
>;

/** The rules that are never the verdict: who hears of a failure, and that others fail. */
const ASIDES: ReadonlySet<RuleName> = new Set(["nobody-notified", "others-failing"]);

/**
 * Judges facts by every rule: the highest that holds, and that no other explains, is the verdict.
 */
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
    ...defined({ notifications: facts.notifications }),
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

/** Judges facts, and gathers what supports the verdict. */
export function summariseCase(
  facts: Facts,
  missing: Missing,
  more: {
    readonly missingEvidence: readonly MissingEvidence[];
    readonly integration: string | undefined;
    readonly cohort: Cohort;
    readonly now: Date;
  },
): CaseSummary {
  const { record, operations, destinations } = facts;
  const { id, group } = record;
  const { integration, provider } = more.cohort;
  const names = new Set(activeReads(record).flatMap(({ destination }) => destination ?? []));
  return {
    installation: defined({ id, group, provider: record.provider, integration: more.integration }),
    ...judgeFacts(facts, missing, more.now),
    cohort: { integration, provider },
    ...(operations && { since: sinceOf(operations) }),
    evidence: evidenceOf(facts, more.now),
    delivers: [...names].map((destination) => ({
      destination,
      exists: destinations ? destinations.has(destination) : null,
    })),
    missingEvidence: more.missingEvidence,
  };
}

function sinceOf(operations: OperationFacts) {
  const { since, lastSuccess, failed, read, isCut, running, recovered } = operations;
  return defined({
    firstFailure: since,
    lastSuccess,
    lastFailed: (operations.lastFailed ?? recovered?.lastFailed)?.id,
    failed,
    read,
    atLeast: isCut,
    isRunning: running && (true as const),
    recovered: recovered && recoveredTimes(recovered),
  });
}

function recoveredTimes({ failed, firstFailure, lastFailed, firstSuccess, isCut }: Recovery) {
  const lastFailure = lastFailed.createTime ?? undefined;
  return defined({ failed, atLeast: isCut, firstFailure, lastFailure, firstSuccess });
}

function evidenceOf({ record, operations, logs: current, pastLogs }: Facts, now: Date): string[] {
  const logs = current ?? pastLogs;
  const quote = logs?.match ?? logs?.worst;
  const count = logs?.match
    ? `in ${logs.matching} of its ${counted(logs.quoted, "log line")}`
    : `the last error in its ${counted(logs?.quoted ?? 0, "log line")}`;
  const { changed } = record;
  const ms = millisecondsBetween(changed, operations?.since);
  const isBefore = ms !== undefined && ms >= 0 && ms < DAY_MS;
  const earlier = logs?.earlier;
  const { failed = 0, lastFailed, results = [] } = operations ?? {};
  const texts = [
    quote && `${quote.operation} "${excerpt(quote.text)}" (${count})`,
    earlier && `the first failure was different: ${earlier.operation} "${excerpt(earlier.text)}"`,
    changed &&
      isBefore &&
      `config changed ${shortTimeText(changed, now)}, ${durationText(ms)} before the first failure`,
    failed > 0 && lastFailed && !quote && `${lastFailed.id} is the last failed operation`,
  ];
  return [...texts.flatMap((text) => text || []), ...resultTexts(results, now)];
}

const MAX_OBJECTS = 3;

/** Results as evidence; of many objects, those of the first and how many more there are. */
export function resultTexts(results: readonly ResultFact[], now: Date): string[] {
  const more = results.length - MAX_OBJECTS;
  return [
    ...results.slice(0, MAX_OBJECTS).map(({ newest, sameSince, before }) => {
      const same =
        sameSince?.createTime && `, the same since ${shortTimeText(sameSince.createTime, now)}`;
      return `${quoted(newest, now, same)}${before ? `; before, ${quoted(before, now)}` : ""}`;
    }),
    ...(more > 0 ? [`and the results of ${counted(more, "more object")}`] : []),
  ];
}

function quoted(
  { id, result, createTime }: OperationRecord,
  now: Date,
  same?: string | null,
): string {
  const when = createTime && ` (${shortTimeText(createTime, now)}${same ?? ""})`;
  return `${id} "${excerpt(result ?? "")}"${when ?? ""}`;
}
