import type { Difference } from "../../documents/routing.ts";
import {
  AmpError,
  type ErrorFacts,
  InterruptedError,
  isKind,
  PartialError,
  ServiceError,
  TerminatedError,
} from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { defined, isJsonObject } from "../../values/json.ts";
import { suggest } from "../../values/suggested-command.ts";
import { routingErrors } from "../errors.ts";
import { nameFieldOf } from "../model/address.ts";
import { normalizedName } from "../model/canonical.ts";
import {
  createdFacts,
  createResource,
  deleteResource,
  updateResource,
} from "../model/operations.ts";
import { type LiveRecord, RESOURCES } from "../model/resource.ts";
import {
  bodyOf,
  dependenciesOf,
  type ExistingIds,
  keyFieldsOf,
  type Resource,
} from "../model/routing.ts";
import { shownDifference } from "../plan/compare.ts";
import { ANOTHER_NAME } from "../plan/conflicts.ts";
import { indexLive, type LiveIndex } from "../plan/live.ts";
import { type Place, placesOfId } from "../state/change.ts";
import { importCommand, resolveCommands } from "../state/edit.ts";
import { hasDeleted } from "../state/history.ts";
import { kindOf, type Pending } from "../state/state.ts";
import { observeIfPossible, otherProject } from "./observe.ts";
import type { Run } from "./run.ts";

/**
 * Sends one write once. In: what to write, whose intent is saved. Out: what the answer says of it.
 */
export type Write =
  | (CreateOrUpdate & { readonly op: "create"; readonly index: LiveIndex | undefined })
  | (CreateOrUpdate & {
      readonly op: "update";
      readonly id: string;
      readonly mask: readonly string[];
      /** What the list shows of it. */
      readonly found?: LiveRecord | undefined;
    })
  | {
      readonly op: "delete";
      readonly place: Place;
      readonly id: string;
      readonly found?: LiveRecord | undefined;
      /** Whether a list can tell, after a 404, that it is gone. */
      readonly hasLists: boolean;
    };

interface CreateOrUpdate {
  readonly place: Place;
  readonly resource: Resource;
  /** The IDs of a route's topic and destination. */
  readonly ids: ExistingIds;
}

/** The outcome of a write, as far as the answer says. */
export type WriteOutcome =
  | {
      readonly kind: "done";
      readonly id: string;
      readonly requestId: string | undefined;
      /** The record as the answer shows it; absent where it shows none. */
      readonly answer?: LiveRecord;
    }
  /** Certainly not done. */
  | { readonly kind: "refused"; readonly error: AmpError }
  /** Certainly not done, whether it was sent or not, and another attempt may help. */
  | { readonly kind: "retryable"; readonly error: AmpError }
  | { readonly kind: "unknown"; readonly error: AmpError }
  /** A create was answered with another resource: whether it was done is not known, either. */
  | { readonly kind: "foreign"; readonly error: AmpError };

/**
 * Sends a write once.
 * @throws {unknown} any error that is not amp's own: a defect, which says nothing of the outcome
 */
export async function sendOnce(
  run: Run,
  write: Write,
  pending: Pick<Pending, "idempotencyKey">,
): Promise<WriteOutcome> {
  const { ports, writeSignal: signal } = run;
  let requestId: string | undefined;
  const onRequestId = (given: string) => {
    requestId = given;
  };
  const how = { signal, singleAttempt: true, onRequestId, ...defined(pending) };
  try {
    if (write.op === "delete") {
      const { place, hasLists } = write;
      await deleteResource(ports, kindOf(place.address), write.id, { notRepeatable: !hasLists });
      return { kind: "done", id: write.id, requestId };
    }
    const { resource, ids } = write;
    const missing = dependenciesOf(resource).find((dependency) => !ids.has(dependency));
    if (missing !== undefined) throw new Error(`${missing} has no ID yet`);
    const body = bodyOf(resource, ids);
    if (write.op === "update") {
      const { id, mask: fields } = write;
      const shown = await updateResource(ports, resource.kind, id, { fields, body }, how);
      // A number as the ID has the digits of the text that it was asked by.
      const isRecord = isJsonObject(shown) && shown.id !== undefined;
      const answer = isRecord ? { answer: { ...shown, id } as LiveRecord } : {};
      return { kind: "done", id, requestId, ...answer };
    }
    const answer = await createResource(ports, resource.kind, body, how);
    return ownOutcome(run, write, { kind: "done", id: answer.id, requestId, answer });
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    if (write.op === "delete") return deleteOutcome(run, error, write);
    const outcome = writeOutcomeOf(error);
    return write.op === "create" && outcome.kind === "done"
      ? ownOutcome(run, write, outcome)
      : outcome;
  }
}

