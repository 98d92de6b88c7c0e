import { type Address, addressParts } from "../address.ts";
import { stepAt } from "../engine/step-at.ts";
import type { KnownRecord, RoutingState } from "../state/state.ts";
import { NOT_LISTED, NOT_SEEN } from "./item-status.ts";
import { endsOf, type LiveIndex } from "./natural-key.ts";
import type { StatusRow } from "./status.ts";

type State = Pick<RoutingState, "records" | "pending">;

/**
 * How the things are that only the state knows.
 * @param named what the routing file names, and is judged by it
 * @param hasFile whether there is one: else nothing is left out of it
 */
export function recordStatuses(
  state: State | undefined,
  named: ReadonlySet<Address>,
  index: LiveIndex | undefined,
  hasFile: boolean,
): StatusRow[] {
  if (state === undefined) return [];
  const begun = [...state.pending.keys()].map(
    (address): StatusRow => ({
      address,
      kind: addressParts(address).kind,
      status: "unknown",
      note: "was begun, and its outcome is not known",
    }),
  );
  const known = [...state.records]
    .filter(([address]) => !state.pending.has(address))
    .map(([address, record]) => recordStatus(address, record, state, index))
    .map((row) => (hasFile && row.status === "in-place" ? { ...row, note: NOT_NAMED } : row));
  return [...begun, ...known].filter(({ address }) => !named.has(address));
}

const NOT_NAMED = "no longer named by the file";

function recordStatus(
  address: Address,
  { id, origin }: KnownRecord,
  state: State,
  index: LiveIndex | undefined,
): StatusRow {
  const { kind } = addressParts(address);
  const row = { address, kind, id, origin } as const;
  if (index === undefined) return { ...row, status: "in-place", note: NOT_SEEN };
  const step = stepAt(address);
  const ends = new Map(
    endsOf(step).flatMap((end): [Address, string][] => {
      const record = state.records.get(end);
      return record === undefined ? [] : [[end, record.id]];
    }),
  );
  const found = index.matches(step, ends);
  const record = index.byId(kind, id);
  // Of ends that only a file names by their ids, the state knows nothing.
  const isJudged = endsOf(step).every((end) => ends.has(end));
  if (found.some((one) => one.id === id) || (record !== undefined && !isJudged)) {
    return { ...row, status: "in-place" };
  }
  if (record !== undefined) return { ...row, status: "changed", note: changeOf(record) };
  const note = found.length === 0 ? NOT_LISTED : `${NOT_LISTED}, and there is another in its place`;
  return { ...row, status: "missing", note };
}

function changeOf({ name }: { readonly name?: string | null | undefined }): string {
  return name ? `its name is ${JSON.stringify(name)} now` : "it connects something else";
}
