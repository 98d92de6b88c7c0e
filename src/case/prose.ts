/** The sentences of a case: what its verdict, its evidence and its page say of the facts. */

import type { OperationRecord } from "../api/schemas/operation.ts";
import type { AlikeState, Meaning, RuleName, SavedEvidence, Turn } from "../documents/case.ts";
import { shortened } from "../values/basics.ts";
import {
  capitalised,
  counted,
  numberText,
  quotedNames,
  sizeText,
  uncapitalised,
} from "../values/counted.ts";
import {
  DAY_MS,
  durationText,
  localClockText,
  millisecondsBetween,
  shortTimeText,
  sinceText,
} from "../values/time.ts";
import { joined } from "../view/view.ts";
import type { Facts } from "./facts.ts";
import type { ResultFact } from "./operation-facts.ts";
import type { Tally } from "./target.ts";

const MAX_QUOTE = 160;

/** A line of a log in quotes; of a long one, its start. */
export function quoteText(text: string): string {
  return `"${shortened(text, MAX_QUOTE)}"`;
}

const ACTIONS: ReadonlyMap<string, readonly [one: string, many: string]> = new Map([
  ["read", ["read", "Reads"]],
  ["write", ["write", "Writes"]],
  ["subscribe", ["subscription", "Subscriptions"]],
]);

/** The verdict as a sentence: what fails since when, and why. */
export function headlineText(facts: Facts, says: string, now: Date, isState = false): string {
  const { failed = 0, since, isCut, action = "", objects = [] } = facts.operations ?? {};
  if (failed === 0 || (since === undefined && isState)) return capitalised(says);
  const [one, many] = ACTIONS.get(action) ?? ["operation", "Operations"];
  const of = objects.length > 0 ? ` of ${quotedNames(objects)}` : "";
  if (since === undefined) return `${many}${of} fail: ${says}`;
  const span = sinceText(since, now);
  const at = shortTimeText(since, now);
  if (failed === 1 && !isCut && !isState) {
    return `The last ${one}${of} failed, ${at}${span ? ` (${span} ago)` : ""}: ${says}`;
  }
  const from = `${isCut ? "at least since" : "since"} ${at}${span ? ` (${span})` : ""}`;
  return isState
    ? `${capitalised(says)}; ${uncapitalised(many)}${of} have failed ${from}`
    : `${many}${of} have failed ${from}: ${says}`;
}

/** What supports the verdict. */
export function evidenceTexts(facts: Facts, now: Date): string[] {
  const { record, operations, logs = facts.pastLogs } = facts;
  const { failed = 0, since, lastFailed, results = [] } = operations ?? {};
  const line = logs?.match ?? logs?.worst;
  const lines = counted(logs?.quoted ?? 0, "log line");
  const found = logs?.match
    ? `in ${logs.matching} of its ${lines}`
    : `the last error in its ${lines}`;
  const ms = millisecondsBetween(record.changed, since) ?? -1;
  const isBefore = ms >= 0 && ms < DAY_MS;
  const texts = [
    line && `${line.operation} ${quoteText(line.text)} (${found})`,
    logs?.earlier &&
      `the first failure was different: ${logs.earlier.operation} ${quoteText(logs.earlier.text)}`,
    record.changed &&
      isBefore &&
      `config changed ${shortTimeText(record.changed, now)}, ${durationText(ms)} before the first failure`,
    failed > 0 && lastFailed && !line && `${lastFailed.id} is the last failed operation`,
  ];
  return [...texts.flatMap((text) => text || []), ...resultTexts(results, now)];
}

/** The evidence, without a quotation that the headline has. */
export function supportTexts({ evidence, headline }: Meaning): string[] {
  return evidence.map((text) => {
    const [quote = ""] = / ".+"/su.exec(text) ?? [];
    return headline.includes(quote) ? text.replace(quote, "") : text;
  });
}

const MAX_OBJECTS = 3;

