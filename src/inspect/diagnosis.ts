import { listDestinations, listOperations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { SETTINGS } from "../settings.ts";
import { batchesOf } from "../values/batches.ts";
import { capitalised } from "../values/counted.ts";
import { defined, isEmptyValue } from "../values/json.ts";
import { changeDisplayCopy, oddFieldsOf } from "../values/odd-fields.ts";
import { localTimeZone } from "../values/time.ts";
import { type Cell, cellText, joined, toned } from "../view/view.ts";
import { isPaused, type ReadNotes, readsNothing, readsOf } from "./config-blocks.ts";
import { installationPath, type NamedInstallation } from "./installations.ts";
import type { ScheduleText } from "./schedules.ts";

/**
 * The likely cause of a stopped sync, as far as the installation itself and the notes on what it
 * reads show it; empty for a state that amp does not know.
 */
export function diagnosis(installation: NotedInstallation): Cell {
  const { connection, healthStatus, lastOperationStatus, readNotes } = installation;
  if (connection.status === "bad_credentials") {
    const provider = connection.provider ?? "The provider";
    return toned("bad", `${provider} rejects the credentials; the customer must reconnect`);
  }
  if (connection.status === "created") {
    const unused = toned("attention", "The connection was created but has not been used yet");
    // What needs action comes first: where nothing is read, waiting does not help.
    return quietCause(installation) ?? unused;
  }
  const works = connection.status === "working" ? ", but the connection works" : "";
  if (lastOperationStatus === "failure") {
    const failed = `The last operation failed${works}`;
    return healthStatus === "healthy"
      ? toned("attention", `${failed}; the service still reports the installation as healthy`)
      : toned("bad", failed);
  }
  const firstReads = readNotes?.firstReads ?? [];
  if (healthStatus === "unhealthy") {
    const seen = firstReads.length > 0 ? firstReads.join("; ") : operationText(lastOperationStatus);
    return toned("attention", joined([`Unhealthy${works}`, seen], "; ") ?? "");
  }
  return quietCause(installation) ?? (capitalised(firstReads.join("; ")) || undefined);
}

/** The diagnosis as plain text; empty where nothing is wrong. */
export function diagnosisText(installation: NotedInstallation): string {
  return cellText(diagnosis(installation));
}

/** Whether a part of the config came, but not as specified. */
export function hasOddConfig(installation: NotedInstallation): boolean {
  return oddFieldsOf(installation).some(
    ({ path, value }) => /^config(?:\.|$)/u.test(path) && !isEmptyValue(value),
  );
}

/** Why it is not known what an installation reads, as a sentence; undefined where it is known. */
export function unknownReads(installation: NotedInstallation): string | undefined {
  if (hasOddConfig(installation)) return "The configuration is not as specified.";
  return installation.config?.content
    ? undefined
    : "The service does not report the configuration.";
}

/** Why nothing is read from an installation of which the service reports no failure. */
function quietCause(installation: NotedInstallation): Cell {
  const { config, readNotes } = installation;
  if (readsNothing(config) && !hasOddConfig(installation)) {
    return toned("attention", "The configuration reads nothing");
  }
  const reads = readsOf(config);
  const named = (wanted: typeof reads) =>
    wanted.map(([name, object]) => object.objectName || name).join(", ");
  const paused = reads.filter(([, object]) => isPaused(object));
  const lost = reads.filter(
    ([, object]) =>
      !isPaused(object) && readNotes?.schedules.get(object.schedule ?? "")?.next === null,
  );
  const causes = [
    paused.length > 0 ? `paused in the configuration: reading ${named(paused)}` : undefined,
    lost.length > 0 ? `the schedule of ${named(lost)} never occurs` : undefined,
  ];
  const text = joined(causes, "; ");
  return text && toned(lost.length > 0 ? "bad" : "attention", capitalised(text));
}

function operationText(status: string | null | undefined): string | undefined {
  if (!status) return "no failed operation is reported";
  if (status === "in_progress") return "an operation is in progress";
  return status === "success" ? "the last operation succeeded" : undefined;
}

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

/** The first reads of an installation with an operation in progress; a list may not say which. */
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
