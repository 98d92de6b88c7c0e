import { AmpError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import { createResource } from "../model/operations.ts";
import { bodyOf, type ExistingIds, endpointsOf, type Resource } from "../model/routing.ts";
import { fingerprintsOf } from "../plan/plan-resource.ts";
import type { PendingCreate } from "../state/state.ts";
import { type CreateOutcome, outcomeOfCreate, settleRefusal } from "./create-outcome.ts";
import { outcomeOf, recordExisting } from "./outcomes.ts";
import { endpointIdsOf, type Run } from "./run.ts";

/** Something to create. */
export interface PlannedCreate {
  readonly resource: Resource;
  /** What is there already of its natural key, and must not be taken for it. */
  readonly idsBefore: readonly string[];
  /** An earlier attempt, known to have come to nothing. */
  readonly before?: PendingCreate;
}

/** A create in work. */
export interface CreateInProgress {
  readonly resource: Resource;
  readonly intent: Omit<PendingCreate, "started">;
  /** IDs of the endpoints of a route. */
  readonly endpoints: ExistingIds;
  readonly since: Date;
}

/** It exists; `saved` resolves, and never rejects, when the state knows. */
export interface SavingCreate {
  readonly saved: Promise<"on" | "stop">;
}

/**
 * Creates one thing: its intent saved, then sent, then its outcome saved. What became of it is in the
 * ledger; nothing there: it was not sent, for a signal came or, `unsent`, it might not begin.
 * @param begin resolves when it may be sent; false for not at all any more
 * @throws what is no error of amp's own; the intent stays then, and the next run looks it up
 */
export async function createOne(
  run: Run,
  todo: PlannedCreate,
  begin: () => Promise<boolean>,
): Promise<"stop" | "unsent" | SavingCreate> {
  const { signal } = run.ports;
  if (signal.aborted) return "stop";
  let work = startedCreate(run, todo);
  const { address } = work.resource;
  try {
    for (let attempt = 1; !signal.aborted; attempt++) {
      await saveIntent(run, work, attempt);
      if (attempt === 1) {
        if (!(await begin())) break;
        work = { ...work, since: run.ports.now() };
      }
      const next = await attemptCreate(run, work, attempt);
      if (next !== "again") return next;
    }
    // Nothing of it is at the service.
    await run.journal.dropIntent(address);
    return signal.aborted ? "stop" : "unsent";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // The place of the state failed, or the lock is lost: it was not sent, or not again.
    run.ledger.fail({ address, error }, outcomeOf(run, work, { outcome: "refused", sent: false }));
    return "stop";
  }
}

function startedCreate(run: Run, { resource, idsBefore, before }: PlannedCreate): CreateInProgress {
  const endpoints = endpointIdsOf(run, resource);
  return {
    resource,
    endpoints,
    since: run.ports.now(),
    intent: {
      fingerprint: fingerprintsOf(run.journal.state.salt)(resource, endpoints),
      key: before?.key ?? run.ports.uuid(),
      attempt: (before?.attempt ?? 0) + 1,
      idsBefore,
      ...(endpoints.size > 0 ? { ends: [...endpoints.values()] } : {}),
      phase: "intent",
    },
  };
}

/** Anew for each attempt: it is from then that the service may create it. */
async function saveIntent(
  { ports, journal }: Run,
  { resource, intent }: CreateInProgress,
  attempt: number,
) {
  const { address } = resource;
  await journal.recordIntent(address, { ...intent, started: ports.now().toISOString() });
  if (attempt === 1) ports.observe({ type: "intent", address, key: intent.key });
}

async function attemptCreate(
  run: Run,
  work: CreateInProgress,
  attempt: number,
): Promise<"stop" | "again" | SavingCreate> {
  const { ports, held } = run;
  const { address } = work.resource;
  await held.check();
  if (ports.signal.aborted) return "again";
  const answer = await sendOnce(run, work);
  if (answer.kind === "created") {
    const { id, requestId } = answer;
    return { saved: recordExisting(run, work, { id, requestId, origin: "created", sent: true }) };
  }
  if (answer.kind === "unknown") return markUnknownOutcome(run, work, answer);
  if (answer.kind === "unsent") {
    const wait = await waitBeforeRetry(run, address, answer.error, attempt);
    if (wait === "again") return wait;
  }
  const next = await settleRefusal(run, work, answer.error);
  return next === "on" ? { saved: Promise.resolve(next) } : next;
}

function sendOnce(
  { ports, grace }: Run,
  { resource, intent, endpoints }: CreateInProgress,
): Promise<CreateOutcome> {
  const missing = endpointsOf(resource).find((endpoint) => !endpoints.has(endpoint));
  if (missing !== undefined) throw new Error(`${missing} has no ID yet`);
  const { signal } = grace;
  return outcomeOfCreate((onRequestId) =>
    createResource(ports, resource.kind, bodyOf(resource, endpoints), {
      idempotencyKey: intent.key,
      signal,
      singleAttempt: true,
      onRequestId,
    }),
  );
}

async function markUnknownOutcome(
  run: Run,
  work: CreateInProgress,
  { error, answered }: Extract<CreateOutcome, { kind: "unknown" }>,
): Promise<"stop"> {
  const { commitHorizonMs, resetHorizonMs } = run.ports.options;
  const { address, kind } = work.resource;
  const { requestId } = error.facts;
  const until = run.ports.now().getTime() + (answered ? resetHorizonMs : commitHorizonMs);
  const horizon = new Date(until).toISOString();
  run.ledger.leaveUnknown(
    { address, kind, error },
    outcomeOf(run, work, { outcome: "unknown", requestId, sent: true }),
  );
  // Where that cannot be saved, the intent that is saved says nearly the same.
  await run.journal
    .markUnknown(address, { horizon, ...(requestId ? { requestId } : {}) })
    .catch(() => {});
  return "stop";
}

/** For a create that certainly was not done: how often it is sent, and the waits between. */
const ATTEMPTS = 6;
const FIRST_MS = 500;
/** Of what a service may ask for; beyond, one is told when to come back. */
const MAX_WAIT_MS = 60_000;

/**
 * Waits until a create may be sent once more.
 * @returns `enough` where it has been sent often enough, or would have to wait too long
 */
export async function waitBeforeRetry(
  { ports }: Run,
  address: Address,
  { facts: { status, retryAfter } }: AmpError,
  attempt: number,
): Promise<"again" | "enough"> {
  const asked = retryAfter === undefined ? 0 : Date.parse(retryAfter) - ports.now().getTime();
  const ms = Math.max(FIRST_MS * 2 ** (attempt - 1), asked);
  // Nothing is left to wait for: the one who would send notices it.
  if (ports.signal.aborted) return "again";
  const { attempts = ATTEMPTS, longestWaitMs = MAX_WAIT_MS } = ports.options;
  if (attempt >= attempts || ms > longestWaitMs) return "enough";
  const why = status === undefined ? "the service cannot be reached" : "the service asks to wait";
  ports.observe({ type: "waiting", address, ms, why });
  // A signal ends the wait, and is noticed by the one who would send.
  await ports.sleep(ms, ports.signal).catch(() => {});
  return "again";
}
