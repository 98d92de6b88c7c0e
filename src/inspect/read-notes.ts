import { listDestinations, listOperations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { SETTINGS } from "../settings.ts";
import { batchesOf } from "../values/batches.ts";
import { defined } from "../values/json.ts";
import { changeDisplayCopy } from "../values/odd-fields.ts";
import { localTimeZone } from "../values/time.ts";
import { type ReadNotes, readsOf } from "./config-blocks.ts";
import { installationPath, type NamedInstallation } from "./installations.ts";
import type { ScheduleText } from "./schedules.ts";

/** An installation with notes on what it reads; views alone see them. */
export type NotedInstallation = NamedInstallation & {
  readonly readNotes?: ReadNotes;
  /** When the newest operation began. */
  readonly lastOperationTime?: string;
  /** The file of the case that the command runs in. */
  readonly caseFile?: string;
};

/**
 * An installation whose views show schedules in words, destinations that do not exist, first reads,
 * and the time of the last operation.
 * @param isRead whether a person reads them: a program that reads the page does not get the last
 */
export async function withReadNotes(
  context: Pick<CommandContext, "api" | "now" | "environment"> & { readonly project: string },
  installation: NamedInstallation,
  isRead: boolean,
): Promise<NotedInstallation> {
  const { api, project, now, environment } = context;
  const reads = readsOf(installation.config).map(([, read]) => read);
  const caseFile = environment.env[SETTINGS.case.env] || undefined;
  const noted = (notes: Partial<NotedInstallation>) =>
    changeDisplayCopy<NotedInstallation>(installation, (one) => ({ ...one, ...notes }));
  if (reads.length === 0) return caseFile ? noted({ caseFile }) : installation;
  const path = { projectIdOrName: project };
  const [listed, { scheduleText }, firstReads, lastOperationTime] = await Promise.all([
    reads.some(({ destination }) => destination)
      ? ifAvailable(api.call(listDestinations, { path }))
      : undefined,
    import("./schedules.ts"),
    firstReadsOf(context, installation),
    isRead ? ifAvailable(newestOperation(context, installation)) : undefined,
  ]);
  const timeZone = localTimeZone(environment.env);
  const schedules = new Map<string, ScheduleText>();
  for (const { schedule } of reads) {
    const text = schedule ? scheduleText(schedule, now(), timeZone) : undefined;
    if (schedule && text) schedules.set(schedule, text);
  }
  const destinations = listed ? new Set(listed.flatMap(({ name }) => name ?? [])) : undefined;
  const readNotes = { schedules, destinations, ...firstReads };
  return noted(defined({ readNotes, lastOperationTime: lastOperationTime || undefined, caseFile }));
}

/** When the newest operation began; undefined where the service does not say it. */
async function newestOperation(
  { api, project }: Pick<CommandContext, "api"> & { readonly project: string },
  installation: NamedInstallation,
): Promise<string | undefined> {
  if (!installation.lastOperationStatus) return undefined;
  const path = installationPath(project, installation);
  const list = await api.list(listOperations, { path, query: { pageSize: "1" } });
  for await (const [newest] of batchesOf(list)) return newest?.createTime ?? undefined;
  return undefined;
}

/**
 * The first reads of an installation that has an operation in progress; the list may not say of
 * which.
 */
async function firstReadsOf(
  { api, project, now }: Pick<CommandContext, "api" | "now"> & { readonly project: string },
  installation: NamedInstallation,
): Promise<Pick<ReadNotes, "firstReads" | "backfills">> {
  if (installation.lastOperationStatus !== "in_progress") return { firstReads: [], backfills: [] };
  const { backfillRow, backfillsOf, firstReadText } = await import("./backfills.ts");
  const backfills = await backfillsOf({ api, project }, installation);
  return {
    firstReads: backfills.map((one) => firstReadText(one, now())),
    backfills: backfills.map((one) => backfillRow(one, now())),
  };
}
