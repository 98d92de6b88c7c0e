import {
  AmpError,
  ConflictError,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
} from "../../errors.ts";
import type { LiveRecord } from "../model/resource.ts";
import type { ExistingIds, Resource } from "../model/routing.ts";
import { differencesOf } from "../plan/diff.ts";
import { indexLive } from "../plan/live.ts";
import { importCommand } from "../state/edit.ts";
import type { PendingCreate } from "../state/state.ts";
import { listService, type Run } from "./run.ts";

/** A create between its intent and its outcome. */
export interface CreateInProgress {
  readonly resource: Resource;
  readonly intent: Omit<PendingCreate, "started">;
  /** IDs of the endpoints of a route. */
  readonly endpoints: ExistingIds;
  readonly since: Date;
}

/** The outcome of a create, as far as the answer says. */
export type CreateOutcome =
  | { readonly kind: "created"; readonly id: string; readonly requestId?: string }
  /** Certainly not done. */
  | { readonly kind: "refused"; readonly error: AmpError }
  /** Certainly not done, and another attempt may help. */
  | { readonly kind: "unsent"; readonly error: AmpError }
  /** `answered`: the service has answered or closed the connection, so it is not still working on it. */
  | { readonly kind: "unknown"; readonly error: AmpError; readonly answered: boolean };

/**
 * Sends a create and sorts its outcome.
 * @throws {unknown} any error that is not amp's own: a defect, which says nothing of the outcome
 */
export async function outcomeOfCreate(
  send: (onRequestId: (requestId: string) => void) => Promise<LiveRecord>,
): Promise<CreateOutcome> {
  let requestId: string | undefined;
  try {
    const { id } = await send((identifier) => {
      requestId = identifier;
    });
    return { kind: "created", id, ...(requestId ? { requestId } : {}) };
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    return outcomeOfError(error);
  }
}

function outcomeOfError(error: AmpError): CreateOutcome {
  // An answer that does not fit the schema but has an ID says what matters.
  const id = idIn(error);
  const { requestId } = error.facts;
  if (id !== undefined) return { kind: "created", id, ...(requestId ? { requestId } : {}) };
  if (isUnknown(error)) return { kind: "unknown", error, answered: wasAnswered(error) };
  return { kind: isWorthRepeating(error) ? "unsent" : "refused", error };
}

function idIn({ facts }: AmpError): string | undefined {
  const created = facts.data?.created as { readonly id?: unknown } | undefined;
  return typeof created?.id === "string" ? created.id : undefined;
}

/** Whether the create may have been done; one that a signal interrupted may have arrived. */
function isUnknown(error: AmpError): boolean {
  return (
    error instanceof PartialError ||
    error instanceof InterruptedError ||
    error instanceof TerminatedError
  );
}

/** Statuses of time-outs, after which the service may still work on the create. */
const TIMEOUTS = [408, 504];

function wasAnswered({ facts: { status, connectionCut = false } }: AmpError): boolean {
  return status === undefined ? connectionCut : !TIMEOUTS.includes(status);
}

function isWorthRepeating(error: AmpError): boolean {
  const { status, retryable } = error.facts;
  if (!(error instanceof ServiceError)) return false;
  return status === undefined ? retryable === true : retryable !== false;
}

/** Statuses by which a service may say that the resource exists already. */
const MAY_EXIST = new Set([400, 409, 422]);

/**
 * Settles a create that was refused. Where the service lists exactly one record as wanted, it is
 * adopted; otherwise nothing was created, and the intent is dropped.
 */
export async function settleRefusal(
  run: Run,
  work: CreateInProgress,
  error: AmpError,
): Promise<"continue" | "stop"> {
  const { resource, intent } = work;
  const { address } = resource;
  const found = await findExisting(run, work, error.facts.status ?? 0);
  const [one] = found;
  if (one !== undefined && found.length === 1 && differencesOf(resource, one).length === 0) {
    // An earlier attempt may have created it.
    const origin = intent.attempt > 1 ? "reconciled" : "adopted";
    return run.outcomes.record(work, { id: one.id, origin, sent: true });
  }
  const { requestId } = error.facts;
  const refusal = explainRefusal(run, work, error, found);
  run.outcomes.fail(work, refusal, { outcome: "refused", requestId, sent: true });
  // An intent that cannot be dropped is looked up by the next run, and found not done.
  await run.manager.dropIntent(address).catch(() => {});
  return "stop";
}

/** The listed records that the refusal may be about; none where they cannot be listed now. */
async function findExisting(
  run: Run,
  { resource, endpoints, intent: { idsBefore } }: CreateInProgress,
  status: number,
): Promise<readonly LiveRecord[]> {
  if (!MAY_EXIST.has(status)) return [];
  const live = await listService(run).catch(() => undefined);
  if (live === undefined) return [];
  // A record that counted as deleted exists after all only if the service says so with a 409.
  return indexLive(live)
    .matches(resource, endpoints)
    .filter(({ id }) => status === 409 || !idsBefore.includes(id));
}

function explainRefusal(
  run: Run,
  work: CreateInProgress,
  error: AmpError,
  found: readonly LiveRecord[],
): AmpError {
  if (found.length > 1) return severalFound(error, found);
  // Without lists nothing can be looked up, but a person may know that the existing one is meant.
  return error.facts.status === 409 && run.manager.state.lists !== true
    ? error.with({ suggestion: importCommand(work.resource.address, { placeholder: "id" }) })
    : error;
}

function severalFound(error: AmpError, found: readonly LiveRecord[]): AmpError {
  const ids = found.map(({ id }) => id);
  return new ConflictError(
    `${error.message}; ${ids.length} of them exist`,
    { ...error.facts, detail: ids.join(", "), data: { ...error.facts.data, ids } },
    { cause: error },
  );
}
