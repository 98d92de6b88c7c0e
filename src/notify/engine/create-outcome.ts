import { isConnectionCut } from "../../api/network/network-failure.ts";
import {
  AmpError,
  ConflictError,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
} from "../../errors.ts";
import type { LiveRecord } from "../model/resource.ts";
import { differencesOf } from "../plan/diff.ts";
import { indexLive } from "../plan/live.ts";
import type { CreateInProgress } from "./create-one.ts";
import { importCommand } from "./failure.ts";
import { outcomeOf, recordExisting } from "./outcomes.ts";
import { listService, type Run } from "./run.ts";

/** What one create came to, as far as its answer tells. */
export type CreateOutcome =
  | { readonly kind: "created"; readonly id: string; readonly requestId?: string }
  /** It is certain that nothing came about. */
  | { readonly kind: "refused"; readonly error: AmpError }
  /** The same, and sending it once more may help. */
  | { readonly kind: "unsent"; readonly error: AmpError }
  /** `answered`: the service has said something, or hung up; it is not still at work unheard. */
  | { readonly kind: "unknown"; readonly error: AmpError; readonly answered: boolean };

/**
 * Sorts the end of a create.
 * @throws whatever is no error of amp's own: a defect, of which nobody knows what it means
 */
export async function outcomeOfCreate(
  send: (onRequestId: (requestId: string) => void) => Promise<LiveRecord>,
): Promise<CreateOutcome> {
  let requestId: string | undefined;
  try {
    const { id } = await send((told) => {
      requestId = told;
    });
    return { kind: "created", id, ...(requestId ? { requestId } : {}) };
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    return outcomeOfError(error);
  }
}

function outcomeOfError(error: AmpError): CreateOutcome {
  // An answer that is odd but holds an id tells what matters.
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

/** A create that a signal broke off may have arrived. */
function isUnknown(error: AmpError): boolean {
  return (
    error instanceof PartialError ||
    error instanceof InterruptedError ||
    error instanceof TerminatedError
  );
}

/** Time-outs, this machine's and a gateway's, after which the service may go on. */
const TIMEOUTS = [408, 504];

function wasAnswered({ facts: { status }, cause }: AmpError): boolean {
  return status === undefined ? isConnectionCut(cause) : !TIMEOUTS.includes(status);
}

function isWorthRepeating(error: AmpError): boolean {
  const { status, retryable } = error.facts;
  if (!(error instanceof ServiceError)) return false;
  return status === undefined ? retryable === true : retryable !== false;
}

/** Statuses by which a service may say that it exists already. */
const MAY_EXIST = new Set([400, 409, 422]);

/**
 * Settles a create that was refused. Where the list shows exactly one that is as wanted, that is it;
 * else nothing came about, and the intent is gone.
 */
export async function settleRefusal(
  run: Run,
  work: CreateInProgress,
  error: AmpError,
): Promise<"on" | "stop"> {
  const { resource, intent } = work;
  const { address } = resource;
  const found = await findExisting(run, work, error.facts.status ?? 0);
  const [one] = found;
  if (one !== undefined && found.length === 1 && differencesOf(resource, one).length === 0) {
    // One that was sent before may well be the one that is there.
    const origin = intent.attempt > 1 ? "reconciled" : "adopted";
    return recordExisting(run, work, { id: one.id, origin, sent: true });
  }
  const { requestId } = error.facts;
  const settled = outcomeOf(run, work, { outcome: "refused", requestId, sent: true });
  run.ledger.fail({ address, error: explainRefusal(run, work, error, found) }, settled);
  // An intent that stays is looked up by the next run, and found to have come to nothing.
  await run.journal.dropIntent(address).catch(() => {});
  return "stop";
}

/** None where there is no list, or it cannot be read now: the refusal stands. */
async function findExisting(
  run: Run,
  { resource, endpoints, intent: { idsBefore } }: CreateInProgress,
  status: number,
): Promise<readonly LiveRecord[]> {
  if (!MAY_EXIST.has(status)) return [];
  const live = await listService(run).catch(() => undefined);
  if (live === undefined) return [];
  // One that was held for gone is there after all only if the service says so.
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
  // Nothing can be looked up here, but somebody may know that the one in the way is the one meant.
  return error.facts.status === 409 && run.journal.state.lists !== true
    ? error.with({ suggestion: importCommand(work.resource.address, "ID") })
    : error;
}

function severalFound(error: AmpError, found: readonly LiveRecord[]): AmpError {
  const ids = found.map(({ id }) => id);
  return new ConflictError(
    `${error.message}, and there are ${ids.length} of it`,
    { ...error.facts, detail: ids.join(", "), data: { ...error.facts.data, ids } },
    { cause: error },
  );
}
