import { addressCell, defineCommand, id, required, table, text } from "../../cli/define.ts";
import { deleteNamed } from "../../notify/delete.ts";
import type { DeletionOutcome } from "../../notify/engine/delete-resources.ts";
import type { ShownKind } from "../../notify/find-resource.ts";
import { RESOURCES, referencesOf } from "../../notify/model/resource.ts";
import { accepted } from "../../notify/plan/choices.ts";
import { acceptOf, stateOptions } from "./options.ts";

/** The command that deletes a resource of a kind by its whole name or ID. */
export function deleteCommand(
  kind: ShownKind,
  { examples }: { readonly examples: readonly string[] },
) {
  const { words, key } = RESOURCES[kind];
  const isRoute = referencesOf(kind).length > 0;
  const form = key.map(({ label }) => label.toLowerCase()).join("/");
  const uses = kind === "destination" ? "by a route or a customer's read" : "by a route";
  return defineCommand({
    description: [
      `Asks for confirmation, then deletes one ${words[0]}. Its full name or ID is required.`,
      isRoute
        ? ""
        : `Refused, with a list of its uses, if it is in use ${uses}, or if its uses cannot be checked; --accept references deletes it and its routes.`,
      "Also removes it from the saved state. The request is sent once; an unknown outcome is looked up in the lists of the service.",
    ]
      .filter(Boolean)
      .join(" "),
    args: { resource: required(text(`${isRoute ? form : "name"} or ID of the ${words[0]}`)) },
    options: {
      ...(isRoute ? {} : { accept: acceptOf(["references"]) }),
      ...stateOptions,
    },
    needs: ["project"],
    effect: "write",
    examples,
    fields: ["address", "id", "outcome"],
    exits: {
      conflict: `in use, or several ${words[1]} have the name`,
      partial: "it is unknown whether it was deleted, or only its routes were deleted",
    },
    run: (context) =>
      deleteNamed(context, kind, context.args.resource, {
        ...context.options,
        ...accepted(context.options.accept ?? []),
      }),
    view: table<DeletionOutcome>(["resource", "resources"], {
      Outcome: "outcome",
      Address: ({ address }) => addressCell(address),
      ID: (one) => id(one.id),
    }),
  });
}
