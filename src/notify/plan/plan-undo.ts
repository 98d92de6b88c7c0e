import { ConflictError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import { referencesOf } from "../model/resource.ts";
import { movedRoute } from "../state/change.ts";
import type { RecordedRun, RunChange, RunHistory } from "../state/history.ts";
import type { RoutingState } from "../state/state.ts";
import { EarlierRouting, type UndoPlan } from "./earlier-routing.ts";
import { addressBefore } from "./field-values.ts";

/**
 * Works out what takes a run back, from what the state kept of it: deletes what it created,
 * restores what it updated and creates what it deleted, as far as the values are known. What
 * another run did since is not touched.
 * @throws {ConflictError} if a later run changed the same, or the run made more changes than are
 * kept
 */
export function planUndo(
  { records, runs = new Map() }: Pick<RoutingState, "records" | "runs">,
  id: string,
  run: RecordedRun,
): UndoPlan {
  if (run.isCut) {
    throw new ConflictError(`Run ${id} made more changes than the state keeps`, {
      remedy: insteadOf(run),
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
  return recordKey(addressParts(address).kind, id);
}

/**
 * Changes of a run with what it deleted at the addresses before the run: it deletes a route of a
 * topic that it renames under the new name.
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

function deletedIds(runs: RunHistory): ReadonlySet<string> {
  const all = [...runs.values()].flatMap(({ changes }) => changes);
  return new Set(all.filter(({ action }) => action === "deleted").map(keyOf));
}

/** Changes in the order in which they are taken back: a route comes after what it references. */
function inOrder(changes: readonly RunChange[]): RunChange[] {
  const place = ({ address }: RunChange) => referencesOf(addressParts(address).kind).length;
  return changes.toSorted((one, other) => place(one) - place(other));
}

/** Why a run can never be taken back, as the end of a sentence; undefined if it can. */
function whyKept(run: RecordedRun | undefined): string | undefined {
  if (run === undefined) return undefined;
  return run.isCut ? "made more changes than the state keeps" : undefined;
}

/** What to do instead of undoing a run; what the first one created is in no earlier version. */
function insteadOf({ changes }: Pick<RecordedRun, "changes"> = { changes: [] }): string {
  return changes.every(({ action }) => action === "created")
    ? "Remove what it created from the routing file and apply it with --prune, or delete it."
    : "Apply an earlier version of its routing file instead.";
}

/**
 * The runs after one. Those that take it back do not count, nor does one that was taken back
 * itself.
 */
function laterRuns(runs: RunHistory, id: string): readonly string[] {
  const ids = [...runs.keys()];
  const after = ids.slice(ids.indexOf(id) + 1);
  const settled = new Set<string>();
  for (const other of after.toReversed()) {
    const { undoes } = runs.get(other) ?? {};
    if (undoes === undefined || settled.has(other)) continue;
    settled.add(other).add(undoes);
  }
  return after.filter((other) => !settled.has(other));
}

function assertLast(runs: RunHistory, id: string, run: RecordedRun): void {
  const addresses = new Set(addressesOf(run));
  const later = laterRuns(runs, id).filter((other) =>
    addressesOf(runs.get(other) ?? { changes: [] }).some((address) => addresses.has(address)),
  );
  const have = later.length === 1 ? "A later run has" : "Later runs have";
  assertNone(runs, id, later, `${have} changed the same resources: ${later.join(", ")}`);
}

/**
 * Refuses to take back a run as long as routes of later ones use what it created: that would stay.
 * @param routes the IDs of these routes
 * @throws {ConflictError} naming the runs that created them
 */
export function assertNotBuiltOn(runs: RunHistory, id: string, routes: ReadonlySet<string>): void {
  const later = laterRuns(runs, id).filter((other) =>
    withPresentIds(runs.get(other)?.changes ?? [], runs).some(
      (change) => change.action === "created" && routes.has(change.id),
    ),
  );
  const build = later.length === 1 ? "Run" : "Runs";
  const verb = later.length === 1 ? "builds" : "build";
  assertNone(runs, id, later, `${build} ${later.join(", ")} ${verb} on ${id}`);
}

/** Refuses to take a run back before later ones, if there are any. */
function assertNone(runs: RunHistory, id: string, later: readonly string[], why: string): void {
  const last = later.at(-1);
  if (last === undefined) return;
  const facts = { done: "Nothing was changed.", data: { runs: later } };
  for (const other of later) {
    const kept = whyKept(runs.get(other));
    if (kept === undefined) continue;
    throw new ConflictError(`Run ${id} cannot be undone: ${other} ${kept}`, {
      ...facts,
      remedy: insteadOf(runs.get(id)),
    });
  }
  throw new ConflictError(why, {
    ...facts,
    remedy: `Undo ${later.length === 1 ? "it" : "the latest one"} first.`,
    suggestion: suggest("notify undo", [last]),
  });
}

/** The addresses of what a run changed in the end, before it and after. */
function addressesOf(run: Pick<RecordedRun, "changes">): Address[] {
  const { changes } = run;
  return [...changes, ...asBefore(changes)].flatMap((change) => [
    change.address,
    addressBefore(change) ?? change.address,
  ]);
}
