import { AmpError } from "../../errors.ts";
import { asList } from "../../values/basics.ts";
import { defined } from "../../values/json.ts";
import { timeFields } from "../../values/service-clock.ts";
import type { Address } from "../model/address.ts";
import { isCreatedWithoutId } from "../model/operations.ts";
import type { Resource } from "../model/routing.ts";
import { fieldFingerprints } from "../plan/changes.ts";
import { differencesOf } from "../plan/diff.ts";
import { shownOtherwise } from "../plan/field-values.ts";
import type { LiveIndex } from "../plan/live.ts";
import { fingerprintOf } from "../plan/plan-change.ts";
import { sameButSpelling, sentValues } from "../plan/spelling.ts";
import { withoutIntent, withUnknownOutcome } from "../state/change.ts";
import type { PendingUpdate, PendingWrite } from "../state/state.ts";
import { writeOf } from "./outcomes.ts";
import { commitHorizonText, knownDependencies, type Run, startCommitHorizon } from "./run.ts";
import { unseenUpdate } from "./seen-update.ts";
import { sendOnce } from "./send-once.ts";
import type { EngineOptions } from "./types.ts";
import { settleRefused, type WriteInProgress, type WriteOutcome } from "./write-outcome.ts";

/**
 * A write that a plan asks for: a create, or with `update` the change of a resource that exists.
 */
export interface PlannedWrite {
  readonly resource: Resource;
  readonly update?: PendingUpdate;
  /** The values for the state, where they are not those of `resource`. */
  readonly made?: Partial<Pick<PendingWrite, "fingerprint" | "fields">>;
  /** The owners of the resource before. */
  readonly owners?: readonly string[];
  /** IDs of records with the same natural key that existed before; none of them is the new one. */
  readonly idsBefore: readonly string[];
  /** An earlier attempt that was certainly not done. */
  readonly before?: PendingWrite;
  /** The lists of before; absent where there are none, and for an update. */
  readonly index?: LiveIndex | undefined;
}

/** A write that is done; `saved` resolves, and never rejects, once the state has its result. */
export interface WriteBeingSaved {
  readonly saved: Promise<"continue" | "stop">;
}

/**
 * Creates or updates one resource: saves its intent, sends the request, then saves its outcome in
 * the run's outcomes. A resource without an outcome was not sent: a signal came first, or
 * (`not-begun`) it was not allowed to begin.
 * @param begin resolves to true once the request may be sent; false: not in this run any more
 * @param looksUp whether the caller looks up what stays unknown
 * @throws {unknown} any error that is not amp's own; the intent stays, and the next run looks it
 * up
 */
export async function writeOne(
  run: Run,
  planned: PlannedWrite,
  begin: () => Promise<boolean>,
  looksUp = false,
): Promise<"stop" | "not-begun" | WriteBeingSaved> {
  const { signal } = run.ports;
  if (signal.aborted) return "stop";
  let write = startedWrite(run, planned);
  const { address } = write.resource;
  try {
    for (let attempt = 1; !signal.aborted; attempt++) {
      await saveIntent(run, write, attempt);
      if (attempt === 1) {
        if (!(await begin())) break;
        write = { ...write, since: run.ports.now() };
      }
      const next = await attemptWrite(run, write, { attempt, looksUp });
      if (next !== "again") return next;
    }
    // No attempt is open: one whose outcome is not known has returned above, and keeps its intent.
    await run.manager.note(withoutIntent(address));
    return signal.aborted ? "stop" : "not-begun";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // The state could not be saved, or the lock is lost: nothing was sent, or not again.
    const failure = { error, write: writeOf(write.intent) };
    run.outcomes.fail(write, failure, { outcome: "refused", sent: false });
    return "stop";
  }
}

function startedWrite(run: Run, planned: PlannedWrite): WriteInProgress {
  const { resource, idsBefore, before, update, index } = planned;
  const dependencies = knownDependencies(run, resource);
  const { state } = run.manager;
  const made = {
    fingerprint: fingerprintOf(state, resource, dependencies),
    ...defined({ fields: fieldFingerprints(state.salt, resource) }),
    ...planned.made,
  };
  const sent = update === undefined ? sentValues(state.salt, resource) : undefined;
  const owners = asList(planned.owners, before?.owners, run.owner);
  return {
    resource,
    dependencies,
    index,
    since: run.ports.now(),
    intent: {
      ...made,
      key: before?.key ?? run.ports.uuid(),
      attempt: (before?.attempt ?? 0) + 1,
      // guard: the IDs of before
      idsBefore,
      ...(dependencies.size > 0 ? { ends: [...dependencies.values()] } : {}),
      phase: "intent",
      ...defined({ sent, update }),
      ...(owners.length === 0 ? {} : { owners }),
    },
  };
}

/** Saves the intent anew for each attempt: its commit horizon counts from then. */
async function saveIntent(
  { ports, manager }: Run,
  { resource, intent }: WriteInProgress,
  attempt: number,
) {
  const { address } = resource;
  const started = ports.now().toISOString();
  const { options } = ports;
  // A killed run cannot say when its request ended: the intent has a time that is late enough, and
  // also leaves the write some time to wait for others.
  const ended = timeFields(ports, longestWriteMs(options) + options.answerMs);
  await ports.assertMayWrite?.();
  await manager.recordIntent(address, { ...intent, started, ...ended });
  if (attempt === 1) ports.observe({ type: "intent", address, key: intent.key });
}

