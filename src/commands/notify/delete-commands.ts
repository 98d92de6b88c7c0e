import { addressCell, defineCommand, id, required, table, text } from "../../cli/define.ts";
import type { DeletedResource } from "../../documents/notify.ts";
import { deleteNamed } from "../../notify/delete.ts";
import { type NamedKind, RESOURCES } from "../../notify/model/resource.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { acceptOf, stateOptions } from "./options.ts";

/** The command that deletes a resource of a kind by its whole name or ID. */
export function deleteCommand(
  kind: NamedKind,
  { examples }: { readonly examples: readonly string[] },
) {
  const { words } = RESOURCES[kind];
  const uses = kind === "destination" ? "by a route or a customer's read" : "by a route";
  return defineCommand({
    description: [
      `Asks for confirmation, then deletes one ${words[0]}. Its full name or ID is required.`,
      `Refused, with a list of its uses, if it is in use ${uses}, or if its uses cannot be checked; --accept references deletes it and its routes.`,
      "An unknown outcome is looked up in the lists of the service.",
    ].join(" "),
    args: { resource: required(text(`name or ID of the ${words[0]}`, { complete: kind })) },
    options: { accept: acceptOf(["references"]), ...stateOptions },
    needs: ["project"],
    effect: "write",
    examples,
    fields: RESULT_FIELDS.deletion,
    exits: {
      conflict: `in use, or several ${words[1]} have the name`,
      partial: "it is unknown whether it was deleted, or only its routes were deleted",
    },
    run: (context) => deleteNamed(context, kind, context.args.resource, context.options),
    view: deletionTable,
  });
}

/** What was deleted. */
export const deletionTable = table<DeletedResource>(["resource", "resources"], {
  Outcome: "outcome",
  Address: ({ address }) => addressCell(address),
  ID: (one) => id(one.id),
});
