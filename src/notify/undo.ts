import { AmpError, type ExitName, type NotFoundError } from "../errors.ts";
import { once } from "../values/basics.ts";
import { capitalised, firstNames, quotedNames } from "../values/counted.ts";
import { defined } from "../values/json.ts";
import { type SuggestedCommand, suggest } from "../values/suggested-command.ts";
import { type ApplyContext, planAndApply } from "./apply.ts";
import { createHorizons } from "./engine/observe.ts";
import type { EnginePorts } from "./engine/types.ts";
import { routingErrors } from "./errors.ts";
import { type Address, nameFieldOf, recordKey } from "./model/address.ts";
import { fieldDigest } from "./model/canonical.ts";
import { type ApplyResult, applyExit } from "./pages/apply.ts";
import { keptText, resourceText } from "./pages/plan.ts";
import { isDigest, knownFields } from "./plan/compare.ts";
import { indexLive, type LiveIndex, listRouting } from "./plan/live.ts";
import { needsApply, type Plan } from "./plan/plan.ts";
import { planJson, withoutFile } from "./plan/plan-document.ts";
import { enginePorts, type SessionOptions } from "./session.ts";
import type { RecordedRun, RunChange, RunHistory } from "./state/history.ts";
import { openState, readState } from "./state/open-backend.ts";
import {
  type ActTime,
  addressesById,
  type Entry,
  kindOf,
  type RoutingState,
} from "./state/state.ts";

/**
 * Takes a run back: makes a plan that deletes what it created and nobody else uses, shows it, and
 * applies it as any other plan. Run again after any failure, it continues: what is gone is not
 * planned any more.
 * @param given the ID of the run; absent: the last one that is not an undo
 * @throws {NotFoundError} if the state has no such run
 * @throws {ConflictError} if the run created nothing, nothing of it can be deleted, or the last run
 * only began, and is not given
 */
export async function undoRun(
  ports: ApplyContext,
  given: string | undefined,
  options: SessionOptions,
): Promise<ApplyResult> {
  const opened = await openState(ports, options);
  const saved = await readState(opened);
  const runs = withBegun(saved?.state);
  const run = given ?? [...runs].findLast(([, { undoes }]) => undoes === undefined)?.[0];
  const recorded = run === undefined ? undefined : runs.get(run);
  if (saved === undefined || run === undefined || recorded === undefined) {
    throw runNotFound(given, runs);
  }
  // Where it did nothing it is no run, and the same command would take back the one before it.
  if (given === undefined && !saved.state.runs?.has(run))
    throw routingErrors.undo_of_begun_run(run);
  const service = lookAt(enginePorts(opened, ports, options));
  const { remove, ...planned } = await planUndo(saved.state, run, recorded, service);
  const stays = [...planned.stays];
  const name = recorded.routing;
  return planAndApply(
    ports,
    opened,
    { ...options, undo: { run, remove } },
    {
      model: { ...defined({ name }), destinations: new Map(), topics: new Map() },
      warnings: stays,
      document: (plan) => planJson(withoutFile(plan), stays),
      consent: { command: "amp notify undo" },
      check: (plan) => {
        stays.push(...ofOthers(plan));
        const kept = plan.kept.map(keptText);
        // Deletes are on a page with what is kept. Without them nothing is saved: the owners stay, too.
        for (const one of needsApply(plan) ? stays : [...stays, ...kept]) ports.report.warn(one);
        stays.push(...kept);
        if (!needsApply(plan) && stays.length > 0) nothingLeft(run, runs, stays);
      },
      subject: `Undo of run ${run}`,
      noteNothing: () => ports.report.notice(...nothingLeft(run, runs, stays)),
    },
  );
}

/** What an undo asks of the service; nothing is listed before. */
export function lookAt(ports: EnginePorts) {
  const horizons = createHorizons(ports);
  return {
    list: once(() => listRouting(ports)),
    /** Whether a list may not show yet what has a mark. */
    isYoung: (at: string, mark: ActTime) => ports.elapsed() < horizons.of(at, mark),
  };
}

