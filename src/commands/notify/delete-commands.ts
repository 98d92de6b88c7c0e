import {
  defineCommand,
  flag,
  id,
  required,
  resourceAddress,
  table,
  text,
} from "../../cli/define.ts";
import { deleteNamed } from "../../notify/delete.ts";
import type { DeletionOutcome } from "../../notify/engine/delete-resources.ts";
import type { ResourceSearch } from "../../notify/find-resource.ts";
import { RESOURCES, type ResourceKind, referencesOf } from "../../notify/model/resource.ts";
import { stateOptions } from "./options.ts";

/** The command that deletes a resource of a kind by its whole name or ID. */
export function deleteCommand(
  kind: ResourceKind,
  {
    examples,
    ...search
  }: Pick<ResourceSearch, "list" | "again"> & {
    readonly examples: readonly string[];
  },
) {
  const { words, key } = RESOURCES[kind];
  const isRoute = referencesOf(kind).length > 0;
  const form = key.map(({ label }) => label.toLowerCase()).join("/");
  const uses = kind === "destination" ? "its routes, and reads of customers" : "its routes";
  return defineCommand({
    description: [
      `Asks first, and deletes exactly one ${words[0]}: its whole name or ID must be given.`,
      isRoute
        ? ""
        : `One that is in use (${uses}) is refused with the list, and so is one of which that could not be checked; --break-references deletes it with its routes.`,
      "What the saved state has of it is removed. The request is sent once; if its outcome is unknown, the lists of the service decide.",
    ]
      .filter(Boolean)
      .join(" "),
    args: { resource: required(text(`${isRoute ? form : "name"} or ID of the ${words[0]}`)) },
    options: {
      ...(isRoute
        ? {}
        : { breakReferences: flag("delete it, and its routes, although it is in use") }),
      ...stateOptions,
    },
    needs: ["project"],
    effect: "write",
    examples,
    fields: ["address", "id", "outcome"],
    exits: {
      conflict: `in use, or several ${words[1]} have the name`,
      partial: "it is unknown whether it was deleted, or only its routes were",
    },
    run: (context) => {
      const words = { ...search, argument: "<resource>" };
      return deleteNamed(context, kind, context.args.resource, words, context.options);
    },
    view: table<DeletionOutcome>(["resource", "resources"], {
      Outcome: "outcome",
      Address: ({ address }) => resourceAddress(address),
      ID: (one) => id(one.id),
    }),
  });
}
