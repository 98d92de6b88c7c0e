import { ConflictError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { type Address, addressParts } from "../model/address.ts";
import { referencesOf } from "../model/resource.ts";
import { movedRoute } from "../state/change.ts";
import type { RecordedRun, RunChange, RunHistory } from "../state/history.ts";
import type { RoutingState } from "../state/state.ts";
import { EarlierRouting, type UndoPlan } from "./earlier-routing.ts";
import { addressBefore } from "./earlier-values.ts";

/**
 * Works out what takes a run back, from what the state kept of it: deletes what it created, restores
 * what it updated and creates what it deleted, as far as the values are known. What another run did
 * since is not touched.
 * @throws {ConflictError} if a later run changed the same, or the run made more changes than are kept
 */
export function planUndo(
  { records, runs = new Map() }: Pick<RoutingState, "records" | "runs">,
  id: string,
  run: RecordedRun,
): UndoPlan {
  if (run.isCut) {
    throw new ConflictError(`Run ${id} made more changes than the state keeps`, {
      remedy: "Apply an earlier version of its routing file instead.",
      done: "Nothing was changed.",
    });
  }
  if (hasReplaced(run)) {
    throw new ConflictError(`Run ${id} replaced a resource, which cannot be undone`, {
      remedy: "Apply an earlier version of its routing file with --replace instead.",
      done: "Nothing was changed.",
    });
  }
  assertLast(runs, id, run);
  const builder = new EarlierRouting(records, { name: run.routing, deleted: deletedIds(runs) });
  const changes = withPresentIds(asBefore(run.changes), runs);
  for (const change of inOrder(changes)) builder.add(change);
  return builder.result();
}

/** The key of a resource for every run: IDs are unique within a kind. */
function keyOf({ address, id }: Pick<RunChange, "address" | "id">): string {
  return `${addressParts(address).kind} ${id}`;
}

/**
 * Changes of a run with what it deleted at the addresses before the run: it deletes a route of a topic
 * that it renames under the new name.
 */
function asBefore(changes: readonly RunChange[]): readonly RunChange[] {
  const renames = changes.flatMap((change): [to: Address, from: Address][] => {
    const from = change.action === "updated" ? addressBefore(change) : undefined;
    return from === undefined ? [] : [[change.address, from]];
  });
  return changes.map((change) => {
    if (change.action !== "deleted") return change;
    const address = renames.reduce(
      (at, [to, from]) => movedRoute(at, to, from) ?? at,
      change.address,
    );
    return { ...change, address };
  });
}

/** Changes of the resources that exist now, where the undo of a later run created them again. */
function withPresentIds(changes: readonly RunChange[], runs: RunHistory): readonly RunChange[] {
  return [...runs.values()].reduce((now, { undoes = "", changes: made }) => {
    const created = made.filter(({ action }) => action === "created");
    const again = new Map(created.map(({ address, id }) => [address, id]));
    const ids = new Map(
      asBefore(runs.get(undoes)?.changes ?? []).flatMap((change) => {
        const id = change.action === "deleted" ? again.get(change.address) : undefined;
        return id === undefined ? [] : [[keyOf(change), id]];
      }),
    );
    return now.map((change) => ({ ...change, id: ids.get(keyOf(change)) ?? change.id }));
  }, changes);
}

/** What any run deleted. */
function deletedIds(runs: RunHistory): ReadonlySet<string> {
  const all = [...runs.values()].flatMap(({ changes }) => changes);
  return new Set(all.filter(({ action }) => action === "deleted").map(keyOf));
}

/** Changes in the order in which they are taken back: a route comes after what it references. */
function inOrder(changes: readonly RunChange[]): RunChange[] {
  const place = ({ address }: RunChange) => referencesOf(addressParts(address).kind).length;
  return changes.toSorted((one, other) => place(one) - place(other));
}

/** The address of a resource that was replaced, before it is deleted; see `asideAddress`. */
const ASIDE = /-replaced-[\da-f]{6}(?:\/|$)/u;

function hasReplaced({ changes }: RecordedRun): boolean {
  return changes.some(({ address, action }) => action === "deleted" && ASIDE.test(address));
}

/** Why a run can never be taken back, as the end of a sentence; undefined if it can. */
function whyKept(run: RecordedRun | undefined): string | undefined {
  if (run === undefined) return undefined;
  if (hasReplaced(run)) return "replaced what it changed";
  return run.isCut ? "made more changes than the state keeps" : undefined;
}

/**
 * Refuses to take back what a later run builds on. The runs that take this one back do not count, nor
 * does a later run that was taken back itself.
 */
function assertLast(runs: RunHistory, id: string, run: RecordedRun): void {
  const ids = [...runs.keys()];
  const addresses = new Set(addressesOf(run));
  const after = ids.slice(ids.indexOf(id) + 1);
  const settled = new Set<string>();
  for (const other of after.toReversed()) {
    const { undoes } = runs.get(other) ?? {};
    if (undoes === undefined || settled.has(other)) continue;
    settled.add(other).add(undoes);
  }
  const later = after.filter((other) => {
    const changed = addressesOf(runs.get(other) ?? { changes: [] });
    return !settled.has(other) && changed.some((address) => addresses.has(address));
  });
  const [last] = later.toReversed();
  if (last === undefined) return;
  for (const other of later) {
    const why = whyKept(runs.get(other));
    if (why === undefined) continue;
    throw new ConflictError(`Run ${id} cannot be undone: ${other} ${why}`, {
      remedy: "Apply an earlier version of its routing file instead.",
      done: "Nothing was changed.",
      data: { runs: later },
    });
  }
  throw new ConflictError(
    `${later.length === 1 ? "A later run has" : "Later runs have"} changed the same resources: ${later.join(", ")}`,
    {
      remedy: "Undo the latest one first.",
      done: "Nothing was changed.",
      suggestion: suggest("notify undo", [last]),
      data: { runs: later },
    },
  );
}

/** The addresses of what a run changed, before it and after. */
function addressesOf({ changes }: Pick<RecordedRun, "changes">): Address[] {
  return [...changes, ...asBefore(changes)].flatMap((change) => [
    change.address,
    addressBefore(change) ?? change.address,
  ]);
}
