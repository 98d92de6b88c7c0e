import { counted } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import { withoutUndefined } from "../values/json.ts";
import type { Cohort } from "./cohort.ts";
import { activeReads, type Facts } from "./facts.ts";
import type { MissingEvidence } from "./recorder.ts";
import type { Recovery } from "./recovery.ts";
import { resultTexts } from "./result-facts.ts";
import { judgeFacts, type Missing, type Verdict } from "./verdict.ts";
import { excerpt, millisecondsBetween, shortTimeText } from "./words.ts";

/** The summary of a case: the verdict with its evidence. It has nothing that must not be shown. */
export interface CaseSummary extends Verdict {
  readonly installation: {
    readonly id: string;
    readonly group?: string;
    readonly provider?: string;
    readonly integration?: string;
  };
  readonly cohort: Pick<Cohort, "integration" | "provider">;
  readonly since?: {
    readonly firstFailure?: string;
    readonly lastSuccess?: string;
    /** The newest operation that failed, by its ID; also of what works again. */
    readonly lastFailed?: string;
    /** The operations that failed since the last success, and all that were read. */
    readonly failed: number;
    readonly read: number;
    /** Whether it may have failed before the first failure that was read. */
    readonly atLeast: boolean;
    /** Present where the newest operation has not ended. */
    readonly isRunning?: true;
    /** The failures that ended in the day before the newest operation. */
    readonly recovered?: {
      readonly failed: number;
      readonly firstFailure?: string;
      readonly lastFailure?: string;
      readonly firstSuccess?: string;
      /** Whether it may have failed before the first failure that was read. */
      readonly atLeast: boolean;
    };
  };
  readonly evidence: readonly string[];
  /** The destinations of its reads; `exists` is null where that is not known. */
  readonly delivers: readonly { readonly destination: string; readonly exists: boolean | null }[];
  readonly missingEvidence: readonly MissingEvidence[];
  /** Present where its IDs and names exist in this case alone. */
  readonly anonymised?: true;
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
    readonly anonymise: boolean;
  },
): CaseSummary {
  const { record, operations, destinations } = facts;
  const { integration, provider } = more.cohort;
  const names = new Set(activeReads(record).flatMap(({ destination }) => destination ?? []));
  const verdict = judgeFacts(facts, missing, more.now);
  return {
    installation: {
      id: record.id,
      ...withoutUndefined({
        group: record.group,
        provider: record.provider,
        integration: more.integration,
      }),
    },
    ...verdict,
    ...(more.anonymise && { advice: withoutId(verdict.advice), anonymised: true as const }),
    cohort: { integration, provider },
    ...(operations && {
      since: {
        ...withoutUndefined({
          firstFailure: operations.since,
          lastSuccess: operations.lastSuccess,
          lastFailed: (operations.lastFailed ?? operations.recovered?.lastFailed)?.id,
        }),
        failed: operations.failed,
        read: operations.read,
        atLeast: operations.isCut,
        ...(operations.running && { isRunning: true as const }),
        ...(operations.recovered && { recovered: recoveredTimes(operations.recovered) }),
      },
    }),
    evidence: evidenceOf(facts, more.now),
    delivers: [...names].map((destination) => ({
      destination,
      exists: destinations ? destinations.has(destination) : null,
    })),
    missingEvidence: more.missingEvidence,
  };
}

function recoveredTimes({ failed, firstFailure, lastFailed, firstSuccess, isCut }: Recovery) {
  const lastFailure = lastFailed.createTime ?? undefined;
  return {
    failed,
    atLeast: isCut,
    ...withoutUndefined({ firstFailure, lastFailure, firstSuccess }),
  };
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
  const changed = record.changed;
  const ms = millisecondsBetween(changed, operations?.since);
  const isBefore = ms !== undefined && ms >= 0 && ms < 86_400_000;
  return [
    ...(quote ? [`${quote.operation} "${excerpt(quote.text)}" (${count})`] : []),
    ...(logs?.earlier
      ? [
          `the first failure was different: ${logs.earlier.operation} "${excerpt(logs.earlier.text)}"`,
        ]
      : []),
    ...(changed && operations?.since && isBefore
      ? [
          `config changed ${shortTimeText(changed, now)}, ${durationText(ms)} before the first failure`,
        ]
      : []),
    ...(operations && operations.failed > 0 && operations.lastFailed && !quote
      ? [`${operations.lastFailed.id} is the last failed operation`]
      : []),
    ...resultTexts(operations?.results ?? [], now),
  ];
}
