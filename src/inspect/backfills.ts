import { setTimeout as pause } from "node:timers/promises";
import type { Api } from "../api/operations/endpoint.ts";
import { getBackfillProgress, listOperations } from "../api/operations/endpoints.ts";
import { OperationMissingError } from "../api/operations/optional-operation.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { BackfillProgress } from "../api/schemas/operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { NotFoundError } from "../errors.ts";
import { numberText } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import { defined } from "../values/json.ts";
import { nearest } from "../values/nearest.ts";
import { timeOf } from "../values/period.ts";
import { workingLine } from "../values/working-line.ts";
import { joined } from "../view/view.ts";
import { readsOf } from "./config-blocks.ts";
import { unknownReads } from "./diagnosis.ts";
import { installationPath } from "./installations.ts";
import { asked } from "./operations.ts";
import { askedOnce, endsAfterOneLook, isOutage } from "./patience.ts";

type Inspecting = { readonly api: Api; readonly project: string };

/**
 * The backfills of an installation, of one object or of all that it reads.
 * @throws {OperationMissingError} where the service shows none of what an installation does
 * @throws {NotFoundError} for an object that has no backfill and is not read
 */
export async function backfillsOf(
  { api, project }: Inspecting,
  installation: Installation,
  object: string | undefined,
): Promise<BackfillProgress[]> {
  const names = readsOf(installation.config).map(([name, read]) => read.objectName || name);
  const path = installationPath(project, installation);
  const found = await Promise.all(
    (object === undefined ? [...new Set(names)] : [object]).map((objectName) =>
      // Where there is no backfill, the service does not find it.
      api.call(getBackfillProgress, { path: { ...path, objectName } }).catch((error: unknown) => {
        if (error instanceof OperationMissingError || !(error instanceof NotFoundError))
          throw error;
        return undefined;
      }),
    ),
  );
  const backfills = found.filter((one) => one !== undefined);
  if (backfills.length > 0) return backfills;
  // A service without any of it does not find the operations either.
  await asked(
    "show the progress of backfills",
    api.list(listOperations, { path, query: { pageSize: "1" } }),
  );
  if (object !== undefined && !names.includes(object)) throw notRead(installation, object, names);
  return backfills;
}

function notRead(
  installation: Installation,
  object: string,
  names: readonly string[],
): NotFoundError {
  const near = nearest(object, names);
  const unknown = names.length === 0 ? unknownReads(installation) : undefined;
  const problem = unknown
    ? `The service has no backfill of ${object} for installation ${installation.id}`
    : `Installation ${installation.id} does not read ${object}`;
  const detail = unknown ?? (names.length > 0 ? `It reads ${names.join(", ")}.` : undefined);
  const remedy = near && `Did you mean ${near}?`;
  return new NotFoundError(problem, defined({ detail, remedy }));
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
 * @returns `part`: what was read, from 0 to 1; `rate`: records in a second; each only where the
 * service
 *   says enough
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

/** A bar of this many cells with the part in percent: `█████░░░░░ 50%`. */
export function barText(part: number, cells: number): string {
  // Only what is complete is shown as complete.
  const filled = Math.floor(part * cells);
  return `${"█".repeat(filled)}${"░".repeat(cells - filled)} ${Math.floor(part * 100)}%`;
}

/** The bar of a line that also has all else that is known. */
const LINE_BAR = 10;

/** A rate for reading: `12/s`, or by minute where it is slow. */
export function rateText(rate: number): string {
  if (rate >= 10) return `${numberText(Math.round(rate))}/s`;
  return rate >= 1 ? `${rate.toFixed(1)}/s` : `${numberText(Math.round(rate * 60))}/min`;
}

/** The state of a backfill on one line, for a terminal that waits for it. */
function lineOf(backfill: BackfillProgress, now: Date): string {
  const { objectName, recordsProcessed: done, recordsEstimatedTotal: total } = backfill;
  const quiet = standstillOf(backfill, now);
  const { part, rate, leftMs } = backfillRate(backfill, quiet);
  const records = total
    ? `${numberText(done ?? 0)} of ${numberText(total)}`
    : `${numberText(done ?? 0)} records`;
  const read = part === undefined ? records : `${barText(part, LINE_BAR)} · ${records}`;
  const speed = rate === undefined ? undefined : rateText(rate);
  return joined([joined([objectName, read], "  "), speed, outlook(quiet, leftMs)]) ?? "";
}

const WATCH_MS = 2000;

/**
 * Waits until no backfill is in progress, and shows on a terminal how far they have come. A service
 * that stops answering after the first look is asked again.
 * @param look asks for the backfills
 * @returns the last state of each
 */
export async function watchBackfills(
  look: (api: Api) => Promise<readonly BackfillProgress[]>,
  isOver: (api: Api, backfill: BackfillProgress) => Promise<boolean>,
  context: Pick<CommandContext, "api" | "environment" | "report" | "signal" | "now">,
  waitMs = WATCH_MS,
): Promise<readonly BackfillProgress[]> {
  const { api, report, signal, now } = context;
  const last = new Map<string, BackfillProgress>();
  let service = api;
  let isAway = false;
  const line = workingLine(report);
  const openOnes = async () => {
    const backfills = await look(service);
    for (const one of backfills) last.set(one.objectName ?? "", one);
    const open: BackfillProgress[] = [];
    for (const one of backfills) if (!(await isOver(service, one))) open.push(one);
    return open;
  };
  try {
    for (;;) {
      const open = await openOnes().catch((error: unknown) => {
        if (service === api || signal.aborted || !isOutage(error)) throw error;
        if (!isAway) report.warn(`The service does not respond: ${error.message}. Still watching.`);
      });
      isAway = open === undefined;
      if (open?.length === 0 || endsAfterOneLook(context)) return [...last.values()];
      service = askedOnce(api);
      if (open !== undefined) line.show(open.map((one) => lineOf(one, now())).join("   "));
      await pause(waitMs, undefined, { signal });
    }
  } finally {
    line.end();
  }
}