/** The longest time that a write takes in the client: the service may have asked it to wait. */
function longestWriteMs({ answerMs, longestWaitMs = MAX_WAIT_MS }: EngineOptions): number {
  return longestWaitMs + answerMs;
}

/**
 * Whether an intent was saved so long ago that its request would end after the time that the intent
 * says: while the write waited for others, or the machine slept.
 */
function isOutdated({ ports, manager }: Run, address: Address): boolean {
  const { serviceTime } = manager.state.pending.get(address) ?? {};
  const now = ports.serviceTime();
  if (serviceTime === undefined || now === undefined) return false;
  return now.latest + longestWriteMs(ports.options) > Date.parse(serviceTime);
}

async function attemptWrite(
  run: Run,
  write: WriteInProgress,
  { attempt, looksUp }: { readonly attempt: number; readonly looksUp: boolean },
): Promise<"stop" | "again" | WriteBeingSaved> {
  const { ports, locked } = run;
  const { address } = write.resource;
  await locked.check().catch((error: unknown) => {
    // A signal ends the check, too; the caller handles it.
    if (!ports.signal.aborted) throw error;
  });
  if (ports.signal.aborted || isOutdated(run, address)) return "again";
  const answer = await sendOnce(run, write);
  if (answer.kind === "done" && answer.isUnseen && looksUp) {
    run.outcomes.unknown.set(address, unseenUpdate(write.resource, answer.requestId));
    startCommitHorizon(run, address);
    return { saved: Promise.resolve("continue") };
  }
  if (answer.kind === "done") {
    const { id, requestId, answer: record } = answer;
    const origin = write.intent.update?.origin ?? "created";
    const { salt } = run.manager.state;
    const shown = record && shownOtherwise(salt, write.resource, record);
    const others = record ? differencesOf(write.resource, record, sameButSpelling) : [];
    const found = { id, requestId, origin, shown, sent: true };
    const differences = others.length > 0 ? { differences: others } : {};
    return { saved: run.outcomes.record(write, { ...found, ...differences }) };
  }
  if (answer.kind === "unknown" || answer.kind === "foreign") {
    return markUnknownOutcome(run, write, answer);
  }
  if (answer.kind === "retryable") {
    const wait = await waitBeforeRetry(run, address, answer.error, attempt);
    if (wait === "again") return wait;
  }
  const next = await settleRefused(run, write, answer.error);
  return next === "continue" ? { saved: Promise.resolve(next) } : next;
}

async function markUnknownOutcome(
  run: Run,
  write: WriteInProgress,
  { kind, error }: Extract<WriteOutcome, { kind: "unknown" | "foreign" }>,
): Promise<"stop"> {
  const { address } = write.resource;
  const { requestId } = error.facts;
  const created = isCreatedWithoutId(error) || undefined;
  const horizon = commitHorizonText(run);
  startCommitHorizon(run, address);
  const isUpdate = write.intent.update !== undefined;
  // Nothing may be routed to what was answered. A create that is unknown may be sent again in this
  // run; as a failure it is not, although it may have been done. The state has it as unknown: the
  // next run looks it up.
  if (kind === "foreign") {
    const facts = { outcome: "refused", requestId, sent: true } as const;
    run.outcomes.fail(write, { error, write: "create" }, facts);
  } else run.outcomes.markUnknown(write, { error, created, isUpdate, requestId, sent: true });
  // Where this cannot be saved, the saved intent says nearly the same.
  const facts = { horizon, ...timeFields(run.ports), ...defined({ created, requestId }) };
  await run.manager.note(withUnknownOutcome(address, facts)).catch(() => {});
  return "stop";
}

/** The maximum attempts at a write that was certainly not done, and the first wait between. */
const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
/** The longest wait that a service may ask for; beyond it the error says when to try again. */
const MAX_WAIT_MS = 60_000;

/**
 * Waits until a write may be sent again.
 * @returns `enough` where no attempts are left, or the wait would be too long
 */
async function waitBeforeRetry(
  { ports }: Run,
  address: Address,
  { facts: { status, retryAfter } }: AmpError,
  attempt: number,
): Promise<"again" | "enough"> {
  const asked = retryAfter === undefined ? 0 : Date.parse(retryAfter) - ports.now().getTime();
  const ms = Math.max(FIRST_WAIT_MS * 2 ** (attempt - 1), asked);
  // A signal makes a wait pointless; the caller handles it.
  if (ports.signal.aborted) return "again";
  const { attempts = MAX_ATTEMPTS, longestWaitMs = MAX_WAIT_MS } = ports.options;
  if (attempt >= attempts || ms > longestWaitMs) return "enough";
  const why = status === undefined ? "the service cannot be reached" : "the service asked to wait";
  ports.observe({ type: "waiting", address, ms, why });
  // A signal ends the wait; the caller handles it.
  await ports.sleep(ms, ports.signal).catch(() => {});
  return "again";
}
