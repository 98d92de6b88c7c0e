import { UnknownOutcomeError } from "../../errors.ts";
import { defined, isJsonObject } from "../../values/json.ts";
import { type Address, addressParts, nameFieldOf } from "../model/address.ts";
import type { LiveRecord } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import { fieldFingerprint, listedValue, namedFields } from "../plan/changes.ts";
import type { LiveIndex } from "../plan/live.ts";
import { sameButSpelling } from "../plan/spelling.ts";
import type { PendingWrite, RoutingState } from "../state/state.ts";
import type { UnknownOutcome } from "./outcomes.ts";

type Known = Pick<RoutingState, "salt" | "records">;

/** An update, as far as what the service shows of it is compared. */
interface SentUpdate {
  readonly address: Address;
  readonly pending: Pick<PendingWrite, "update" | "fields">;
  /** What was sent, where the service answered with success. */
  readonly confirmed?: Resource | undefined;
}

/**
 * Whether the service shows what an update has sent. An update is the same however often it is
 * done, so the values say it: `unseen` where the list shows none of them, as with secrets alone.
 * One that the service confirmed was done unless an earlier value is still shown: a service may
 * write a value in its own way.
 */
export function seenUpdate(
  known: Known,
  index: LiveIndex,
  sent: SentUpdate,
): "done" | "not-done" | "unseen" {
  const record = index.byId(addressParts(sent.address).kind, sent.pending.update?.id ?? "");
  if (record === undefined) return "unseen";
  if (sent.confirmed) return isShownAsBefore(known, record, sent) ? "not-done" : "done";
  const seen = seenFields(known, record, sent);
  if (seen.length === 0) return "unseen";
  return seen.every(Boolean) ? "done" : "not-done";
}

/**
 * Whether the answer to an update leaves open that it was done: it is empty, or shows other values.
 * Secrets are never shown, so the answer alone confirms them.
 */
export function isLookNeeded(known: Known, sent: SentUpdate, answer: unknown): boolean {
  const { id, mask = [] } = sent.pending.update ?? {};
  if (mask.every((path) => path.startsWith("secrets."))) return false;
  if (!isJsonObject(answer) || answer.id !== id) return true;
  const seen = seenFields(known, answer as LiveRecord, sent);
  return seen.length === 0 || !seen.every(Boolean);
}

/** An update that the service confirmed, and that a list has to show. */
export function unseenUpdate(resource: Resource, requestId: string | undefined): UnknownOutcome {
  const { address } = resource;
  const error = new UnknownOutcomeError(
    `It is unknown whether ${address} was updated`,
    defined({ requestId }),
    { reason: "the service answered with success" },
  );
  return { address, error, isUpdate: true, confirmed: { resource, requestId } };
}

/** For each field that a record shows, whether it has the value that was sent. */
function seenFields({ salt }: Known, record: LiveRecord, sent: SentUpdate): boolean[] {
  return (sent.pending.update?.mask ?? []).flatMap((path) => {
    const value = listedValue(record, path);
    return value === undefined ? [] : isSent(salt, sent, path, value);
  });
}

function isSent(salt: string, sent: SentUpdate, path: string, value: unknown): boolean {
  const { kind, names } = addressParts(sent.address);
  if (path === nameFieldOf(kind)) return value === names[0];
  return sent.pending.fields?.[path] === fieldFingerprint(salt, path, value);
}

/** Whether a record still has the earlier value of a field that an update changes. */
function isShownAsBefore({ salt, records }: Known, record: LiveRecord, sent: SentUpdate): boolean {
  const { from, mask = [], before } = sent.pending.update ?? {};
  const { fields, shown } = records.get(from ?? sent.address) ?? {};
  const values = sent.confirmed ? namedFields(sent.confirmed) : [];
  return mask.some((path) => {
    const value = listedValue(record, path);
    if (value === undefined || isSent(salt, sent, path, value)) return false;
    // Only its spelling was changed, which a service may undo.
    const wanted = values.find((one) => one.path === path);
    if (wanted !== undefined && sameButSpelling(wanted.value, value)) return false;
    const earlier = before?.[path] ?? (shown?.[path] || fields?.[path]);
    return earlier === fieldFingerprint(salt, path, value);
  });
}
