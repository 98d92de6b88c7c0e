import { setTimeout as wait } from "node:timers/promises";
import {
  getBackfillProgress,
  getInstallation,
  listIntegrations,
  listOperationLogs,
  listOperations,
} from "../api/operations/endpoints.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { OperationRecord } from "../api/schemas/operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { installationPath } from "../inspect/installations.ts";
import { asked } from "../inspect/operations.ts";
import { RESOURCE_ORDER, RESOURCES } from "../notify/model/resource.ts";
import { batchesOf } from "../values/batches.ts";
import { changeCopyAndOriginal, originalOf } from "../values/odd-fields.ts";
import { timeOf } from "../values/time.ts";
import { isFailing, readNames, recordFacts } from "./facts.ts";
import { recordLookups } from "./lookups.ts";
import { type OperationFacts, operationFacts, reachesSuccess } from "./operation-facts.ts";
import { objectOf } from "./operation-streams.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { findTarget, type Target, type TargetContext, type TargetOptions } from "./target.ts";

/** The options of a case. */
export interface GatherOptions extends TargetOptions {
  /** The time of the oldest operation to read; undefined: back to the last success. */
  readonly since: number | undefined;
  readonly logs: boolean;
  /** Whether the evidence is saved: then it has also what only the reader of a case looks up. */
  readonly isSaved: boolean;
}

/** The part of a command's context that gathers evidence. */
export type GatherContext = TargetContext & Pick<CommandContext, "api" | "report">;

/** The evidence, before anything is taken out. */
export interface Evidence extends Pick<Recorder, "gathered" | "missingEvidence"> {
  readonly target: Target;
  /** Whether the operations go back to the first one. */
  readonly isWhole: boolean;
  /** Why there are no logs although none failed to be read. */
  readonly withoutLogs: string | undefined;
}

/** The maximum number of operations that are read, and of one request. */
const MAX_OPERATIONS = 1_000;
const PAGE_SIZE = "200";
/** About how many requests a saved case takes more. */
const LOOKUPS = 8;
/** Between requests that are not made at the same time, a service is left alone for a moment. */
const PAUSE_MS = 20;

/**
 * Asks for everything that a case is made of. It only reads, a few lists at a time.
 * @throws {AmpError} where the installation is not found; other missing parts are listed in
 * `missingEvidence`
 */
export async function gather(context: GatherContext, options: GatherOptions): Promise<Evidence> {
  const { api, project, report } = context;
  const requests = 9 + (options.logs ? 2 : 0) + (options.isSaved ? LOOKUPS : 0);
  const recorder = createRecorder(api);
  const path = { projectIdOrName: project };
  // They arrive while the installation is looked for.
  const lists = Promise.all([
    recorder.call({ role: "integrations", what: "names of integrations" }, listIntegrations, {
      path,
    }),
    ...RESOURCE_ORDER.map((kind) => {
      const { list, words, redact = (record) => record } = RESOURCES[kind];
      return recorder.ask({ role: kind, what: words[1] }, list, { path }, async () => {
        const listed = await api.call(list, { path });
        const records = listed.map((one) => changeCopyAndOriginal(one, redact));
        return { records, body: records.map(originalOf) };
      });
    }),
  ]);
  lists.catch(() => {});
  const target = await findTarget(context, options, recorder);
  report.notice(
    `Reading installations, operations, ${options.logs ? "logs, " : ""}and routing of project ${project}: about ${requests} requests; nothing is changed.`,
  );
  await lists;
  const { operations, isWhole } = await askOperations(
    context,
    target.installation,
    options,
    recorder,
  );
  await askProgress(context, target.installation, operations, recorder);
  const facts = operations && operationFacts(operations, isWhole, readNames(target.installation));
  const withoutLogs = await askLogs(context, facts, options, recorder);
  if (options.isSaved) await recordLookups(context, target.installation, recorder);
  const { gathered, missingEvidence } = recorder;
  return { gathered, missingEvidence, target, isWhole, withoutLogs };
}