/** The outcome of a create or update that ended with an error. */
function writeOutcomeOf(error: AmpError): WriteOutcome {
  // An answer that does not fit the schema but has an ID proves that the resource was created.
  const id = createdFacts(error)?.id;
  const { requestId, status } = error.facts;
  if (typeof id === "string") return { kind: "done", id, requestId };
  const isUnknown = UNKNOWN.some((kind) => error instanceof kind) || isSuccess(status);
  if (isUnknown) return { kind: "unknown", error };
  return { kind: isWorthRepeating(error) ? "retryable" : "refused", error };
}

/**
 * Errors after which the write may have been done; one that a signal interrupted may have arrived.
 */
const UNKNOWN = [PartialError, InterruptedError, TerminatedError];

/** Whether the service said that it was done, in an answer that cannot be read. */
function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function isWorthRepeating(error: AmpError): boolean {
  const { status, retryable } = error.facts;
  if (!(error instanceof ServiceError)) return false;
  return status === undefined ? retryable === true : retryable !== false;
}

/**
 * What an error says of a delete. `gone`: a 404 or 410, which a list has to confirm. After an answer of the
 * service that cannot be read, or no answer, it may have been done.
 */
export function deleteOutcomeOf(
  error: AmpError,
  signal: AbortSignal,
): "gone" | "refused" | "unknown" {
  const { status } = error.facts;
  if (isKind(error, "operation_missing")) return "refused";
  // Also a 404 that is not the service's own.
  if (isKind(error, "answer_unusable")) return "unknown";
  if (status === 404 || status === 410) return "gone";
  const isUnknown = UNKNOWN.some((kind) => error instanceof kind) || signal.aborted;
  if (isUnknown || status === undefined) return "unknown";
  // A redirect and a time-out of the service may come after it was done.
  return status < 400 || status === 408 || status >= 500 ? "unknown" : "refused";
}

function deleteOutcome(
  { ports, manager }: Run,
  error: AmpError,
  { hasLists }: Extract<Write, { op: "delete" }>,
): WriteOutcome {
  const outcome = deleteOutcomeOf(error, ports.signal);
  // Without lists, only its earlier deletes tell a service that has none from one that lacks the resource.
  const isKnown = hasLists || hasDeleted(manager.state.runs);
  const isRefused = outcome === "refused" || (outcome === "gone" && !isKnown);
  return isRefused ? { kind: "refused", error } : { kind: "unknown", error };
}

type Done = Extract<WriteOutcome, { kind: "done" }>;

/**
 * What an answer to a create means: a record that existed before, or one of another name or between
 * others, is not its result. To route to it would send customers' events elsewhere.
 */
function ownOutcome(run: Run, write: Extract<Write, { op: "create" }>, done: Done): WriteOutcome {
  const { resource, ids, index } = write;
  const { id, answer, requestId } = done;
  const known = run.outcomes.addressOf(resource.kind, id);
  const address = known === resource.address ? undefined : known;
  const different = answer ? otherKey(resource, answer, ids) : [];
  const listed = index?.byId(resource.kind, id);
  const { ports, manager } = run;
  const project = answer && otherProject([answer], manager.state.target, ports.project);
  if (project !== undefined)
    different.push({ field: "projectId", wanted: project, found: manager.state.target.project });
  // guard: the answer to a create
  if (address === undefined && listed?.id !== id && different.length === 0) return done;
  const [noun] = RESOURCES[resource.kind].words;
  const isOld = address !== undefined || listed?.id === id;
  const called = address ?? (isOld ? listed : answer)?.name ?? undefined;
  const which = isOld ? `a ${noun} that existed before` : `another ${noun}`;
  const named = asList(id, called).join(", ");
  const how = different.map((one) => `${one.field}: ${shownDifference(one)}`);
  const error = routingErrors.create_answered_otherwise(
    resource.address,
    `${which}: ${named}`,
    how.join("\n") || undefined,
    index === undefined ? resolveCommands(resource.address) : undefined,
    requestId,
    defined({ id, called }),
  );
  return { kind: "foreign", error };
}

/** The fields of the key that an answer has otherwise than they were sent, beyond spelling. */
function otherKey(resource: Resource, answer: LiveRecord, ids: ExistingIds): Difference[] {
  return Object.entries(keyFieldsOf(resource, ids)).flatMap(([field, sent]) => {
    const listed = answer[field];
    if (sent === undefined || listed === undefined || listed === null || listed === "") return [];
    if (normalizedName(sent) === normalizedName(listed)) return [];
    return [{ field, wanted: listed, found: sent }];
  });
}

