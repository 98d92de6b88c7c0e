import { type Address, addressOf } from "../model/address.ts";
import { type LiveRecord, NAMED_GROUPS, NAMED_KINDS } from "../model/resource.ts";
import { dependenciesOf, type RoutingModel, resourceAt } from "../model/routing.ts";
import { movedRoute } from "../state/change.ts";
import type { RoutingState } from "../state/state.ts";
import type { LiveIndex } from "./live.ts";
import type { Difference } from "./plan.ts";

/** A rename that a routing declares with `renamed-from`, and that is not done yet. */
export interface Rename {
  /** The name before. */
  readonly name: string;
  /** The address at which the state has the resource; absent if the state does not have it. */
  readonly from?: Address;
  /** The listed record with the name before; only where the state does not have it. */
  readonly listed?: LiveRecord;
}

/** The renames of a routing, by the new address. */
export interface PlannedRenames {
  readonly renames: ReadonlyMap<Address, Rename>;
  /** Both the old and the new resource exist: it is not known which one the routing means. */
  readonly conflicts: ReadonlyMap<Address, readonly Difference[]>;
  /** The renames with nothing to do: their line in the file can be removed. */
  readonly needless: readonly Address[];
  /** The old addresses of the conflicts, and of their routes, which must not be pruned. */
  readonly kept: ReadonlySet<Address>;
}

type State = Pick<RoutingState, "records" | "pending">;

/** Sorts the renames that a routing declares by what the state and the lists say of them. */
export function plannedRenames(
  model: RoutingModel,
  state: State | undefined,
  index: LiveIndex | undefined,
): PlannedRenames {
  const renames = new Map<Address, Rename>();
  const conflicts = new Map<Address, readonly Difference[]>();
  const needless: Address[] = [];
  const kept = new Set<Address>();
  const listedAt = (address: Address) => index?.matches(resourceAt(address), new Map())[0];
  for (const { kind, name, before } of declaredRenames(model)) {
    const [to, from] = [addressOf(kind, name), addressOf(kind, before)];
    // A rename that an earlier run began is settled first.
    if (state?.pending.has(to)) continue;
    const [known, old] = [state?.records.get(to), state?.records.get(from)];
    const [listed, listedOld] = [listedAt(to), listedAt(from)];
    // It was renamed at the service, and gets the name of the state back. Only a command says so
    // for certain: of a file, which has a name, the rename may be done and the list behind.
    const isBack = model.name === undefined && known !== undefined && listedOld?.id === known.id;
    const settled = isBack ? undefined : known?.id;
    const newId = settled ?? (listed?.id === old?.id ? undefined : listed?.id);
    const oldOne = index === undefined ? old : (listedOld ?? (old && index.byId(kind, old.id)));
    if (newId === undefined) {
      if (isBack) renames.set(to, { name: before });
      else if (oldOne !== undefined && old !== undefined) renames.set(to, { name: before, from });
      else if (listedOld !== undefined) renames.set(to, { name: before, listed: listedOld });
    } else if (oldOne === undefined || oldOne.id === newId) needless.push(to);
    else {
      const found = `${before} is ${oldOne.id}, ${name} is ${newId}`;
      conflicts.set(to, [{ field: "renamed-from", wanted: "one of them", found }]);
      kept.add(from);
      for (const at of state?.records.keys() ?? []) if (movedRoute(at, from, to)) kept.add(at);
    }
  }
  return { renames, conflicts, needless, kept };
}

function declaredRenames(model: RoutingModel) {
  return NAMED_KINDS.flatMap((kind) =>
    [...model[NAMED_GROUPS[kind]]].flatMap(([name, part]) => {
      const before = "renamedFrom" in part ? part.renamedFrom : undefined;
      return before === undefined ? [] : { kind, name, before };
    }),
  );
}

/** The state as it will be once the renames are done: with each record at its new address. */
export function renamedState<Each extends State>(
  state: Each,
  renames: PlannedRenames["renames"],
): Each {
  const moves = new Map([...renames].flatMap(([to, { from }]) => (from ? [[from, to]] : [])));
  if (moves.size === 0) return state;
  const newAddress = (at: Address) =>
    moves.get(at) ??
    dependenciesOf(resourceAt(at)).reduce((now, end) => {
      const to = moves.get(end);
      return (to && movedRoute(now, end, to)) ?? now;
    }, at);
  return {
    ...state,
    records: moved(state.records, newAddress),
    pending: moved(state.pending, newAddress),
  };
}

function moved<Value>(
  entries: ReadonlyMap<Address, Value>,
  newAddress: (at: Address) => Address,
): ReadonlyMap<Address, Value> {
  // Where both addresses have an entry, neither moves.
  return new Map(
    [...entries].map(([at, value]) => {
      const to = newAddress(at);
      return [to !== at && entries.has(to) ? at : to, value];
    }),
  );
}