async function askOperations(
  { api, project, report }: Pick<GatherContext, "api" | "project" | "report">,
  installation: Installation,
  { since }: Pick<GatherOptions, "since">,
  recorder: Recorder,
): Promise<{ operations: readonly OperationRecord[] | undefined; isWhole: boolean }> {
  const path = installationPath(project, installation);
  const query = { pageSize: PAGE_SIZE };
  const reads = readNames(installation);
  const isFault = isFailing(recordFacts(installation, false));
  let isWhole = true;
  const [operations] = await Promise.all([
    recorder.ask(
      { role: "operations", what: "operations" },
      listOperations,
      { path, query },
      async () => {
        const list = await asked("show operations", api.list(listOperations, { path, query }));
        const read: OperationRecord[] = [];
        let from = since;
        for await (const batch of batchesOf(list)) {
          let wanted = batch.filter((one) => !isBefore(one, from));
          const isPast = wanted.length < batch.length;
          if (isPast && isFault && operationFacts([...read, ...wanted], true, reads).failed === 0) {
            // Without its failure, the verdict would be about another state than the reported one.
            report.notice(
              "No operation failed in the time of --since: earlier operations are used.",
            );
            from = undefined;
            wanted = [...batch];
          }
          read.push(...wanted);
          const isLast = wanted.length < batch.length;
          if (isLast || (!Array.isArray(list) && isEnough(read, reads))) {
            isWhole = false;
            break;
          }
          await wait(PAUSE_MS);
        }
        const pagination = isWhole
          ? { done: true }
          : { done: false, nextPageToken: "not-in-this-case" };
        return { records: read, body: { results: originalOf(read), pagination } };
      },
    ),
    recorder.call({ role: "installation" }, getInstallation, { path }),
  ]);
  return { operations, isWhole };
}

/** Reads how far the newest operation has come, where it reads all records and has not ended. */
async function askProgress(
  { project }: Pick<GatherContext, "project">,
  installation: Installation,
  operations: readonly OperationRecord[] | undefined,
  recorder: Recorder,
): Promise<void> {
  const { running } = operationFacts(operations ?? [], true);
  const objectName = objectOf(running);
  if (objectName === undefined) return;
  const path = { ...installationPath(project, installation), objectName };
  // Not every operation reads all records, so a missing one is not reported.
  await recorder.call({ role: "progress" }, getBackfillProgress, { path });
}

function isBefore({ createTime }: OperationRecord, since: number | undefined): boolean {
  const time = timeOf(createTime);
  return since !== undefined && time !== undefined && time < since;
}

/**
 * Whether no earlier operation matters, because the last success is known, or they are too many.
 */
function isEnough(read: readonly OperationRecord[], reads: readonly string[] | undefined): boolean {
  return read.length >= MAX_OPERATIONS || reachesSuccess(read, reads);
}

/**
 * Reads the logs of the first and the last operation that failed; of what works again, the last.
 * @returns why there are none, with `--no-logs`
 */
async function askLogs(
  { project }: Pick<GatherContext, "project">,
  operations: OperationFacts | undefined,
  { logs }: Pick<GatherOptions, "logs">,
  recorder: Recorder,
): Promise<string | undefined> {
  if (!logs) return "--no-logs was set";
  if (operations === undefined) return "no operations";
  const { firstFailed, lastFailed, recovered } = operations;
  const failed = [lastFailed, firstFailed, recovered?.lastFailed];
  const ids = new Set(failed.flatMap((one) => one?.id ?? []));
  if (ids.size === 0) return "no operation failed";
  await Promise.all(
    [...ids].map((operationId) => {
      const path = { projectIdOrName: project, operationId };
      const part = {
        role: "logs",
        what: `logs of ${operationId}`,
        operation: operationId,
      } as const;
      return recorder.call(part, listOperationLogs, { path });
    }),
  );
  return undefined;
}
