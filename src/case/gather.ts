import { setTimeout as wait } from "node:timers/promises";
import {
  getBackfillProgress,
  getInstallation,
  getProvider,
  listConnections,
  listIntegrations,
  listInvites,
  listOperationLogs,
  listOperations,
  listProjects,
  listProviderApps,
  listProviders,
} from "../api/operations/endpoints.ts";
import type { Installation, ListedConnection } from "../api/schemas/installation.ts";
import type { OperationRecord } from "../api/schemas/operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { groupOf, installationPath } from "../inspect/installations.ts";
import { asked } from "../inspect/operations.ts";
import { RESOURCE_ORDER, RESOURCES } from "../notify/model/resource.ts";
import { batchesOf } from "../values/batches.ts";
import { changeCopyAndOriginal, originalOf } from "../values/odd-fields.ts";
import { timeOf } from "../values/time.ts";
import { caseErrors } from "./errors.ts";
import { isFailing, operationsOn, readNames, recordFacts } from "./facts.ts";
import {
  type OperationFacts,
  objectOf,
  operationFacts,
  reachesSuccess,
} from "./operation-facts.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { findTarget, type Target, type TargetContext, type TargetOptions } from "./target.ts";

interface GatherOptions extends TargetOptions {
  /** The time of the oldest operation to read; undefined: back to the last success. */
  readonly since: number | undefined;
  /** The only object whose operations are judged; undefined: all. */
  readonly object: string | undefined;
  readonly noLogs: boolean;
  /** Whether the evidence is saved: then it has also what only the reader of a case looks up. */
  readonly isSaved: boolean;
}

/** The part of a command's context that gathers evidence. */
export type GatherContext = TargetContext & Pick<CommandContext, "api" | "report">;

/** The evidence, before anything is taken out. */
export interface Evidence extends Pick<Recorder, "gathered" | "missingEvidence"> {
  readonly target: Target;
  readonly object: string | undefined;
  /** Whether the operations go back to the first one. */
  readonly isWhole: boolean;
  /** Why there are no logs although none failed to be read. */
  readonly withoutLogs: string | undefined;
}

/** The maximum number of operations that are read, and of one request. */
const MAX_OPERATIONS = 1_000;
const PAGE_SIZE = "200";
/** The maximum number of requests for the providers, or for the objects of one installation. */
const MAX_SINGLES = 20;
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
  const requests = 9 + (options.noLogs ? 0 : 2) + (options.isSaved ? LOOKUPS : 0);
  const recorder = createRecorder(api);
  const path = { projectIdOrName: project };
  // They arrive while the installation is looked for, which is what matters.
  const names = { ...listIntegrations, isAside: true };
  const lists = Promise.all([
    recorder.call({ role: "integrations", what: "names of integrations" }, names, { path }),
    ...RESOURCE_ORDER.map((kind) => {
      const { list, words, redact = (record) => record } = RESOURCES[kind];
      return recorder.ask({ role: kind, what: words[1] }, list, { path }, async () => {
        const listed = await api.call({ ...list, isAside: true }, { path });
        const records = listed.map((one) => changeCopyAndOriginal(one, redact));
        return { records, body: records.map(originalOf) };
      });
    }),
  ]);
  lists.catch(() => {});
  const target = await findTarget(context, options, recorder);
  const { installation } = target;
  report.notice(
    `Reading installations, operations, ${options.noLogs ? "" : "logs, "}and routing of project ${project}: about ${requests} requests; nothing is changed.`,
  );
  await lists;
  const object = objectMeant(installation, options.object);
  const asked = { ...options, object };
  const { operations, isWhole } = await askOperations(context, installation, asked, recorder);
  const judged = operationsOn(operations, object);
  const facts = judged && operationFacts(judged, isWhole, readNames(installation));
  const objectName = objectOf(facts?.running);
  if (objectName !== undefined) {
    const of = { ...installationPath(project, installation), objectName };
    // Not every operation reads all records, so a missing one is not reported.
    await recorder.call({ role: "progress" }, getBackfillProgress, { path: of });
  }
  const withoutLogs = await askLogs(project, facts, options, recorder);
  if (options.isSaved) await recordLookups(context, installation, recorder);
  const { gathered, missingEvidence } = recorder;
  return { gathered, missingEvidence, target, object, isWhole, withoutLogs };
}

/**
 * The object that a text means, in any case.
 * @throws {UsageError} for one that the installation does not read
 */
function objectMeant(installation: Installation, typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  const names = [...new Set(readNames(installation))];
  const meant = names.find((name) => name.toLowerCase() === typed.toLowerCase());
  if (meant === undefined) throw caseErrors.object_unknown(typed, names);
  return meant;
}