/** Results as evidence; of many objects, those of the first and how many more there are. */
export function resultTexts(results: readonly ResultFact[], now: Date): string[] {
  const more = results.length - MAX_OBJECTS;
  const said = ({ id, result, createTime }: OperationRecord, same = "") =>
    `${id} ${quoteText(result ?? "")}${createTime ? ` (${shortTimeText(createTime, now)}${same})` : ""}`;
  return [
    ...results.slice(0, MAX_OBJECTS).map(({ newest, sameSince, before }) => {
      const from = sameSince?.createTime;
      const same = from ? `, the same since ${shortTimeText(from, now)}` : "";
      return `${said(newest, same)}${before ? `; before, ${said(before)}` : ""}`;
    }),
    ...(more > 0 ? [`and the results of ${counted(more, "more object")}`] : []),
  ];
}

const TURNS: Readonly<Record<Turn, string>> = {
  customer: "the customer",
  builder: "the builder of the integration",
  provider: "the provider",
  platform: "the platform",
  nobody: "nobody",
  unknown: "not known",
};

/** Who must act, and how. */
export function turnText({ turn, advice }: Meaning): string {
  return `${TURNS[turn]}: ${advice}`;
}

/** The objects that fail and work, each where the headline does not have them. */
export function objectsText({ objects }: Meaning): string | undefined {
  const of = (state: (typeof objects)[number]["state"]) =>
    objects.filter((one) => one.state === state).map(({ object }) => object);
  const [failing, working] = [of("fails"), of("works")];
  if (failing.length === 0 || failing.length === objects.length) {
    const all = objects.map(({ object }) => object);
    if (of("paused").length === objects.length || all.length === 0) return undefined;
    const how = failing.length > 0 ? (all.length > 1 ? "all fail: " : "") : "";
    return how + named(all);
  }
  return joined([
    `${named(failing)} ${failing.length === 1 ? "fails" : "fail"}`,
    working.length > 0 && `${named(working)} ${working.length === 1 ? "works" : "work"}`,
  ]);
}

function named(objects: readonly string[]): string {
  const more = objects.length - MAX_NAMED;
  const first = objects.slice(0, MAX_NAMED).join(", ");
  return more > 0 ? `${first} and ${more} more` : first;
}

const MAX_NAMED = 6;

const ALIKE: Readonly<Record<AlikeState, string>> = {
  credentials: "with refused credentials",
  failing: "in the same state",
  succeeding: "with no refused credentials, although the last operation succeeded",
};

/** What is counted of those that fail alike. */
export function alikeText({ alikeState }: Pick<Meaning["cohort"], "alikeState">): string {
  return alikeState ? ALIKE[alikeState] : "";
}

/** The verdicts whose headline has the counts of the integration, or of the provider and so of it. */
const COUNTED: ReadonlySet<Meaning["rule"]> = new Set(["integration-wide", "only-them"]);

/**
 * The installations beside it in counts, by their records alone, where the headline does not have
 * them: their operations and logs were not read.
 */
export function cohortText({ cohort, installation, rule }: Meaning): string | undefined {
  const { integration, provider } = cohort;
  if (rule === "provider-wide") return undefined;
  const isWider = provider.total !== integration.total;
  const how = alikeText(cohort);
  return joined(
    [
      !COUNTED.has(rule) &&
        tallyText(integration, ` on ${installation.integration ?? "this integration"}`, how),
      isWider && tallyText(provider, ` on ${installation.provider ?? "this provider"}`, how),
    ],
    "; ",
  );
}

function tallyText(
  { total, failing, alike, fine, lastOperationFailed }: Tally,
  on: string,
  how: string,
): string {
  const itself = alike > 0 ? 1 : 0;
  const others = total - 1;
  const unknown = others - (failing - itself) - fine - lastOperationFailed;
  if (others === 0) return `none${on}`;
  const [failingToo, similarly] = [failing - itself, alike - itself];
  const of = failingToo === 0 ? "none" : numberText(failingToo);
  const alikeOf = similarly < failingToo ? `${numberText(similarly)} of them ` : "";
  const same = similarly > 0 ? `, ${alikeOf}${how}` : "";
  const too = `${failingToo === 1 ? "fails" : "fail"}${itself ? " too" : ""}`;
  const missing = unknown > 0 ? ` (${numberText(unknown)} not known)` : "";
  return `${of} of ${numberText(others)}${on} ${too}${same}${missing}`;
}

/** The rules whose facts another row has: the counts, times, evidence and destinations. */
const ELSEWHERE: ReadonlySet<RuleName> = new Set<RuleName>([
  "integration-wide",
  "only-them",
  "recovering",
  "config-just-changed",
  "destination-missing",
]);

