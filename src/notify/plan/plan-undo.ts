import { firstNames } from "../../values/counted.ts";
import { routingErrors } from "../errors.ts";
import { addressParts, recordKey } from "../model/address.ts";
import type { RecordedRun, RunChange, RunHistory } from "../state/history.ts";
import { addressesById, type RoutingState } from "../state/state.ts";

interface UndoPlan {
  /** What the run created, by kind and ID, as far as the state has it. */
  readonly remove: ReadonlySet<string>;
  /** What the run created, and neither the state has nor any run deleted: it may exist. */
  readonly lost: readonly RunChange[];
  /** What stays as it is, each a sentence. */
  readonly left: readonly string[];
}

/**
 * Works out what takes a run back: what it created is deleted, as what a file no longer declares. What
 * it updated or deleted stays: the state has no earlier values.
 * @throws {ConflictError} if the run created nothing, or made more changes than are kept
 */
export function planUndo(
  state: Pick<RoutingState, "entries" | "left" | "runs">,
  id: string,
  run: RecordedRun,
): UndoPlan {
  const { left: leftEntries, runs = new Map() } = state;
  if (run.isCut) throw routingErrors.undo_too_large(id);
  const stays = [changedText(run, "updated"), changedText(run, "deleted")].filter(Boolean);
  const left = stays.length === 0 ? [] : [`Run ${id} ${stays.join(" and ")}. ${RESTORE}`];
  const created = run.changes.filter(({ action }) => action === "created");
  if (created.length === 0) {
    throw routingErrors.undo_without_creates(id, stays.join(" and "), RESTORE);
  }
  const known = addressesById(state);
  const deleted = deletedKeys(runs);
  const keys = created.map((change) => [keyOf(change), change] as const);
  const isKnown = (key: string) => known.has(key) || leftEntries.has(key);
  return {
    remove: new Set(keys.flatMap(([key]) => (isKnown(key) ? key : []))),
    lost: keys.flatMap(([key, change]) => (isKnown(key) || deleted.has(key) ? [] : change)),
    left,
  };
}

/** What to do about what an undo does not take back. */
const RESTORE = "Apply the earlier file to restore.";

function changedText({ changes }: RecordedRun, action: "updated" | "deleted"): string {
  const addresses = changes.flatMap((one) => (one.action === action ? [one.address] : []));
  return addresses.length === 0 ? "" : `${action} ${firstNames([...new Set(addresses)])}`;
}

/** The key of a resource for every run: IDs are unique within a kind. */
function keyOf({ address, id }: Pick<RunChange, "address" | "id">): string {
  return recordKey(addressParts(address).kind, id);
}

function deletedKeys(runs: RunHistory): ReadonlySet<string> {
  const all = [...runs.values()].flatMap(({ changes }) => changes);
  return new Set(all.filter(({ action }) => action === "deleted").map(keyOf));
}
