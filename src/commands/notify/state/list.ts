import { addressCell, defineCommand, id, joined, table, time } from "../../../cli/define.ts";
import { addressParts } from "../../../notify/model/address.ts";
import { RESOURCE_ORDER, type ResourceKind } from "../../../notify/model/resource.ts";
import { openState, readState } from "../../../notify/state/open-backend.ts";
import type { KnownRecord, RoutingState } from "../../../notify/state/state.ts";
import { compareText } from "../../../values/basics.ts";
import { defined } from "../../../values/json.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { stateOptions } from "../options.ts";

/** A resource of the state, or one that a run has begun to create. */
interface StateEntry extends Partial<Pick<KnownRecord, "id" | "origin" | "owners">> {
  readonly address: string;
  readonly kind: ResourceKind;
  /** When the state last learned of it: RFC 3339. */
  readonly time: string;
  /** The write of it that was begun, and whose outcome is unknown. */
  readonly unknown?: "create" | "update" | "delete" | "rotation";
}

export default defineCommand({
  description:
    "Lists the resources in the saved state, without asking the service. To compare the state with the service, run amp notify plan.",
  options: { state: stateOptions.state },
  needs: ["project"],
  examples: ["amp notify state list", "amp notify state list --json"],
  fields: ["address", "kind", "id", "origin", "owners", "time", "unknown"],
  run: async (context) => {
    const saved = await readState(await openState(context, context.options, "offline"));
    return saved ? entriesOf(saved.state) : [];
  },
  view: table<StateEntry>(
    ["resource", "resources"],
    {
      Address: ({ address }) => addressCell(address),
      ID: (one) => id(one.id),
      Kind: "kind",
      Owner: ({ owners = [] }) => joined(owners, ", "),
      "Last change": (one) => time(one.time),
      Unknown: ({ unknown }) => unknown && { text: `outcome of ${unknown}`, tone: "attention" },
    },
    {
      id: (one) => one.id ?? "",
      next: suggest("notify plan"),
      whenEmpty: "The state has no resources.",
    },
  ),
});

function entriesOf({ records, pending }: RoutingState): StateEntry[] {
  const known = [...records].map(([address, { id: its, origin, owners, ...record }]) => {
    const { update, started } = pending.get(address) ?? {};
    const unknown = update ? "update" : begun(record);
    return {
      address,
      ...defined({ id: its, origin, owners, unknown }),
      time: started ?? record.deleting ?? record.rotating ?? record.time,
    };
  });
  const begins = [...pending].flatMap(([address, { owners, started, update }]) => {
    const unknown = update ? "update" : "create";
    return records.has(address) ? [] : { address, ...defined({ owners }), time: started, unknown };
  });
  return [...known, ...begins]
    .map((one) => ({ ...one, kind: addressParts(one.address).kind }) as StateEntry)
    .sort(
      (a, b) =>
        RESOURCE_ORDER.indexOf(a.kind) - RESOURCE_ORDER.indexOf(b.kind) ||
        compareText(a.address, b.address),
    );
}

function begun({ deleting, rotating }: Pick<KnownRecord, "deleting" | "rotating">) {
  if (deleting !== undefined) return "delete";
  return rotating === undefined ? undefined : "rotation";
}
