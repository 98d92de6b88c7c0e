import { firstNames } from "../../values/counted.ts";
import { routingErrors } from "../errors.ts";
import { type Address, recordKey } from "../model/address.ts";
import type { RecordedRun, RunChange, RunHistory } from "../state/history.ts";
import { addressesById, type Entry, kindOf, type RoutingState } from "../state/state.ts";
import { isDigest, knownFields } from "./compare.ts";
import { indexLive, type LiveIndex, type LiveRouting } from "./live.ts";

interface UndoPlan {
  /** What the run created, by kind and ID, as far as the state has it. */
  readonly remove: ReadonlySet<string>;
  /** What stays as it is, each a sentence. */
  readonly left: readonly string[];
}

/**
 * Works out what takes a run back: what it created is deleted, as what a file no longer declares. What
 * it updated or deleted stays, for the state has no earlier values; by their digests it is known
 * whether it is as it was before the run.
 * @param list lists the routing, where it matters; undefined where the service has no lists
 * @throws {ConflictError} if the run created nothing, or made more changes than are kept
 */
export async function planUndo(
  state: RoutingState,
  id: string,
  run: RecordedRun,
  list: () => Promise<LiveRouting | undefined>,
): Promise<UndoPlan> {
  const { left: leftEntries, runs = new Map() } = state;
  if (run.isCut) throw routingErrors.undo_too_large(id);
  const created = run.changes.filter(({ action }) => action === "created");
  const others = run.changes.filter(({ action }) => action !== "created");
  const live = others.length === 0 ? undefined : await list();
  const index = live && indexLive(live);
  const known = addressesById(state);
  const changed = others.filter((change) => {
    const { action, address } = change;
    const at = action === "updated" ? known.get(keyOf(change)) : address;
    return at === undefined || !isRestored(state, at, change.was, index);
  });
  const stays = [changedText(changed, "updated"), changedText(changed, "deleted")].filter(Boolean);
  const left = stays.length === 0 ? [] : [`Run ${id} ${stays.join(" and ")}. ${RESTORE}`];
  if (created.length === 0 && stays.length > 0) {
    throw routingErrors.undo_without_creates(id, stays.join(" and "), RESTORE);
  }
  const deleted = deletedKeys(runs);
  const keys = created.map((change) => [keyOf(change), change] as const);
  const isKnown = (key: string) => known.has(key) || leftEntries.has(key);
  // What neither the state has nor any run deleted may exist.
  const lost = keys.filter(([key]) => !isKnown(key) && !deleted.has(key));
  const listed = lost.length === 0 ? undefined : await list();
  for (const [, { address, id }] of lost) {
    const isGone = listed?.[kindOf(address)].every((record) => record.id !== id);
    if (!isGone) left.push(`${address} (${id}) is kept: it is no longer in the state.`);
  }
  // What is settled only by the undo itself is not in its plan.
  for (const { op, address } of openOf(state, id)) {
    left.push(
      `It was not known whether run ${id} ${DONE[op]} ${address}: run the same undo again.`,
    );
  }
  return { remove: new Set(keys.flatMap(([key]) => (isKnown(key) ? key : []))), left };
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
  index: LiveIndex | undefined,
): boolean {
  const entry = state.entries.get(address);
  if (was === undefined || entry?.id === undefined || entry.pending) return false;
  const record = index?.byId(kindOf(address), entry.id);
  if (index !== undefined && record === undefined) return false;
  const now = knownFields(state.key, entry, record, Object.keys(was));
  return Object.entries(was).every(([path, value]) => {
    const [sent, shown] = entry.fields[path] ?? [value];
    // A list that has never shown another value may leave it out.
    const isTold = sent === value || (isDigest(shown) && shown !== value);
    return isDigest(value) && now[path] === value && isTold;
  });
}

/** What to do about what an undo does not take back. */
const RESTORE = "Apply the earlier file to restore.";

function changedText(changes: readonly RunChange[], action: "updated" | "deleted"): string {
  const addresses = changes.flatMap((one) => (one.action === action ? [one.address] : []));
  return addresses.length === 0 ? "" : `${action} ${firstNames([...new Set(addresses)])}`;
}

/** The key of a resource for every run: IDs are unique within a kind. */
function keyOf({ address, id }: Pick<RunChange, "address" | "id">): string {
  return recordKey(kindOf(address), id);
}

function deletedKeys(runs: RunHistory): ReadonlySet<string> {
  const all = [...runs.values()].flatMap(({ changes }) => changes);
  return new Set(all.filter(({ action }) => action === "deleted").map(keyOf));
}