/** What stays because others have it, each a sentence. */
function ofOthers({ items, others }: Plan): string[] {
  const released = items.flatMap((item) =>
    item.action === "release" ? { address: item.address, owners: item.owners ?? [] } : [],
  );
  return [...released, ...others].map(({ address, owners }) =>
    owners.length > 0
      ? `${keptName(address)} is kept: ${quotedNames(owners)} declares it.`
      : `${keptName(address)} is kept: it was imported or adopted since.`,
  );
}

function keptName(address: Address): string {
  return capitalised(resourceText(address));
}

/** The history, with the run of which nothing is known yet but that it began a write. */
function withBegun(state: RoutingState | undefined): RunHistory {
  const runs = new Map(state?.runs);
  for (const { pending } of [...(state?.entries.values() ?? []), ...(state?.left.values() ?? [])]) {
    const { id, head } = pending?.run ?? {};
    if (id !== undefined && head && !runs.has(id)) runs.set(id, { ...head, changes: [] });
  }
  return runs;
}

/**
 * Why nothing is to be done, and the command that undoes the run before.
 * @throws {ConflictError} where nothing of the run can be deleted
 * @throws {PartialError} where the rest of it stays
 */
function nothingLeft(
  run: string,
  runs: RunHistory,
  stays: readonly string[],
): [string, ...SuggestedCommand[]] {
  const undone = new Set([...runs.values()].map(({ undoes }) => undoes));
  if (!undone.has(run)) {
    if (stays.length > 0) throw routingErrors.undo_without_deletes(run);
    return [`Run ${run} has nothing to undo.`];
  }
  const ids = [...runs.keys()];
  const before = ids.slice(0, ids.indexOf(run)).findLast((id) => {
    const { undoes, changes = [] } = runs.get(id) ?? {};
    return !undoes && !undone.has(id) && changes.some(({ action }) => action === "created");
  });
  const next = before === undefined ? undefined : suggest("notify undo", [before]);
  if (stays.length > 0) throw routingErrors.undo_incomplete(true, next);
  const already = `Run ${run} is already undone.`;
  return next ? [`${already} To undo the run before it:`, next] : [already];
}

/** The end of an undo; one that had to leave something as it is ends with an error. */
export function undoExit(result: ApplyResult): ExitName | AmpError {
  const end = applyExit(result);
  if (result.warnings.length === 0 || end instanceof AmpError) return end;
  return routingErrors.undo_incomplete(!("items" in result));
}

function runNotFound(run: string | undefined, runs: RunHistory): NotFoundError {
  const [oldest] = runs.keys();
  const number = (id = "") => Number(/^r([1-9]\d*)$/u.exec(id)?.[1]);
  // A number is not a misspelling of another run, which an undo would take back.
  if (run === undefined) return routingErrors.undo_without_run(runs.size > 0);
  return oldest !== undefined && number(run) < number(oldest)
    ? routingErrors.undo_of_old_run(run, oldest)
    : routingErrors.undo_of_unknown_run(run, runs.size > 0);
}

/**
 * Works out what takes a run back: what it created is deleted, as what a file no longer declares. What
 * it updated or deleted stays, for the state has no earlier values; by their digests it is known
 * whether it is as it was before the run.
 * @param service lists the routing, where it matters; undefined where it has no lists
 * @returns what the run created, by kind and ID, as far as the state has it; and a sentence for each
 *   thing that stays as it is
 * @throws {ConflictError} if the run created nothing, or made more changes than are kept
 */
