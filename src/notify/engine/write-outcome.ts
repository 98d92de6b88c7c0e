import {
  type AmpError,
  ConflictError,
  InterruptedError,
  PartialError,
  ServiceError,
  TerminatedError,
} from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { createdId } from "../model/operations.ts";
import type { LiveRecord } from "../model/resource.ts";
import type { ExistingIds, Resource } from "../model/routing.ts";
import { shownOtherwise } from "../plan/changes.ts";
import { differencesOf } from "../plan/diff.ts";
import { indexLive } from "../plan/live.ts";
import { importCommand } from "../state/edit.ts";
import type { PendingWrite } from "../state/state.ts";
import { listService, type Run } from "./run.ts";

/** A create or update between its intent and its outcome. */
export interface WriteInProgress {
  readonly resource: Resource;
  readonly intent: Omit<PendingWrite, "started">;
  readonly dependencies: ExistingIds;
  readonly since: Date;
}

/** The outcome of a create or update, as far as the answer says. */
export type WriteOutcome =
  | {
      readonly kind: "done";
      readonly id: string;
      readonly requestId: string | undefined;
      /** The record of a create; absent where the answer could not be read. */
      readonly answer?: LiveRecord;
    }
  /** Certainly not done. */
  | { readonly kind: "refused"; readonly error: AmpError }
  /** Certainly not done, and another attempt may help. */
  | { readonly kind: "unsent"; readonly error: AmpError }
  | { readonly kind: "unknown"; readonly error: AmpError };

/** The outcome of a write that ended with an error. */
export function writeOutcomeOf(error: AmpError): WriteOutcome {
  // An answer that does not fit the schema but has an ID proves that the resource was created.
  const id = createdId(error);
  const { requestId } = error.facts;
  if (typeof id === "string") return { kind: "done", id, requestId };
  if (UNKNOWN.some((kind) => error instanceof kind)) return { kind: "unknown", error };
  return { kind: isWorthRepeating(error) ? "unsent" : "refused", error };
}

/** Errors after which the write may have been done; one that a signal interrupted may have arrived. */
const UNKNOWN = [PartialError, InterruptedError, TerminatedError];

function isWorthRepeating(error: AmpError): boolean {
  const { status, retryable } = error.facts;
  if (!(error instanceof ServiceError)) return false;
  return status === undefined ? retryable === true : retryable !== false;
}

/** Statuses by which a service may say that the resource exists already. */
const MAY_EXIST = new Set([400, 409, 422]);

/**
 * Resolves a create that was refused. Where the service lists exactly one record as wanted, it is
 * adopted; otherwise nothing was created, and the intent is dropped.
 */
export async function settleRefusedCreate(
  run: Run,
  work: WriteInProgress,
  error: AmpError,
): Promise<"continue" | "stop"> {
  const { resource, intent } = work;
  const { address } = resource;
  const found = await findExisting(run, work, error.facts.status ?? 0);
  const [one] = found;
  if (one !== undefined && found.length === 1 && differencesOf(resource, one).length === 0) {
    // An earlier attempt may have created it.
    const origin = intent.attempt > 1 ? "reconciled" : "adopted";
    const shown = shownOtherwise(run.manager.state.salt, resource, one);
    return run.outcomes.record(work, { id: one.id, origin, sent: true, shown });
  }
  const { requestId } = error.facts;
  const refusal = explainRefusedCreate(run, work, error, found);
  const failure = { error: refusal, write: "create" } as const;
  run.outcomes.fail(work, failure, { outcome: "refused", requestId, sent: true });
  // An intent that cannot be dropped is looked up by the next run, and found not done.
  await run.manager.dropIntent(address).catch(() => {});
  return "stop";
}

/** The listed records that the refusal may be about; none where they cannot be listed now. */
async function findExisting(
  run: Run,
  { resource, dependencies, intent: { idsBefore } }: WriteInProgress,
  status: number,
): Promise<readonly LiveRecord[]> {
  if (!MAY_EXIST.has(status)) return [];
  const live = await listService(run).catch(() => undefined);
  if (live === undefined) return [];
  // A record that counted as deleted exists after all only if the service says so with a 409.
  return indexLive(live)
    .matches(resource, dependencies)
    .filter(({ id }) => status === 409 || !idsBefore.includes(id));
}

function explainRefusedCreate(
  run: Run,
  { resource, dependencies }: WriteInProgress,
  error: AmpError,
  found: readonly LiveRecord[],
): AmpError {
  const { facts, message } = error;
  if (found.length > 1) {
    const ids = found.map(({ id }) => id);
    return new ConflictError(
      `${message}; ${ids.length} of them exist`,
      { ...facts, detail: ids.join(", "), data: { ...facts.data, ids } },
      { cause: error },
    );
  }
  if (run.manager.state.lists === true) return error;
  const id = { placeholder: "id" } as const;
  // Without lists nothing can be looked up, but a person may know that the existing one is meant.
  if (facts.status === 409) {
    return error.setFacts({ suggestion: importCommand(resource.address, id) });
  }
  const unchecked = [...dependencies].filter(
    ([address]) => run.manager.state.records.get(address)?.origin === "imported",
  );
  if (unchecked.length === 0) return error;
  const recorded = unchecked.map(([address, its]) => `${address} is recorded with the ID ${its}`);
  return error.setFacts({
    remedy: `${recorded.join(", ")}, which was never checked. If it is wrong, record the right one:`,
    suggestion: unchecked.flatMap(([address]) => [
      suggest("notify forget", [address]),
      importCommand(address, id),
    ]),
  });
}
