import { AmpError, ServiceError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import { resourceAt } from "../model/routing.ts";
import { createOne, type PlannedCreate } from "./create-one.ts";
import { outcomeOf } from "./outcomes.ts";
import { createSendSlots, runPool } from "./pool.ts";
import { lookUpCreates, type OpenCreate } from "./reconcile.ts";
import type { Run } from "./run.ts";

/**
 * Creates things that do not depend on each other. It ends early where something failed, stayed
 * unknown or could not be saved, and on a signal; the ledger tells.
 * @param lists whether the service lists what exists: else one at a time, so that at most one
 *   outcome is ever unknown
 */
export async function createAll(
  run: Run,
  todos: readonly PlannedCreate[],
  lists: boolean,
): Promise<void> {
  const { ports, ledger } = run;
  const sentAgain = new Set<Address>();
  for (let left = todos; left.length > 0; ) {
    if (isStopped(run)) return;
    const notBegun = await createSome(run, left, lists);
    if (ledger.unknown.size === 0 || !lists || ports.signal.aborted) return;
    // Nothing is sent blindly: first it is known what became of them.
    const absent = await settleUnknown(run);
    for (const open of absent) {
      if (isStopped(run) || sentAgain.has(open.address)) await markNotCreated(run, open);
    }
    const begun = new Map(left.map((todo) => [todo.resource.address, todo]));
    const again = absent.flatMap(({ address, pending }) => {
      const todo = begun.get(address);
      sentAgain.add(address);
      return todo ? [{ ...todo, before: pending }] : [];
    });
    left = [...again, ...notBegun];
  }
}

/**
 * With lists a result is saved together with the intent that comes next, and where several are sent
 * at once, intents are saved ahead: nobody waits for the disk. Without lists everything is saved
 * before anything else is begun.
 * @returns what was not sent
 */
async function createSome(
  run: Run,
  todos: readonly PlannedCreate[],
  lists: boolean,
): Promise<readonly PlannedCreate[]> {
  const saves: Promise<unknown>[] = [];
  const unsent: PlannedCreate[] = [];
  const width = lists ? run.ports.options.parallel : 1;
  const slots = createSendSlots(width);
  const begun = width === 1 ? 1 : INTENTS_PER_CREATE * width;
  try {
    const notBegun = await runPool(todos, begun, async (todo) => {
      let isSent = false;
      let next: "on" | "stop" = "stop";
      const begin = async () => {
        isSent = await slots.take();
        return isSent;
      };
      try {
        const created = await createOne(run, todo, begin);
        if (created === "unsent") unsent.push(todo);
        if (typeof created === "string") return next;
        saves.push(created.saved);
        const saved = lists ? "on" : await created.saved;
        next = run.ledger.rescued.length > 0 ? "stop" : saved;
        return next;
      } finally {
        // First of all: nobody who waits may begin any more.
        if (next === "stop") slots.close();
        if (isSent) slots.giveBack();
      }
    });
    return [...unsent, ...notBegun];
  } finally {
    await Promise.all(saves);
  }
}

/** Intents at once, for each create that is sent at once. */
const INTENTS_PER_CREATE = 2;

/** Whether nothing more may be created. */
export function isStopped({ ports, ledger }: Run): boolean {
  const { failed, unknown, rescued, trouble } = ledger;
  const stopped = failed.length + unknown.size + rescued.length > 0;
  return ports.signal.aborted || stopped || trouble !== undefined;
}

/** Looks for what this run has left unknown; what is not there is unknown no more. */
async function settleUnknown(run: Run): Promise<readonly AbsentCreate[]> {
  const { ledger, journal } = run;
  const errors = new Map([...ledger.unknown].map(([address, { error }]) => [address, error]));
  const opens = [...errors.keys()].flatMap((address): OpenCreate[] => {
    const pending = journal.state.pending.get(address);
    return pending ? [{ address, pending, sent: true }] : [];
  });
  const { absent, several } = await lookUpCreates(run, opens);
  for (const one of several) markAmbiguous(run, one.open, one.ids, errors.get(one.open.address));
  for (const { address } of absent) ledger.clear(address);
  return absent.map((open) => ({ ...open, error: errors.get(open.address) }));
}

interface AbsentCreate extends OpenCreate {
  readonly error: unknown;
}

/** Several are new: which one it is, a person has to say. */
export function markAmbiguous(
  run: Run,
  { address, sent }: OpenCreate,
  ids: readonly string[],
  error?: unknown,
): void {
  const resource = resourceAt(address);
  run.ledger.leaveUnknown(
    { address, kind: resource.kind, ids, error },
    outcomeOf(run, { resource }, { outcome: "ambiguous", sent }),
  );
}

/** It did not come about: twice, or in a run that is at its end. */
async function markNotCreated(run: Run, { address, pending, error }: AbsentCreate): Promise<void> {
  const resource = resourceAt(address);
  const facts = error instanceof AmpError ? error.facts : {};
  const failure = new ServiceError(
    `${address} was not created, as the list shows`,
    { ...facts, ...(error instanceof Error ? { detail: error.message } : {}) },
    { cause: error },
  );
  const about = { resource, since: new Date(pending.started) };
  run.ledger.fail(
    { address, error: failure },
    outcomeOf(run, about, { outcome: "absent", requestId: pending.requestId, sent: true }),
  );
  // An intent that stays is looked up by the next run, and found to have come to nothing.
  await run.journal.dropIntent(address).catch(() => {});
}
