import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import {
  type AmpError,
  ConflictError,
  InterruptedError,
  NotFoundError,
  PartialError,
  RejectedError,
  ServiceError,
  TerminatedError,
} from "../../errors.ts";
import { isJsonObject } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { createdId } from "../model/operations.ts";
import { type LiveRecord, RESOURCES } from "../model/resource.ts";
import type { ExistingIds, Resource } from "../model/routing.ts";
import { ANOTHER_NAME } from "../plan/conflicts.ts";
import { differencesOf } from "../plan/diff.ts";
import { shownOtherwise } from "../plan/field-values.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import { importCommand } from "../state/edit.ts";
import type { PendingWrite } from "../state/state.ts";
import { writeOf } from "./outcomes.ts";
import { listIfPossible, type Run } from "./run.ts";

/** A create or update between its intent and its outcome. */
export interface WriteInProgress {
  readonly resource: Resource;
  readonly intent: Omit<PendingWrite, "started">;
  readonly dependencies: ExistingIds;
  readonly since: Date;
  /** The lists of before a create; absent where there are none. */
  readonly index?: LiveIndex | undefined;
}

/** The outcome of a create or update, as far as the answer says. */
export type WriteOutcome =
  | {
      readonly kind: "done";
      readonly id: string;
      readonly requestId: string | undefined;
      /** The record of a create; absent where the answer could not be read. */
      readonly answer?: LiveRecord;
      /** An update whose answer does not show what was sent. */
      readonly isUnseen?: boolean;
    }
  /** Certainly not done. */
  | { readonly kind: "refused"; readonly error: AmpError }
  /** Certainly not done, whether it was sent or not, and another attempt may help. */
  | { readonly kind: "retryable"; readonly error: AmpError }
  | { readonly kind: "unknown"; readonly error: AmpError }
  /** A create was answered with another resource: whether it was done is not known, either. */
  | { readonly kind: "foreign"; readonly error: AmpError };

/** The outcome of a write that ended with an error. */
export function writeOutcomeOf(error: AmpError): WriteOutcome {
  // An answer that does not fit the schema but has an ID proves that the resource was created.
  const id = createdId(error);
  const { requestId } = error.facts;
  if (id !== undefined) return { kind: "done", id, requestId };
  if (UNKNOWN.some((kind) => error instanceof kind)) return { kind: "unknown", error };
  return { kind: isWorthRepeating(error) ? "retryable" : "refused", error };
}

/**
 * Errors after which the write may have been done; one that a signal interrupted may have arrived.
 */
const UNKNOWN = [PartialError, InterruptedError, TerminatedError];

function isWorthRepeating(error: AmpError): boolean {
  const { status, retryable } = error.facts;
  if (!(error instanceof ServiceError)) return false;
  return status === undefined ? retryable === true : retryable !== false;
}

/** Statuses by which a service may say that the resource exists already. */
const MAY_EXIST = new Set([400, 409, 422]);

/** Resolves a write that was refused: unless it is done all the same, its intent is dropped. */
export function settleRefused(run: Run, work: WriteInProgress, error: AmpError) {
  const settle = work.intent.update === undefined ? settleRefusedCreate : settleRefusedUpdate;
  return settle(run, work, error);
}

/** Where the service lists exactly one record as wanted, it is adopted. */
async function settleRefusedCreate(
  run: Run,
  work: WriteInProgress,
  error: AmpError,
): Promise<"continue" | "stop"> {
  const { resource, intent } = work;
  const found = await findExisting(run, work, error.facts.status ?? 0);
  const [one] = found;
  if (one !== undefined && found.length === 1 && differencesOf(resource, one).length === 0) {
    // An earlier attempt may have created it.
    const origin = intent.attempt > 1 ? "reconciled" : "adopted";
    const shown = shownOtherwise(run.manager.state.salt, resource, one);
    return run.outcomes.record(work, { id: one.id, origin, sent: true, shown });
  }
  return giveUp(run, work, explainRefusedCreate(run, work, error, found));
}

/** The listed records that the refusal may be about; none where they cannot be listed now. */
async function findExisting(
  run: Run,
  { resource, dependencies, intent: { idsBefore } }: WriteInProgress,
  status: number,
): Promise<readonly LiveRecord[]> {
  if (!MAY_EXIST.has(status)) return [];
  const live = await listIfPossible(run);
  if (live === undefined) return [];
  // A record that counted as deleted exists after all only if the service says so with a 409.
  return indexLive(live)
    .matches(resource, dependencies)
    .filter(({ id }) => status === 409 || !idsBefore.includes(id));
}

function explainRefusedCreate(
  run: Run,
  { resource, dependencies, intent }: WriteInProgress,
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
  if (run.manager.state.lists === true) {
    // The service suggests another name, which would create the resource twice.
    const remedy =
      "An earlier attempt may have created it: run the command again once the service lists it.";
    const mayBeOwn = facts.status === 409 && intent.attempt > 1 && found.length === 0;
    return mayBeOwn ? error.setFacts({ remedy }) : error;
  }
  const id = { placeholder: "id" } as const;
  // Without lists nothing can be looked up, but a person may know that the existing one is meant.
  if (facts.status === 409) {
    const { context } = facts.problem ?? {};
    const named = isJsonObject(context) && context.id;
    const known = typeof named === "string" && named !== "" ? named : id;
    return error.setFacts({ suggestion: importCommand(resource.address, known) });
  }
  const unchecked = [...dependencies].filter(
    ([address]) => run.manager.state.records.get(address)?.origin === "imported",
  );
  if (unchecked.length === 0) return error;
  const recorded = unchecked.map(([address, its]) => `${address} is recorded with the ID ${its}`);
  return error.setFacts({
    remedy: `${recorded.join(", ")}, which was never checked. If it is wrong, record the right one:`,
    suggestion: unchecked.flatMap(([address]) => [
      suggest("notify state forget", [address]),
      importCommand(address, id),
    ]),
  });
}

async function settleRefusedUpdate(
  run: Run,
  work: WriteInProgress,
  error: AmpError,
): Promise<"continue" | "stop"> {
  return giveUp(run, work, await explainRefusedUpdate(run, work, error));
}

async function giveUp(run: Run, work: WriteInProgress, error: AmpError): Promise<"stop"> {
  const { requestId } = error.facts;
  const failure = { error, write: writeOf(work.intent) };
  await run.outcomes.giveUp(work, failure, { outcome: "refused", requestId, sent: true });
  return "stop";
}

/** A service without updates answers 404, 405 or 501, and so does one that lacks the record. */
async function explainRefusedUpdate(
  run: Run,
  { resource: { kind, address }, intent: { update } }: WriteInProgress,
  error: AmpError,
): Promise<AmpError> {
  const { facts } = error;
  const isMissing = error instanceof OperationMissingError;
  if (!isMissing && facts.status !== 404) return error;
  const live = isMissing ? undefined : await listIfPossible(run);
  if (live !== undefined && indexLive(live).byId(kind, update?.id ?? "") === undefined) {
    return new NotFoundError(`${address} is ${update?.id}, which the service no longer has`, {
      ...facts,
      remedy: "If it was deleted, run the command again with --accept recreate.",
    });
  }
  const [, many] = RESOURCES[kind].words;
  return new RejectedError(`This service does not update ${many}`, {
    ...facts,
    remedy: ANOTHER_NAME,
    done: "Nothing was changed.",
  });
}
