import { AmpError } from "../../errors.ts";
import type { Address } from "../address.ts";
import { create } from "../create.ts";
import type { PendingCreate } from "../state/state.ts";
import type { Step } from "../steps.ts";
import { type Answered, answered } from "./answered.ts";
import { fingerprintsOf } from "./body.ts";
import { keep, settledOf } from "./keep.ts";
import { settleRefusal } from "./refusal.ts";
import { endIdsOf, type Run } from "./run.ts";
import { waitBefore } from "./wait.ts";

/** Something to create. */
export interface Todo {
  readonly step: Step;
  /** What is there already of its natural key, and must not be taken for it. */
  readonly idsBefore: readonly string[];
  /** An earlier attempt, known to have come to nothing. */
  readonly before?: PendingCreate;
}

/** A create in work. */
export interface Work {
  readonly step: Step;
  readonly intent: Omit<PendingCreate, "started">;
  readonly ends: ReadonlyMap<Address, string>;
  readonly since: Date;
}

/** It exists; `saved` resolves, and never rejects, when the state knows. */
export interface InPlace {
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
  todo: Todo,
  begin: () => Promise<boolean>,
): Promise<"stop" | "unsent" | InPlace> {
  const { signal } = run.ports;
  if (signal.aborted) return "stop";
  let work = workOf(run, todo);
  const { address } = work.step;
  try {
    for (let attempt = 1; !signal.aborted; attempt++) {
      await intend(run, work, attempt);
      if (attempt === 1) {
        if (!(await begin())) break;
        work = { ...work, since: run.ports.now() };
      }
      const next = await attemptIt(run, work, attempt);
      if (next !== "again") return next;
    }
    // Nothing of it is at the service.
    await run.journal.drop(address);
    return signal.aborted ? "stop" : "unsent";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // The place of the state failed, or the lock is lost: it was not sent, or not again.
    run.ledger.fail({ address, error }, settledOf(run, work, { outcome: "refused", sent: false }));
    return "stop";
  }
}

function workOf(run: Run, { step, idsBefore, before }: Todo): Work {
  const ends = endIdsOf(run, step);
  return {
    step,
    ends,
    since: run.ports.now(),
    intent: {
      fingerprint: fingerprintsOf(run.journal.state.salt)(step, ends),
      key: before?.key ?? run.ports.uuid(),
      attempt: (before?.attempt ?? 0) + 1,
      idsBefore,
      ...(ends.size > 0 ? { ends: [...ends.values()] } : {}),
      phase: "intent",
    },
  };
}

/** Anew for each attempt: it is from then that the service may create it. */
async function intend({ ports, journal }: Run, { step, intent }: Work, attempt: number) {
  const { address } = step;
  await journal.intend(address, { ...intent, started: ports.now().toISOString() });
  if (attempt === 1) ports.observe({ type: "intent", address, key: intent.key });
}

async function attemptIt(
  run: Run,
  work: Work,
  attempt: number,
): Promise<"stop" | "again" | InPlace> {
  const { ports, held } = run;
  const { address } = work.step;
  await held.check();
  if (ports.signal.aborted) return "again";
  const answer = await send(run, work);
  if (answer.kind === "created") {
    const { id, requestId } = answer;
    return { saved: keep(run, work, { id, requestId, origin: "created", sent: true }) };
  }
  if (answer.kind === "unknown") return leaveUnknown(run, work, answer);
  if (answer.kind === "unsent") {
    const wait = await waitBefore(run, address, answer.error, attempt);
    if (wait === "again") return wait;
  }
  const next = await settleRefusal(run, work, answer.error);
  return next === "on" ? { saved: Promise.resolve(next) } : next;
}

function send({ ports, grace }: Run, { step, intent, ends }: Work): Promise<Answered> {
  const { api, project } = ports;
  const { signal } = grace;
  return answered((onRequestId) =>
    create(step, {
      api,
      project,
      ids: ends,
      more: { idempotencyKey: intent.key, signal, once: true, onRequestId },
    }),
  );
}

async function leaveUnknown(
  run: Run,
  work: Work,
  { error, answered }: Extract<Answered, { kind: "unknown" }>,
): Promise<"stop"> {
  const { commitHorizonMs, resetHorizonMs } = run.ports.options;
  const { address, kind } = work.step;
  const { requestId } = error.facts;
  const until = run.ports.now().getTime() + (answered ? resetHorizonMs : commitHorizonMs);
  const horizon = new Date(until).toISOString();
  run.ledger.leaveUnknown(
    { address, kind, error },
    settledOf(run, work, { outcome: "unknown", requestId, sent: true }),
  );
  // Where that cannot be saved, the intent that is saved says nearly the same.
  await run.journal
    .markUnknown(address, { horizon, ...(requestId ? { requestId } : {}) })
    .catch(() => {});
  return "stop";
}