/** Statuses by which a service may say that the resource exists already. */
const MAY_EXIST = new Set([400, 409, 422]);

/**
 * The listed records that the refusal of a create may be about; none where they cannot be listed.
 * @param before the IDs that were listed before
 */
export async function existingRecords(
  run: Run,
  { resource, ids }: CreateOrUpdate,
  {
    status = 0,
    before,
  }: { readonly status?: number | undefined; readonly before: readonly string[] },
): Promise<readonly LiveRecord[]> {
  if (!MAY_EXIST.has(status)) return [];
  const { ports, manager, horizons } = run;
  const seen = await observeIfPossible({ ports, state: manager.state, horizons });
  if (seen?.live === undefined) return [];
  // A record that counted as deleted exists after all only if the service says so with a 409. One
  // that the state has at another address was renamed since, which the next plan finds.
  return indexLive(seen.live)
    .matches(resource, ids)
    .filter(({ id }) => status === 409 || !before.includes(id))
    .filter(({ id }) => placesOfId(manager.state, resource.kind, id).length === 0);
}

/** The error of a create that was refused, with what the service has, and what to do about it. */
export function explainRefusedCreate(
  run: Run,
  { resource, ids: ends }: CreateOrUpdate,
  error: AmpError,
  found: readonly LiveRecord[],
): AmpError {
  const { facts, message } = error;
  if (found.length > 1) {
    const ids = found.map(({ id }) => id);
    return routingErrors.resource_listed_twice(message, ids, facts, error);
  }
  const { state } = run.manager;
  if (state.lists === true) return error;
  const id = { placeholder: "id" } as const;
  // Without lists nothing can be looked up, but a person may know that the existing one is meant.
  if (mayBeTaken(resource, facts)) {
    const { context } = facts.problem ?? {};
    const named = isJsonObject(context) && context.id;
    const known = typeof named === "string" && named !== "" ? named : id;
    const add = `If ${resource.address} exists already, add it to the state.`;
    const remedy = asList(facts.remedy, add).join(" ");
    return error.setFacts({ remedy, suggestion: importCommand(resource.address, known) });
  }
  const unchecked = [...ends].filter(([address]) => {
    const end = state.entries.get(address);
    return end !== undefined && end.madeAt === undefined;
  });
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

/** Whether a refusal may say that a name is taken: a 422 or 400 may, unless it is of another input. */
function mayBeTaken({ kind }: Resource, { status = 0, issues }: ErrorFacts): boolean {
  if (status === 409) return true;
  const isOfName = issues === undefined || issues.some(({ name = "" }) => /\bname$/u.test(name));
  return nameFieldOf(kind) !== undefined && MAY_EXIST.has(status) && isOfName;
}

/** A service without updates answers 404, 405 or 501, and so does one that lacks the record. */
export async function explainRefusedUpdate(
  run: Run,
  { resource: { kind }, place: { address }, id }: Extract<Write, { op: "update" }>,
  error: AmpError,
): Promise<AmpError> {
  const { facts } = error;
  const isMissing = isKind(error, "operation_missing");
  const isSingle = run.owner === "person" && (kind === "topic" || kind === "destination");
  const list = isSingle ? suggest(`notify ${kind}s list` as const) : undefined;
  if (!isMissing && facts.status !== 404) return error;
  const { ports, manager, horizons } = run;
  const seen = isMissing
    ? undefined
    : await observeIfPossible({ ports, state: manager.state, horizons });
  const isGone = seen?.index && !seen.index.byId(kind, id);
  if (isGone) return routingErrors.resource_gone(address, id, facts, list);
  const mayBeGone = isMissing || seen?.index ? undefined : address;
  return routingErrors.updates_missing(RESOURCES[kind].words[1], facts, ANOTHER_NAME, mayBeGone);
}

/** The error of a delete that was refused, with how the state forgets the resource. */
export function explainRefusedDelete({ address }: Place, error: AmpError): AmpError {
  if (error.facts.status === 404) {
    const [, many] = RESOURCES[kindOf(address)].words;
    return error.setFacts({
      remedy: `${address} does not exist, or the service cannot delete ${many}. If it does not exist, remove it from the state.`,
      suggestion: suggest("notify state forget", [address]),
    });
  }
  if (!isKind(error, "operation_missing")) return error;
  return routingErrors.deletes_missing(error.message, address);
}