async function askOperations(
  { api, project, report }: Pick<GatherContext, "api" | "project" | "report">,
  installation: Installation,
  { since, object }: Pick<GatherOptions, "since" | "object">,
  recorder: Recorder,
): Promise<{ operations: readonly OperationRecord[] | undefined; isWhole: boolean }> {
  const path = installationPath(project, installation);
  const query = { pageSize: PAGE_SIZE };
  const reads = readNames(installation);
  const isFault = isFailing(recordFacts(installation, false));
  const judged = (some: readonly OperationRecord[]) => operationsOn(some, object) ?? [];
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
          if (
            isPast &&
            isFault &&
            operationFacts(judged([...read, ...wanted]), true, reads).failed === 0
          ) {
            // Without its failure, the verdict would be about another state than the reported one.
            report.notice(
              "No operation failed in the time of --since: earlier operations are used.",
            );
            from = undefined;
            wanted = [...batch];
          }
          read.push(...wanted);
          const isLast = wanted.length < batch.length;
          // Before the last success, nothing matters.
          const isEnough = read.length >= MAX_OPERATIONS || reachesSuccess(judged(read), reads);
          if (isLast || (!Array.isArray(list) && isEnough)) {
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

function isBefore({ createTime }: OperationRecord, since: number | undefined): boolean {
  const time = timeOf(createTime);
  return since !== undefined && time !== undefined && time < since;
}

/**
 * Reads the logs of the first and the last operation that failed; of what works again, the last.
 * @returns why there are none although none failed to be read
 */
async function askLogs(
  project: string,
  operations: OperationFacts | undefined,
  { noLogs }: Pick<GatherOptions, "noLogs">,
  recorder: Recorder,
): Promise<string | undefined> {
  if (noLogs) return "--no-logs was set";
  if (operations === undefined) return "no operations";
  const { firstFailed, lastFailed, recovered } = operations;
  const failed = [lastFailed, firstFailed, recovered?.lastFailed];
  const ids = new Set(failed.flatMap((one) => one?.id ?? []));
  if (ids.size === 0) return "no operation failed";
  await Promise.all(
    [...ids].map((operationId) => {
      const what = `logs of ${operationId}`;
      const part = { role: "logs", what, operation: operationId } as const;
      const path = { projectIdOrName: project, operationId };
      return recorder.call(part, listOperationLogs, { path });
    }),
  );
  return undefined;
}

type LookupContext = Pick<CommandContext, "api" | "settings"> & { readonly project: string };

/**
 * Records what no rule judges, so that the commands which only read find it in the saved case:
 * projects, provider apps, providers, connections, invites, and reads of all records. What the
 * service does not have, or not for this credential, is recorded as such and need not be reported.
 */
async function recordLookups(
  context: LookupContext,
  installation: Installation,
  recorder: Recorder,
): Promise<void> {
  const { project, settings } = context;
  const path = { projectIdOrName: project };
  const orgId = settings.get("org")?.value;
  const record = recorder.call;
  const [apps = [], providers] = await Promise.all([
    record({ role: "lookup", what: "provider apps" }, listProviderApps, { path }),
    record({ role: "catalogue", what: "providers" }, listProviders, {}),
    record({ role: "lookup", what: "projects" }, listProjects, {}),
    recordConnections(context, installation, recorder),
    orgId && record({ role: "lookup", what: "invites" }, listInvites, { path: { orgId } }),
    ...firsts(readNames(installation) ?? []).map((objectName) => {
      const of = { ...installationPath(project, installation), objectName };
      const what = `progress of ${objectName}`;
      return record({ role: "lookup", what }, getBackfillProgress, { path: of });
    }),
  ]);
  if (providers !== undefined) return;
  const { config, connection } = installation;
  const own = config.content?.provider ?? connection.provider;
  const names = [own, ...apps.map((app) => app.provider)].flatMap((name) => name || []);
  await Promise.all(
    firsts(names).map((provider) => {
      const what = `provider ${provider}`;
      return record({ role: "catalogue", what }, getProvider, { path: { provider } });
    }),
  );
}

/** The names that are asked for one by one: each once, and of many the first. */
function firsts(names: readonly string[]): readonly string[] {
  return [...new Set(names)].slice(0, MAX_SINGLES);
}

async function recordConnections(
  { api, project }: LookupContext,
  installation: Installation,
  recorder: Recorder,
): Promise<void> {
  const path = { projectIdOrName: project };
  const groupRef = groupOf(installation)?.groupRef || undefined;
  const isOfGroup = ({ id, group }: ListedConnection) =>
    id === installation.connection.id || (groupRef !== undefined && group?.groupRef === groupRef);
  const part = { role: "lookup", what: "connections" } as const;
  await recorder.ask(part, listConnections, { path }, async () => {
    const kept: ListedConnection[] = [];
    let total = 0;
    for await (const batch of batchesOf(await api.list(listConnections, { path }))) {
      total += batch.length;
      kept.push(...batch.filter(isOfGroup));
    }
    const of = kept.length < total ? total : undefined;
    return { records: kept, body: originalOf(kept), of };
  });
}
