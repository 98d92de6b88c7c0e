import { apiErrors } from "../api/errors.ts";
import type { Api, ListResult } from "../api/operations/endpoint.ts";
import { getOperation, listOperationLogs, listOperations } from "../api/operations/endpoints.ts";
import { ifAvailable } from "../api/operations/optional-operation.ts";
import { follow, type Polling } from "../api/operations/poll.ts";
import type { Installation } from "../api/schemas/installation.ts";
import type { LogEntry, OperationRecord } from "../api/schemas/operation.ts";
import type { CommandContext } from "../context/command-context.ts";
import { isKind, isNotRecorded, NotFoundError } from "../errors.ts";
import { explainNotFound } from "../questions/find.ts";
import { suggest } from "../values/suggested-command.ts";
import { localTimeText, localTimeZone, readPeriod, timeAdvice, timeOf } from "../values/time.ts";
import { inspectErrors } from "./errors.ts";
import { findListed, INTEGRATION_PLACE, installationPath } from "./installations.ts";

/**
 * The answer about a record that exists: a service that does not find it lacks the operation.
 * @param does the middle of "This service does not …"
 * @throws {NotFoundError} operation_missing, so that its remedy is not to look for the record
 */
export async function asked<Answer>(does: string, call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (error) {
    const isKnown = isKind(error, "operation_missing") || isNotRecorded(error);
    if (isKnown || !(error instanceof NotFoundError)) throw error;
    throw apiErrors.operation_missing({ does }, error.facts.status);
  }
}

interface OperationSelection {
  readonly failed: boolean;
  /** The time of the oldest operation, in milliseconds since 1970. */
  readonly since: number | undefined;
}

/**
 * The operations of an installation, newest first, page by page. What is older than the selection
 * is not requested.
 */
export async function operationsOf(
  api: Api,
  project: string,
  installation: Installation,
  { failed, since }: OperationSelection,
): Promise<ListResult<OperationRecord>> {
  const all = await asked(
    "show operations",
    api.list(listOperations, { path: installationPath(project, installation) }),
  );
  const isWanted = ({ status, createTime }: OperationRecord) =>
    (!failed || status === "failure") &&
    (timeOf(createTime) ?? Number.POSITIVE_INFINITY) >= (since ?? 0);
  const isOld = ({ createTime }: OperationRecord) =>
    since !== undefined && (timeOf(createTime) ?? Number.POSITIVE_INFINITY) < since;
  if (!(Symbol.asyncIterator in all)) return all.filter(isWanted);
  return (async function* () {
    for await (const batch of all) {
      const wanted = batch.filter(isWanted);
      if (wanted.length > 0) yield wanted;
      // A page of nothing but older ones: so are all the pages behind it.
      if (batch.every(isOld)) return;
    }
  })();
}

type Inspecting = { readonly api: Api; readonly project: string };

type Reading = Inspecting & Pick<CommandContext, "settings">;

/**
 * Says of an operation that is not found what to run next: by what the service lists, because it
 * may list installations only by integration, or have no operations.
 */
async function explainUnknown<Result>(
  { api, project, settings }: Reading,
  id: string,
  call: Promise<Result>,
): Promise<Result> {
  return call.catch(async (error: unknown) => {
    if (!(error instanceof NotFoundError) || isKind(error, "operation_missing")) throw error;
    const isOwn = ({ id: own, connection }: Installation) => [own, connection.id].includes(id);
    const found = await ifAvailable(findListed(api, project, isOwn));
    const mayNot = "The service may no longer have it, or may not provide operations.";
    const remedy = `${mayNot} Find the installation, then list its operations.`;
    return explainNotFound(
      found?.isFound
        ? {
            remedy: "This is an installation.",
            suggestion: suggest("installations operations", [id]),
          }
        : found !== undefined
          ? { remedy, suggestion: suggest("installations list", [], { allIntegrations: true }) }
          : settings.get("integration") !== undefined
            ? { remedy, suggestion: suggest("installations list") }
            : {
                remedy: `${remedy} ${INTEGRATION_PLACE}`,
                suggestion: suggest("installations list", [{ placeholder: "integration" }]),
              },
      Promise.reject(error),
    );
  });
}

