import { ConflictError } from "../../errors.ts";
import { firstNames } from "../../values/counted.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import type { RecordedRun, RunChange, RunHistory } from "../state/history.ts";
import type { RoutingState } from "../state/state.ts";
import { otherOwners } from "./plan-change.ts";
import { MADE_BY_AMP } from "./prune.ts";

/** What an undo of a run does. */
interface UndoPlan {
  /** The addresses of what the run created, as far as the state has it. */
  readonly remove: ReadonlySet<Address>;
  /** What the run created, and neither the state has nor any run deleted: it may exist. */
  readonly lost: readonly RunChange[];
  /** What stays as it is, each a sentence. */
  readonly left: readonly string[];
}

/**
 * Works out what takes a run back: what it created is deleted, if nobody else uses it. What it
 * updated or deleted stays: the state has no earlier values.
 * @throws {ConflictError} if the run created nothing, or made more changes than are kept
 */
export function planUndo(
  { records, runs = new Map() }: Pick<RoutingState, "records" | "runs">,
  id: string,
  run: RecordedRun,
): UndoPlan {
  if (run.isCut) {
    throw new ConflictError(`Run ${id} made more changes than the state keeps`, {
      remedy:
        "Remove what it created from the routing file and apply it with --prune, or delete it.",
      done: "Nothing was changed.",
    });
  }
  const stays = [changedText(run, "updated"), changedText(run, "deleted")].filter(Boolean);
  const left = stays.length === 0 ? [] : [`Run ${id} ${stays.join(" and ")}. ${RESTORE}`];
  const created = run.changes.filter(({ action }) => action === "created");
  if (created.length === 0) {
    throw new ConflictError(`Run ${id} created nothing that could be deleted`, {
      detail: `It ${stays.join(" and ")}.`,
      remedy: RESTORE,
      done: "Nothing was changed.",
    });
  }
  const addresses = new Map(
    [...records].map(([address, record]) => [keyOf({ address, id: record.id }), address]),
  );
  const deleted = deletedKeys(runs);
  const remove = new Set<Address>();
  const lost: RunChange[] = [];
  for (const change of created) {
    const key = keyOf(change);
    const at = addresses.get(key);
    const record = at && records.get(at);
    if (at === undefined || record === undefined) {
      if (!deleted.has(key)) lost.push(change);
      continue;
    }
    const others = otherOwners(record, { name: run.routing });
    if (!MADE_BY_AMP[record.origin]) {
      left.push(`${at} is kept: it was ${record.origin} since, and is not amp's to delete.`);
    } else if (others.length > 0) {
      left.push(`${at} is kept: ${others.join(", ")} contains it, too.`);
    }
    remove.add(at);
  }
  return { remove, lost, left };
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
