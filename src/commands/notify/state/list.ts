import { addressCell, defineCommand, id, joined, table, time } from "../../../cli/define.ts";
import type { ListedEntry } from "../../../documents/notify.ts";
import { addressParts } from "../../../notify/model/address.ts";
import { RESOURCE_ORDER } from "../../../notify/model/resource.ts";
import { openState, readState } from "../../../notify/state/open-backend.ts";
import { type Entry, fileOf, type RoutingState } from "../../../notify/state/state.ts";
import { compareText } from "../../../values/basics.ts";
import { defined } from "../../../values/json.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { stateOptions } from "../options.ts";

export default defineCommand({
  description:
    "Lists the resources in the saved state, without asking the service. To compare the state with the service, run amp notify plan.",
  options: stateOptions,
  needs: ["project"],
  examples: ["amp notify state list", "amp notify state list --json"],
  fields: RESULT_FIELDS.stateEntry,
  run: async (context) => {
    const saved = await readState(await openState(context, context.options, "offline"));
    return saved ? entriesOf(saved.state) : [];
  },
  view: table<ListedEntry>(
    ["resource", "resources"],
    {
      Address: ({ address }) => addressCell(address),
      ID: (one) => id(one.id),
      Kind: "kind",
      Owner: ({ owner, alsoIn = [] }) => joined([ownerText(owner), ...alsoIn], ", "),
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

function entriesOf({ entries, left }: RoutingState): ListedEntry[] {
  const all = [...entries, ...[...left.values()].map((entry) => [entry.address, entry] as const)];
  return all
    .map(([address, entry]) => {
      const { id: its, alsoIn, made, owner, pending, rotating, time: last } = entry;
      const unknown = pending?.op ?? (rotating === undefined ? undefined : "rotation");
      const { kind } = addressParts(address);
      return { address, kind, made, owner, ...defined({ id: its, alsoIn, unknown, time: last }) };
    })
    .sort(
      (a, b) =>
        RESOURCE_ORDER.indexOf(a.kind) - RESOURCE_ORDER.indexOf(b.kind) ||
        compareText(a.address, b.address),
    );
}

/** An owner in words: the name of a file, or who else it is. */
function ownerText(owner: Entry["owner"]): string {
  return fileOf(owner) ?? (owner === "person" ? "by command" : "a file without name");
}