/** The ID of an operation in a text, such as a line of a log. */
export function mentionedOperation(text: string): string | undefined {
  return /(?<![\p{L}\p{N}_-])op_[\w-]*\d[\w-]*/iu.exec(text)?.[0].toLowerCase();
}

/**
 * The ID of an operation that a text is, or mentions.
 * @throws {NotFoundError} before anything is sent, for the ID of an installation or connection, or
 * a name
 */
export function operationIn(typed: string): string {
  const [kind] = /^(?:ins|con)(?=_)/iu.exec(typed) ?? [];
  // A name has no digit, or several words; an ID of any service has one, and no space.
  if (kind === undefined && /^(?=.*[\d_])\S+$/u.test(typed.trim())) return typed.trim();
  const mentioned = mentionedOperation(typed);
  if (mentioned !== undefined) return mentioned;
  const what =
    kind === undefined
      ? "a name"
      : kind.toLowerCase() === "ins"
        ? "an installation"
        : "a connection";
  throw inspectErrors.id_not_operation(typed, what);
}

/** An operation that only helps; undefined if the service does not show it. */
export function operationIfShown(
  { api, project }: Inspecting,
  id: string,
): Promise<OperationRecord | undefined> {
  const path = { projectIdOrName: project, operationId: id };
  return ifAvailable(api.call(getOperation, { path }));
}

/** The log of an operation, oldest first. */
export function logsOf(reading: Reading, id: string): Promise<LogEntry[]> {
  const { api, project } = reading;
  const path = { projectIdOrName: project, operationId: id };
  return explainUnknown(reading, id, api.call(listOperationLogs, { path }));
}

/** The pauses between two looks at a log without new lines, in milliseconds. */
const PAUSES = [1000, 2000, 3000, 5000];

/** The lines of the log of an operation as they are added, until it has ended. */
export function followLogs(
  context: Polling & Reading,
  id: string,
  pauses = PAUSES,
): AsyncGenerator<readonly LogEntry[]> {
  const { project, settings } = context;
  let isOver = false;
  let shown = 0;
  const read = async (api: Api) => {
    const reading = { api, project, settings };
    // The state first, so that the lines include everything logged before the end.
    isOver = await hasEnded(reading, id);
    const added = (await logsOf(reading, id)).slice(shown);
    shown += added.length;
    return added;
  };
  return follow(context, read, () => isOver, pauses);
}

/** Whether an operation has ended; a state that amp does not know is one in which nothing ends. */
async function hasEnded(reading: Reading, id: string): Promise<boolean> {
  const path = { projectIdOrName: reading.project, operationId: id };
  const { status } = await explainUnknown(reading, id, reading.api.call(getOperation, { path }));
  return status === "success" || status === "failure";
}

/**
 * The time that `--since` means, in milliseconds since 1970. Says of words such as monday which
 * time it is.
 * @throws {UsageError} for anything but a time that has passed
 */
export function sinceTime(
  typed: string | undefined,
  { now: clock, report, environment }: Pick<CommandContext, "now" | "report" | "environment">,
): number | undefined {
  if (typed === undefined) return undefined;
  const [text, now] = [typed.trim(), clock()];
  const { start, isAgo } = readPeriod(text, now) ?? {};
  if (start === undefined || start > now.getTime()) {
    const problem = start === undefined ? "is not a time" : "is in the future";
    throw inspectErrors.since_invalid(typed, problem, timeAdvice(typed));
  }
  if (!isAgo && timeOf(text) === undefined) {
    const zone = localTimeZone(environment.env);
    report.notice(`--since ${text}: from ${localTimeText(new Date(start), zone)}.`);
  }
  return start;
}
