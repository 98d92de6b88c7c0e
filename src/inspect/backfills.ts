import type { Api } from "../api/operations/endpoint.ts";
import { getBackfillProgress } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { BackfillProgress } from "../api/schemas/operation.ts";
import { numberText } from "../values/counted.ts";
import { durationText, timeOf } from "../values/time.ts";
import { joined, type PageRow, toned } from "../view/view.ts";
import { readsOf } from "./config-blocks.ts";
import { installationPath } from "./installations.ts";

type Inspecting = { readonly api: Api; readonly project: string };

/** The backfills of an installation; none where the service shows none. */
export async function backfillsOf(
  { api, project }: Inspecting,
  installation: Installation,
): Promise<BackfillProgress[]> {
  const names = readsOf(installation.config).map(([name, read]) => read.objectName || name);
  const path = installationPath(project, installation);
  const found = await Promise.all(
    [...new Set(names)].map((objectName) =>
      // Where there is no backfill, the service does not find it; and it only helps the page.
      ifAvailable(api.call(getBackfillProgress, { path: { ...path, objectName } })),
    ),
  );
  return found.filter((one) => one !== undefined);
}

/** The time without a new record, in milliseconds, after which a backfill counts as stuck. */
const STANDS_STILL_MS = 3_600_000;

/** How long an unfinished backfill has had no new record, in ms; undefined: not for long. */
export function standstillOf(backfill: BackfillProgress, now: Date): number | undefined {
  const { recordsProcessed: done, recordsEstimatedTotal: total, updateTime } = backfill;
  const quiet = now.getTime() - (timeOf(updateTime) ?? now.getTime());
  const isComplete = typeof done === "number" && typeof total === "number" && done >= total;
  return quiet >= STANDS_STILL_MS && !isComplete ? quiet : undefined;
}

/** A backfill in progress as part of a sentence: since when it reads, and how far it has come. */
export function firstReadText(backfill: BackfillProgress, now: Date): string {
  const { objectName, createTime } = backfill;
  const begun = timeOf(createTime);
  const since = begun === undefined ? "" : `, started ${durationText(now.getTime() - begun)} ago`;
  const quiet = standstillOf(backfill, now);
  const { part, leftMs } = backfillRate(backfill, quiet);
  const words = [
    `is reading all records of ${objectName ?? "an object"} for the first time${since}`,
    part === undefined ? undefined : `${Math.floor(part * 100)}%`,
    outlook(quiet, leftMs),
  ];
  return joined(words, ", ") ?? "";
}

/**
 * What is to be expected of a backfill: how long it will take, or nothing where it stands still.
 */
function outlook(quiet: number | undefined, leftMs: number | undefined): string | undefined {
  if (quiet !== undefined) return `no progress for ${durationText(quiet)}`;
  return leftMs === undefined ? undefined : `${durationText(leftMs)} left`;
}

/**
 * How fast a backfill is since it began, and how long it will take.
 * @param quiet for how long it stands still: it has no rate then
 * @returns `part`: what was read, from 0 to 1; `rate`: records in a second; each only where known
 */
export function backfillRate(backfill: BackfillProgress, quiet?: number) {
  const { recordsProcessed: done, recordsEstimatedTotal: total, createTime, updateTime } = backfill;
  const [from, to] = [timeOf(createTime), timeOf(updateTime)];
  const isCounted = typeof done === "number" && done >= 0;
  const isSized = isCounted && typeof total === "number" && total > 0;
  const seconds = from === undefined || to === undefined ? 0 : (to - from) / 1000;
  const isMoving = isCounted && seconds > 0 && quiet === undefined;
  const rate = isMoving ? done / seconds : undefined;
  return {
    // The total is an estimate: more may have been read.
    part: isSized ? Math.min(1, done / total) : undefined,
    rate,
    leftMs: rate && isSized ? (Math.max(0, total - done) / rate) * 1000 : undefined,
  };
}

/** A backfill as a row: how far, how fast, how long, and by which operation. */
export function backfillRow(backfill: BackfillProgress, now: Date): PageRow {
  const { objectName, recordsProcessed: done, recordsEstimatedTotal: total } = backfill;
  const quiet = standstillOf(backfill, now);
  const { part, rate, leftMs } = backfillRate(backfill, quiet);
  const records = total
    ? `${numberText(done ?? 0)} of ${numberText(total)}`
    : `${numberText(done ?? 0)} records`;
  const updated = timeOf(backfill.updateTime);
  const text = joined([
    part === undefined ? undefined : barText(part),
    records,
    rate === undefined ? undefined : rateText(rate),
    outlook(quiet, leftMs),
    updated === undefined || quiet !== undefined
      ? undefined
      : `updated ${durationText(now.getTime() - updated)} ago`,
    backfill.operationId ?? undefined,
  ]);
  return [objectName ?? "Object", quiet === undefined ? text : toned("bad", text ?? "")];
}

const BAR_CELLS = 10;

function barText(part: number): string {
  // Only what is complete is shown as complete.
  const filled = Math.floor(part * BAR_CELLS);
  return `${"█".repeat(filled)}${"░".repeat(BAR_CELLS - filled)} ${Math.floor(part * 100)}%`;
}

/** A rate for reading: `12/s`, or by minute where it is slow. */
function rateText(rate: number): string {
  if (rate >= 10) return `${numberText(Math.round(rate))}/s`;
  return rate >= 1 ? `${rate.toFixed(1)}/s` : `${numberText(Math.round(rate * 60))}/min`;
}
