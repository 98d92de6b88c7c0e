import { counted } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import { defined } from "../values/json.ts";
import type { CaseSummary } from "./case-schema.ts";
import type { Cohort } from "./cohort.ts";
import { activeReads, type Facts } from "./facts.ts";
import type { OperationFacts, Recovery, ResultFact } from "./operation-facts.ts";
import type { JudgedOperation } from "./operation-streams.ts";
import type { MissingEvidence } from "./recorder.ts";
import { judgeFacts, type Missing } from "./verdict.ts";
import { excerpt, millisecondsBetween, shortTimeText } from "./words.ts";

/** Judges facts, and gathers what supports the verdict. */
export function summariseCase(
  facts: Facts,
  missing: Missing,
  more: {
    readonly missingEvidence: readonly MissingEvidence[];
    readonly integration: string | undefined;
    readonly cohort: Cohort;
    readonly now: Date;
    readonly anonymise: boolean;
  },
): CaseSummary {
  const { record, operations, destinations } = facts;
  const { integration, provider } = more.cohort;
  const names = new Set(activeReads(record).flatMap(({ destination }) => destination ?? []));
  const verdict = judgeFacts(facts, missing, more.now);
  return {
    installation: defined({
      id: record.id,
      group: record.group,
      provider: record.provider,
      integration: more.integration,
    }),
    ...verdict,
    ...(more.anonymise && { advice: withoutId(verdict.advice), anonymised: true as const }),
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

/** Advice without an ID that nobody else knows. */
function withoutId(advice: string): string {
  return advice.replace(
    / with the ID \S+$/u,
    "; IDs in this case are anonymised: ask the person who created it for the real one",
  );
}

function evidenceOf({ record, operations, logs: current, pastLogs }: Facts, now: Date): string[] {
  const logs = current ?? pastLogs;
  const quote = logs?.match ?? logs?.worst;
  const count = logs?.match
    ? `in ${logs.matching} of its ${counted(logs.quoted, "log line")}`
    : `the last error in its ${counted(logs?.quoted ?? 0, "log line")}`;
  const { changed } = record;
  const ms = millisecondsBetween(changed, operations?.since);
  const isBefore = ms !== undefined && ms >= 0 && ms < 86_400_000;
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

/** The objects whose results a case quotes. */
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
  { id, result, createTime }: JudgedOperation,
  now: Date,
  same?: string | null,
): string {
  const when = createTime && ` (${shortTimeText(createTime, now)}${same ?? ""})`;
  return `${id} "${excerpt(result ?? "")}"${when ?? ""}`;
}
