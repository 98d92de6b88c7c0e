import { AmpError, type ConflictError, ServiceError, UnknownOutcomeError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { durationText } from "../../values/time.ts";
import type { Address } from "../model/address.ts";
import type { LiveRecord } from "../model/resource.ts";
import { type Resource, resourceAt } from "../model/routing.ts";
import { NO_CHOICES } from "../plan/choices.ts";
import { blockedError, blockerText } from "../plan/conflicts.ts";
import { planAdoption } from "../plan/plan-change.ts";
import { itemDocument } from "../plan/vocabulary.ts";
import { writeOf } from "./outcomes.ts";
import { lookUpWrites, type OpenWrite } from "./reconcile.ts";
import type { Run } from "./run.ts";
import { type PlannedWrite, writeOne } from "./write-one.ts";

/**
 * Writes resources that do not depend on each other: creates or updates them. It ends early, with
 * the reason in the run's outcomes, where a write failed, stayed unknown or could not be saved, and
 * on a signal.
 * @param hasLists whether the service has lists: without them resources are written one at a time,
 * so
 *   that at most one outcome is ever unknown
 */
export async function writeAll(
  run: Run,
  writes: readonly PlannedWrite[],
  hasLists: boolean,
): Promise<void> {
  const { ports, outcomes } = run;
  const sentAgain = new Set<Address>();
  for (let left = writes; left.length > 0; ) {
    if (outcomes.isStopped) return;
    const notBegun = await writeSome(run, left, hasLists);
    if (outcomes.unknown.size === 0 || !hasLists || ports.signal.aborted) return;
    // Nothing is sent again before its outcome is known.
    const absent = await settleUnknown(run);
    const byAddress = new Map(left.map((write) => [write.resource.address, write]));
    for (const open of absent) {
      const { address, taken, confirmed } = open;
      const { resource = resourceAt(address) } = byAddress.get(address) ?? {};
      if (outcomes.isStopped || taken || confirmed || sentAgain.has(address)) {
        await markNotWritten(run, resource, open);
      }
    }
    const again = absent.flatMap(({ address, pending }) => {
      const write = byAddress.get(address);
      sentAgain.add(address);
      return write ? [{ ...write, before: pending }] : [];
    });
    left = [...again, ...notBegun];
  }
}

/** Intents that are saved ahead, for each write that is sent in parallel. */
const INTENTS_PER_WRITE = 2;

/**
 * Sends writes in parallel until one stops the run. With lists, a result is saved together with the
 * next intent, and intents are saved ahead, so that no write waits for the disk. Without lists,
 * each result is saved before the next write begins.
 * @returns the writes that were not sent
 */
async function writeSome(
  run: Run,
  writes: readonly PlannedWrite[],
  hasLists: boolean,
): Promise<readonly PlannedWrite[]> {
  const saves: Promise<unknown>[] = [];
  const notBegun: PlannedWrite[] = [];
  const width = hasLists ? run.ports.options.parallel : 1;
  const slots = createSendSlots(width);
  const intents = width === 1 ? 1 : INTENTS_PER_WRITE * width;
  try {
    const rest = await runPool(writes, intents, async (write) => {
      let isSent = false;
      let next: "continue" | "stop" = "stop";
      const begin = async () => {
        isSent = await slots.take();
        return isSent;
      };
      try {
        const written = await writeOne(run, write, begin, hasLists);
        if (written === "not-begun") notBegun.push(write);
        if (typeof written === "string") return "stop";
        saves.push(written.saved);
        const saved = hasLists ? "continue" : await written.saved;
        next = run.outcomes.rescued.length > 0 ? "stop" : saved;
        return next;
      } finally {
        // The slots close first: no write that waits for one may begin any more.
        if (next === "stop") slots.close();
        if (isSent) slots.release();
      }
    });
    return [...notBegun, ...rest];
  } finally {
    await Promise.all(saves);
  }
}

/**
 * Looks up the writes that this run has left unknown.
 * @returns those that were not done; they are no longer unknown
 */
async function settleUnknown(run: Run): Promise<readonly AbsentWrite[]> {
  const { outcomes, manager } = run;
  const opens = [...outcomes.unknown.keys()].flatMap((address): OpenWrite[] => {
    const saved = manager.state.pending.get(address);
    if (saved === undefined) return [];
    const { resource: confirmed, requestId } = outcomes.unknown.get(address)?.confirmed ?? {};
    const pending = { ...saved, ...defined({ requestId }) };
    return [{ address, pending, confirmed, sent: true }];
  });
  const { absent } = await lookUpWrites(run, opens);
  return absent.map((open) => {
    const { error } = outcomes.unknown.get(open.address) ?? {};
    outcomes.unknown.delete(open.address);
    return { ...open, error };
  });
}

type AbsentWrite = OpenWrite & { readonly error: unknown };

/**
 * Gives up a write that was not done: in two attempts, in a run that has stopped, or because
 * somebody else has made a resource of its name.
 */
async function markNotWritten(run: Run, resource: Resource, open: AbsentWrite): Promise<void> {
  const { pending, taken } = open;
  const failure = taken ? { error: takenError(resource, taken) } : notWritten(run, open);
  const subject = { resource, since: new Date(pending.started) };
  const { requestId } = pending;
  const write = writeOf(pending);
  const outcome = write === "update" ? "refused" : "absent";
  const facts = { outcome, requestId, sent: true } as const;
  await run.outcomes.giveUp(subject, { ...failure, write }, facts);
}

/** The conflict that a plan with the record would have, in the words of a plan. */
function takenError(resource: Resource, record: LiveRecord): ConflictError | undefined {
  const { address, kind } = resource;
  const item = { address, kind, ...planAdoption(resource, record, NO_CHOICES) };
  const document = itemDocument(item);
  return blockedError([document])?.setFacts({ detail: blockerText(document) });
}

function notWritten(run: Run, { address, pending, error }: AbsentWrite) {
  const write = writeOf(pending);
  const after = `after ${durationText(run.ports.options.commitHorizonMs)}`;
  const seen = write === "update" ? `earlier settings shown ${after}` : `not listed ${after}`;
  // The outcome is known by now, so only the reason is left of the message.
  const why = error instanceof UnknownOutcomeError ? error.reason : (error as Error)?.message;
  const reason = why ? `${why} (${seen})` : seen;
  const text = `${address} was not ${write}d: ${reason}`;
  const facts = error instanceof AmpError ? error.facts : {};
  return { reason, error: new ServiceError(text, facts, { cause: error }) };
}

/**
 * Works through items in order, up to `width` in parallel, until one says to stop. Work that has
 * begun is finished in any case.
 * @returns the items that were not begun
 * @throws {unknown} the first error, once all work that has begun is finished
 */
export async function runPool<Item>(
  items: readonly Item[],
  width: number,
  work: (item: Item) => Promise<"continue" | "stop">,
): Promise<readonly Item[]> {
  let next = 0;
  let stopped = false;
  const failures: unknown[] = [];

  async function worker(): Promise<void> {
    while (!stopped && next < items.length) {
      const item = items[next] as Item;
      next += 1;
      try {
        if ((await work(item)) === "stop") stopped = true;
      } catch (error) {
        stopped = true;
        failures.push(error);
      }
    }
  }

  await Promise.all(Array.from({ length: width }, worker));
  if (failures.length > 0) throw failures[0];
  return items.slice(next);
}

interface SendSlots {
  /**
   * Resolves once a slot is free, in the order of asking.
   * @returns false once the slots are closed: nothing may be sent any more
   */
  take(): Promise<boolean>;
  release(): void;
  /** Refuses a slot to all that wait for one, or ask later. */
  close(): void;
}

/** Creates `width` slots. */
export function createSendSlots(width: number): SendSlots {
  const waiting: ((isFree: boolean) => void)[] = [];
  let free = width;
  let isClosed = false;
  return {
    take: () => {
      if (isClosed) return Promise.resolve(false);
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
      return Promise.resolve(true);
    },
    release: () => {
      const next = waiting.shift();
      if (next) next(true);
      else free += 1;
    },
    close: () => {
      isClosed = true;
      for (const answer of waiting.splice(0)) answer(false);
    },
  };
}
