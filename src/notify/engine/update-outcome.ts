import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import { type AmpError, NotFoundError, RejectedError } from "../../errors.ts";
import { type Address, addressParts } from "../model/address.ts";
import { nameFieldOf } from "../model/names.ts";
import { RESOURCES } from "../model/resource.ts";
import { fieldFingerprint, listedValue } from "../plan/changes.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import type { PendingWrite, RoutingState } from "../state/state.ts";
import { listService, type Run } from "./run.ts";
import type { WriteInProgress } from "./write-outcome.ts";

/**
 * Whether the service shows what an update has sent. An update is the same however often it is done,
 * so the values say it: `unseen` where the list shows none of them, as with secrets alone.
 */
export function seenUpdate(
  { salt }: Pick<RoutingState, "salt">,
  index: LiveIndex,
  { address, pending }: { readonly address: Address; readonly pending: PendingWrite },
): "done" | "not-done" | "unseen" {
  const { kind, names } = addressParts(address);
  const { id = "", mask = [] } = pending.update ?? {};
  const record = index.byId(kind, id);
  if (record === undefined) return "unseen";
  const nameField = nameFieldOf(kind);
  const seen = mask.flatMap((path): boolean[] => {
    const value = listedValue(record, path);
    if (value === undefined) return [];
    if (path === nameField) return [value === names[0]];
    const wanted = pending.fields?.[path];
    return [wanted === fieldFingerprint(salt, path, value)];
  });
  if (seen.length === 0) return "unseen";
  return seen.every(Boolean) ? "done" : "not-done";
}

/** Resolves an update that was refused: nothing was changed, and its intent is dropped. */
export async function settleRefusedUpdate(
  run: Run,
  work: WriteInProgress,
  error: AmpError,
): Promise<"continue" | "stop"> {
  const { requestId } = error.facts;
  const refusal = await explainRefusedUpdate(run, work, error);
  const { update } = work.intent;
  if (update?.replacedBy !== undefined && refusal instanceof UpdatesMissingError) {
    // It keeps its name, and the new one gets the same, unless the service wants unique names.
    return run.outcomes.record(work, { id: update.id, origin: update.origin, sent: false });
  }
  const failure = { error: refusal, write: "update" } as const;
  run.outcomes.fail(work, failure, { outcome: "refused", requestId, sent: true });
  // An intent that cannot be dropped is looked up by the next run, and found not done.
  await run.manager.dropIntent(work.resource.address).catch(() => {});
  return "stop";
}

/** The service has no updates of a kind. */
class UpdatesMissingError extends RejectedError {}

/** A service without updates answers 404, 405 or 501, and so does one that lacks the record. */
async function explainRefusedUpdate(
  run: Run,
  { resource: { kind, address }, intent: { update } }: WriteInProgress,
  error: AmpError,
): Promise<AmpError> {
  const { facts } = error;
  const isMissing = error instanceof OperationMissingError;
  if (!isMissing && facts.status !== 404) return error;
  const live = isMissing ? undefined : await listService(run).catch(() => undefined);
  if (live !== undefined && indexLive(live).byId(kind, update?.id ?? "") === undefined) {
    return new NotFoundError(`${address} is ${update?.id}, which the service no longer has`, {
      ...facts,
      remedy: "If it was deleted, run the command again with --recreate.",
    });
  }
  const [, many] = RESOURCES[kind].words;
  const replaced = update?.from ?? address;
  return new UpdatesMissingError(`This service does not update ${many}`, {
    ...facts,
    remedy: `Add --replace ${replaced} to create another one and delete this one.`,
    done: "Nothing was changed.",
  });
}

/**
 * Why a create or update is looked for again.
 * @param failure why the lists could not be read, if so
 */
export function waitingReason({ update }: PendingWrite, failure: unknown): string {
  if (failure instanceof Error) return `cannot be looked up: ${failure.message}`;
  return update ? "not updated yet, and may still be" : "not listed yet, and may still be created";
}