/** What else holds, and no other row says. */
export function furtherTexts({ also, headline }: Meaning): string[] {
  const texts = also.filter(({ rule }) => !ELSEWHERE.has(rule)).map(({ says }) => says);
  return texts.filter((says) => !headline.includes(says));
}

/** Since when it fails or works, and the failures that are over. */
export function sinceTexts(
  { since, missingEvidence }: Meaning,
  made: Date,
  timeZone: string,
): string[] {
  if (since === undefined) {
    const missing = missingEvidence.find(({ what }) => what === "operations");
    return missing?.reason === "not-supported"
      ? ["not available at this service"]
      : ["not known: no operations were read"];
  }
  const { lastSuccess, firstFailure, failed, read, atLeast, isRunning } = since;
  const past = since.recovered === undefined ? [] : [recoveredText(since.recovered, made)];
  if (read === 0) {
    return [...past, atLeast ? "no operations since the time of --since" : "no operations"];
  }
  const success = lastSuccess && `last success ${shortTimeText(lastSuccess, made)}`;
  const none = success ? "the latest succeeded" : "none has succeeded or failed";
  const first = firstFailure && `first failure ${shortTimeText(firstFailure, made)}`;
  const never = atLeast
    ? `no success in the last ${counted(read, "operation")}, ${first}`
    : "it never succeeded";
  const texts =
    failed === 0
      ? [
          success,
          `${counted(read, "operation")} read, ${isRunning ? "the latest is in progress" : none}`,
        ]
      : [success ?? never, `${counted(failed, "operation")} failed since`];
  const local = firstFailure && failed > 0 ? localClockText(firstFailure, timeZone) : undefined;
  return [...past, joined([local && `${local} local time`, ...texts]) ?? ""];
}

type Recovered = NonNullable<NonNullable<Meaning["since"]>["recovered"]>;

function recoveredText(recovered: Recovered, made: Date): string {
  const { failed, firstFailure = "", lastFailure = "", firstSuccess, atLeast } = recovered;
  const times = [...new Set([firstFailure, lastFailure])].filter(Boolean);
  const span = times.map((time) => shortTimeText(time, made)).join(" to ");
  const count = `${atLeast ? "at least " : ""}${counted(failed, "operation")} failed`;
  const ended = firstSuccess && `succeeding since ${shortTimeText(firstSuccess, made)}`;
  return joined([joined([count, span], times.length === 1 ? " at " : " from "), ended]) ?? "";
}

/** The events that the state implies, each with who gets it. */
export function notifiedTexts({ notifications, rule, since }: Meaning): string[] {
  if (notifications === undefined) return ["not known: the routing could not be read"];
  if (notifications.length === 0) {
    if (rule === "healthy") return [];
    return (since?.failed ?? 0) > 0
      ? ["nobody: no event type says that an installation is failing"]
      : ["nobody: no event type exists for this state"];
  }
  return notifications.map(
    ({ event, destinations, why = "no route" }, at) =>
      `${event} → ${destinations.join(", ") || `nobody: ${why}`}${at === notifications.length - 1 ? " (by the current routing)" : ""}`,
  );
}

/** A destination of its reads: whether it exists. */
export function deliveryText({ destination, exists }: Meaning["delivers"][number]): string {
  if (exists === null) return `${destination} (unknown whether it exists)`;
  return exists ? destination : `${destination}: no destination has this name`;
}

/** The evidence that could not be read; what the service does not have is one line. */
export function missingTexts(missing: Meaning["missingEvidence"]): string[] {
  const isLacking = ({ reason }: (typeof missing)[number]) => reason === "not-supported";
  const lacking = missing.filter(isLacking).map(({ what }) => what);
  return [
    ...missing.filter((one) => !isLacking(one)).map(({ what, why }) => `${what}: ${why}`),
    ...(lacking.length > 0 ? [`not provided by this service: ${lacking.join(", ")}`] : []),
  ];
}

/** Where the evidence was saved, and how much of it. */
export function evidenceFileText({
  file,
  answers,
  bytes,
  redacted,
}: SavedEvidence): string | undefined {
  const values = `${counted(redacted, "value")} redacted`;
  return joined([file, counted(answers, "response"), sizeText(bytes), values]);
}
