import { AmpError, ServiceError } from "../../errors.ts";
import { durationText } from "../../values/duration.ts";
import type { Address } from "../model/address.ts";
import { resourceAt } from "../model/routing.ts";
import { createOne, type PlannedWrite } from "./create-one.ts";
import { createSendSlots, runPool } from "./pool.ts";
import { lookUpCreates, type OpenCreate } from "./reconcile.ts";
import type { Run } from "./run.ts";

/**
 * Creates resources that do not depend on each other. It ends early, with the reason in the run's
 * outcomes, where a create failed, stayed unknown or could not be saved, and on a signal.
 * @param lists whether the service has lists: without them resources are created one at a time, so
 *   that at most one outcome is ever unknown
 */
export async function createAll(
  run: Run,
  creates: readonly PlannedWrite[],
  lists: boolean,
): Promise<void> {
  const { ports, outcomes } = run;
  const sentAgain = new Set<Address>();
  for (let left = creates; left.length > 0; ) {
    if (outcomes.isStopped) return;
    const notBegun = await createSome(run, left, lists);
    if (outcomes.unknown.size === 0 || !lists || ports.signal.aborted) return;
    // Nothing is sent again before its outcome is known.
    const absent = await settleUnknown(run);
    for (const open of absent) {
      if (outcomes.isStopped || sentAgain.has(open.address)) await markNotCreated(run, open);
    }
    const begun = new Map(left.map((create) => [create.resource.address, create]));
    const again = absent.flatMap(({ address, pending }) => {
      const create = begun.get(address);
      sentAgain.add(address);
      return create ? [{ ...create, before: pending }] : [];
    });
    left = [...again, ...notBegun];
  }
}

/** Intents that are saved ahead, for each create that is sent in parallel. */
const INTENTS_PER_CREATE = 2;

/**
 * Sends creates in parallel until one stops the run. With lists, a result is saved together with the
 * next intent, and intents are saved ahead, so that no create waits for the disk. Without lists,
 * each result is saved before the next create begins.
 * @returns the creates that were not sent
 */
async function createSome(
  run: Run,
  creates: readonly PlannedWrite[],
  lists: boolean,
): Promise<readonly PlannedWrite[]> {
  const saves: Promise<unknown>[] = [];
  const unsent: PlannedWrite[] = [];
  const width = lists ? run.ports.options.parallel : 1;
  const slots = createSendSlots(width);
  const intents = width === 1 ? 1 : INTENTS_PER_CREATE * width;
  try {
    const notBegun = await runPool(creates, intents, async (create) => {
      let isSent = false;
      let next: "continue" | "stop" = "stop";
      const begin = async () => {
        isSent = await slots.take();
        return isSent;
      };
      try {
        const created = await createOne(run, create, begin);
        if (created === "unsent") unsent.push(create);
        if (typeof created === "string") return "stop";
        saves.push(created.saved);
        const saved = lists ? "continue" : await created.saved;
        next = run.outcomes.rescued.length > 0 ? "stop" : saved;
        return next;
      } finally {
        // The slots close first: no create that waits for one may begin any more.
        if (next === "stop") slots.close();
        if (isSent) slots.release();
      }
    });
    return [...unsent, ...notBegun];
  } finally {
    await Promise.all(saves);
  }
}

/**
 * Looks up the creates that this run has left unknown.
 * @returns those that were not done; they are no longer unknown
 */
async function settleUnknown(run: Run): Promise<readonly AbsentCreate[]> {
  const { outcomes, manager } = run;
  const opens = [...outcomes.unknown.keys()].flatMap((address): OpenCreate[] => {
    const pending = manager.state.pending.get(address);
    return pending ? [{ address, pending, sent: true }] : [];
  });
  const { absent } = await lookUpCreates(run, opens);
  return absent.map((open) => {
    const { error } = outcomes.unknown.get(open.address) ?? {};
    outcomes.unknown.delete(open.address);
    return { ...open, error };
  });
}

type AbsentCreate = OpenCreate & { readonly error: unknown };

/** Gives up a create that was not done: in two attempts, or in a run that has stopped. */
async function markNotCreated(run: Run, { address, pending, error }: AbsentCreate): Promise<void> {
  const facts = error instanceof AmpError ? error.facts : {};
  const isUpdate = pending.update !== undefined;
  const after = `after ${durationText(run.ports.options.commitDeadlineMs)}`;
  const seen = isUpdate ? `earlier settings shown ${after}` : `not listed ${after}`;
  // The outcome is known by now, so only the reason is left of the message.
  const reason =
    error instanceof Error && error.message.replace(/^It is unknown [^:]*(?:: |$)/u, "");
  const failure = new ServiceError(
    `${address} was not ${isUpdate ? "updated" : "created"}: ${reason ? `${reason} (${seen})` : seen}`,
    facts,
    { cause: error },
  );
  const subject = { resource: resourceAt(address), since: new Date(pending.started) };
  const { requestId } = pending;
  const failed = { outcome: "absent", requestId, sent: true } as const;
  run.outcomes.fail(subject, failure, failed, isUpdate ? "update" : undefined);
  // An intent that cannot be dropped is looked up by the next run, and found not done.
  await run.manager.dropIntent(address).catch(() => {});
}
