import { defined } from "../../values/json.ts";
import type { Address } from "../model/address.ts";
import { RESOURCE_LAYERS, RESOURCE_ORDER } from "../model/resource.ts";
import {
  type ExistingIds,
  knownEnds,
  type Resource,
  type RoutingModel,
  referencedIds,
} from "../model/routing.ts";
import { stillListed } from "../plan/beyond.ts";
import { isChange, type PlanItem } from "../plan/plan.ts";
import { type Place, placeName, withLists } from "../state/change.ts";
import type { Pending, StateEntry } from "../state/state.ts";
import type { Decided } from "./decide.ts";
import type { Run } from "./run.ts";
import { openPlaces, settle } from "./settle.ts";
import { type PlannedWrite, writeOne } from "./write-one.ts";

/**
 * Writes. In: a plan that was agreed to. Out: everything is done and saved, layer by layer, deletes
 * last; or the run had to stop, with the reason in its outcomes.
 * @param notDone creates of earlier runs that were not done
 */
export async function write(
  run: Run,
  model: RoutingModel,
  { plan, seen }: Decided,
  notDone: ReadonlyMap<Address, Pending>,
): Promise<void> {
  const { outcomes, manager } = run;
  await saveDecisions(run, { plan, seen });
  for (const item of plan.items) reportUnsent(run, item);
  const existing = referencedIds(model);
  const { entries } = manager.state;
  for (const kinds of RESOURCE_LAYERS) {
    const items = plan.items.filter(({ kind }) => kinds.includes(kind));
    for (const op of ["update", "create"] as const) {
      if (outcomes.isStopped) return;
      const writes = items.flatMap((item): PlannedWrite[] => {
        const { resource, address } = item;
        if (item.action !== op || resource === undefined) return [];
        const place = { address };
        const ids = knownEnds(resource, (end) => existing.get(end) ?? entries.get(end)?.id);
        if (item.action === "update") {
          const { id, fields: mask } = item;
          const found = seen.index?.byId(item.kind, id);
          return [{ op: "update", place, resource, ids, id, mask, found }];
        }
        const before = listedBefore(resource, ids, item, seen.index);
        const { idempotencyKey } = notDone.get(address) ?? {};
        const { index } = seen;
        return [
          { op: "create", place, resource, ids, before, index, ...defined({ idempotencyKey }) },
        ];
      });
      await writeAll(run, writes, plan.lists);
    }
  }
  for (const kind of RESOURCE_ORDER.toReversed()) {
    if (outcomes.isStopped) return;
    const deletes = plan.items.flatMap((item): PlannedWrite[] => {
      if (item.action !== "delete" || item.kind !== kind) return [];
      const { place, id } = item;
      return [{ op: "delete", place, id, found: seen.index?.byId(kind, id), hasLists: plan.lists }];
    });
    await writeAll(run, deletes, plan.lists);
  }
}

/** Saves what the plan has moved, claimed and released, before anything is sent. */
async function saveDecisions({ manager }: Run, { plan, seen }: Decided): Promise<void> {
  const isWriting = plan.items.some(isChange);
  if (plan.changes.length === 0 && !isWriting) return;
  const listed = new Set(stillListed(manager.state.marks, seen).map(({ key }) => key));
  await manager.prepare((state) => [
    ...plan.changes,
    ...(isWriting ? withLists(plan.lists)(state) : []),
    ...[...state.marks].flatMap(([key, mark]): StateEntry[] =>
      seen.isYoung(key, mark) || listed.has(key) ? [] : [["mark", key, null]],
    ),
  ]);
}

/** Reports a resource that needs no request. */
function reportUnsent({ outcomes }: Run, item: PlanItem): void {
  if (item.action !== "in_place" && item.action !== "adopt") return;
  // An earlier run began it, and this one has settled it.
  if (outcomes.isSettled(item.address)) return;
  const outcome = item.action === "adopt" ? "adopted" : "in_place";
  const differences = item.action === "in_place" ? item.notKept : undefined;
  outcomes.settle(item.address, { outcome, id: item.id, sent: false, ...defined({ differences }) });
}

/** The IDs that a list may show for a create, and that are not its result. */
function listedBefore(
  resource: Resource,
  ids: ExistingIds,
  item: PlanItem,
  index: Decided["seen"]["index"],
): readonly string[] {
  const listed = index
    ? [
        ...index.matches(resource, ids),
        ...index.candidates(resource, ids),
        ...index.lookalikes(resource, ids),
      ]
    : [];
  // The list may be out of date, and show the old record again.
  const previous = "previousId" in item && item.previousId !== undefined ? [item.previousId] : [];
  return [...new Set([...listed.map(({ id }) => id), ...previous])];
}

/**
 * Writes resources that do not depend on each other. It ends early, with the reason in the run's
 * outcomes, where a write failed, stayed unknown or could not be saved, and on a signal.
 * @param hasLists whether the service has lists: without them resources are written one at a time,
 * so that at most one outcome is ever unknown
 */
export async function writeAll(
  run: Run,
  writes: readonly PlannedWrite[],
  hasLists: boolean,
): Promise<void> {
  const { outcomes } = run;
  const mine = new Set(writes.map(({ place }) => placeName(place)));
  for (let rest = writes; rest.length > 0; ) {
    if (outcomes.isStopped) return;
    rest = await writeSome(run, rest, hasLists);
    const open = openPlaces(run).filter(
      (place) => mine.has(placeName(place)) && isOpen(run, place),
    );
    if (open.length > 0) await settle(run, open, true);
  }
}

function isOpen({ outcomes }: Run, place: Place): boolean {
  return outcomes.errors.has(placeName(place));
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
    const rest = await runPool(writes, intents, async (one) => {
      let isSent = false;
      let next: "continue" | "stop" = "stop";
      const begin = async () => {
        isSent = await slots.take();
        return isSent;
      };
      try {
        const written = await writeOne(run, one, begin);
        if (written === "not-begun") notBegun.push(one);
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
 * Works through items in order, up to `width` in parallel, until one says to stop. Work that has
 * begun is finished in any case.
 * @returns the items that were not begun
 * @throws {unknown} the first error, once all work that has begun is finished
 */
async function runPool<Item>(
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

/** Creates `width` slots. */
export function createSendSlots(width: number) {
  const waiting: ((isFree: boolean) => void)[] = [];
  let free = width;
  let isClosed = false;
  return {
    /**
     * Resolves once a slot is free, in the order of asking.
     * @returns false once the slots are closed: nothing may be sent any more
     */
    take: (): Promise<boolean> => {
      if (isClosed) return Promise.resolve(false);
      if (free === 0) return new Promise((resolve) => waiting.push(resolve));
      free -= 1;
      return Promise.resolve(true);
    },
    release: (): void => {
      const next = waiting.shift();
      if (next) next(true);
      else free += 1;
    },
    /** Refuses a slot to all that wait for one, or ask later. */
    close: (): void => {
      isClosed = true;
      for (const answer of waiting.splice(0)) answer(false);
    },
  };
}