export async function planUndo(
  state: RoutingState,
  id: string,
  run: RecordedRun,
  { list, isYoung }: ReturnType<typeof lookAt>,
) {
  const { left, runs = new Map() } = state;
  if (run.isCut) throw routingErrors.undo_too_large(id);
  const created = run.changes.filter(({ action }) => action === "created");
  const others = run.changes.filter(({ action }) => action !== "created");
  const live = others.length === 0 ? undefined : await list();
  const index = live && indexLive(live);
  const known = addressesById(state);
  const changed = others.filter((change) => {
    const { action, address } = change;
    const at = action === "updated" ? known.get(keyOf(change)) : address;
    return at === undefined || !isRestored(state, at, change.was, { index, isYoung });
  });
  const texts = [changedText(changed, "updated"), changedText(changed, "deleted")].filter(Boolean);
  const stays = texts.length === 0 ? [] : [`Run ${id} ${texts.join(" and ")}. ${RESTORE}`];
  if (created.length === 0 && texts.length > 0) {
    throw routingErrors.undo_without_creates(id, texts.join(" and "), RESTORE);
  }
  const everything = [...runs.values()].flatMap(({ changes }) => changes);
  const deleted = new Set(everything.filter(({ action }) => action === "deleted").map(keyOf));
  const keys = created.map((change) => [keyOf(change), change] as const);
  const isKnown = (key: string) => known.has(key) || left.has(key);
  // What neither the state has nor any run deleted may exist.
  const lost = keys.filter(([key]) => !isKnown(key) && !deleted.has(key));
  const listed = lost.length === 0 ? undefined : await list();
  for (const [key, { address, id }] of lost) {
    const isListed = listed?.[kindOf(address)].some((record) => record.id === id) ?? true;
    const mark = state.marks.get(key);
    if (isListed || (mark && isYoung(key, mark))) {
      stays.push(`${keptName(address)} (${id}) is kept: it is no longer in the state.`);
    }
  }
  // What is settled only by the undo itself is not in its plan.
  for (const { op, address } of openOf(state, id)) {
    stays.push(
      `It was not known whether run ${id} ${DONE[op]} ${resourceText(address)}: run the same undo again.`,
    );
  }
  return { remove: new Set(keys.flatMap(([key]) => (isKnown(key) ? key : []))), stays };
}

/** The writes of a run whose outcome is unknown. */
function openOf({ entries, left }: RoutingState, run: string) {
  const all = [
    ...entries,
    ...[...left.values()].map((entry): [Address, Entry] => [entry.address, entry]),
  ];
  return all.flatMap(([address, { pending }]) =>
    pending?.run?.id === run ? { op: pending.op, address } : [],
  );
}

const DONE = { create: "created", update: "updated", delete: "deleted" } as const;

/** Whether what a run updated or deleted is again as it was before. */
function isRestored(
  state: RoutingState,
  address: Address,
  was: RunChange["was"],
  { index, isYoung }: { index: LiveIndex | undefined } & Pick<ReturnType<typeof lookAt>, "isYoung">,
): boolean {
  const entry = state.entries.get(address);
  if (was === undefined || entry?.id === undefined || entry.pending) return false;
  const record = index?.byId(kindOf(address), entry.id);
  if (index !== undefined && record === undefined) return false;
  const now = knownFields(state.key, entry, record, Object.keys(was));
  const [name] = entry.key ?? [];
  // A list may be older than what amp sent.
  const { time, serviceTime } = entry;
  const isBelieved = time === undefined || !isYoung(address, defined({ time, serviceTime }));
  return Object.entries(was).every(([path, value]) => {
    const isName = path === nameFieldOf(kindOf(address)) && name !== undefined;
    const known = isName ? fieldDigest(state.key, path, name) : value;
    const [sent, shown] = entry.fields[path] ?? [known];
    // A list that has never shown another value may leave it out.
    const isTold = sent === value || (isBelieved && isDigest(shown) && shown !== value);
    return isDigest(value) && now[path] === value && isTold;
  });
}

/** What to do about what an undo does not take back. */
const RESTORE = "Apply the earlier file to restore.";

function changedText(changes: readonly RunChange[], action: "updated" | "deleted"): string {
  const addresses = changes.flatMap((one) =>
    one.action === action ? [resourceText(one.address)] : [],
  );
  return addresses.length === 0 ? "" : `${action} ${firstNames([...new Set(addresses)])}`;
}

/** The key of a resource for every run: IDs are unique within a kind. */
function keyOf({ address, id }: Pick<RunChange, "address" | "id">): string {
  return recordKey(kindOf(address), id);
}
