import type { Api } from "../api/operations/endpoint.ts";
import { listOperations } from "../api/operations/inspection-endpoints.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { assertFailure, NotFoundError, NotRecordedError } from "../errors.ts";
import { batchesOf } from "../values/batches.ts";
import { counted } from "../values/counted.ts";
import { durationText } from "../values/duration.ts";
import { countingLine } from "../values/working-line.ts";
import { installationPath } from "./installations.ts";

type LookedUp = Pick<Installation, "id" | "integrationId">;

/** The first failed operation since the last one that succeeded. */
export interface FailingSince {
  /** The time of it, as the service sent it. */
  readonly time: string;
  /** Whether older operations failed too, and were not read. */
  readonly atLeast: boolean;
}

/** Since when installations fail, by their ID. */
export interface FailingTimes {
  /** Whether the service shows operations; undefined if none was requested. */
  readonly served: boolean | undefined;
  /** The number of installations whose operations were read. */
  readonly lookedUp: number;
  readonly times: ReadonlyMap<string, FailingSince>;
}

/** The operations of an installation that are read, by page and at most: as many as for a case. */
const PAGE_SIZE = 200;
const MAX_OPERATIONS = 1_000;
/** The requests at once: the service has others to answer. */
const AT_ONCE = 4;

/**
 * Reads the operations of installations, newest first, until one succeeded. Where one cannot be
 * read, the others are, and a warning says so.
 * @param limits `of`: the number of installations in the list; `withinMs`: those whose operations
 * are not read by then are left out
 */
export async function failingSince(
  { api, report, signal }: Pick<CommandContext, "api" | "report" | "signal">,
  project: string,
  installations: readonly LookedUp[],
  { of, withinMs }: { readonly of: number; readonly withinMs: number | undefined },
): Promise<FailingTimes> {
  const times = new Map<string, FailingSince>();
  const failures: string[] = [];
  const left = [...installations];
  let served: boolean | undefined;
  let lookedUp = 0;
  let isOver = false;
  const does = `${counted(of, "installation")}, looking up the unhealthy`;
  const progress = countingLine(report, does, installations.length);
  const work = async () => {
    for (let next = left.shift(); next !== undefined && served !== false; next = left.shift()) {
      signal.throwIfAborted();
      try {
        const since = await firstFailure(api, project, next);
        if (isOver) return;
        if (since) times.set(next.id, since);
        served = true;
      } catch (error) {
        if (isOver) return;
        assertFailure(error);
        // The installation was listed a moment ago: what does not exist is the operation of the
        // API.
        const isMissing = error instanceof NotFoundError && !(error instanceof NotRecordedError);
        if (isMissing && served === undefined) served = false;
        else failures.push(error.message);
        continue;
      }
      lookedUp += 1;
      progress.show(lookedUp);
    }
  };
  const late = Promise.withResolvers<true>();
  const timer = withinMs === undefined ? undefined : setTimeout(late.resolve, withinMs, true);
  let isLate = false;
  try {
    if (installations.length > 0) progress.show(0);
    // A request that is still open ends with the process.
    const done = Promise.all(Array.from({ length: AT_ONCE }, work));
    isLate = (await Promise.race([done, late.promise])) === true;
  } finally {
    isOver = true;
    clearTimeout(timer);
    progress.end();
  }
  if (isLate && served === undefined) {
    report.warn(
      `The service answered no request for operations within ${durationText(withinMs ?? 0)}.`,
    );
  }
  const [first] = failures;
  if (first !== undefined) {
    const count = counted(failures.length, "installation");
    report.warn(`Could not look up the operations of ${count}: ${first}`);
  }
  return { served, lookedUp, times };
}

async function firstFailure(
  api: Api,
  project: string,
  installation: LookedUp,
): Promise<FailingSince | undefined> {
  const path = installationPath(project, installation);
  const query = { pageSize: String(PAGE_SIZE) };
  let oldest: string | undefined;
  let count = 0;
  for await (const batch of batchesOf(await api.list(listOperations, { path, query }))) {
    for (const { status, createTime } of batch) {
      if (status === "success")
        return oldest === undefined ? undefined : { time: oldest, atLeast: false };
      if (status === "failure") oldest = createTime ?? oldest;
      count += 1;
      if (count >= MAX_OPERATIONS && oldest !== undefined) return { time: oldest, atLeast: true };
    }
  }
  // The first operations of a new installation may fail; older ones may also have been deleted.
  return oldest === undefined ? undefined : { time: oldest, atLeast: true };
}
