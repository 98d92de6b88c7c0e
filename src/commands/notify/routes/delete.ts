import { defineCommand, text } from "../../../cli/define.ts";
import { deleteNamed } from "../../../notify/delete.ts";
import { findRoute, type MeantRoutes } from "../../../notify/find-resource.ts";
import { inputErrors } from "../../../values/errors.ts";
import { RESULT_FIELDS } from "../../../values/result-fields.ts";
import { commandErrors } from "../../errors.ts";
import { deletionTable } from "../delete-commands.ts";
import { stateOptions } from "../options.ts";
import { routeMeant, routeOptions } from "./options.ts";

export default defineCommand({
  description:
    "Asks for confirmation, then deletes one route: that with the ID, or that between --topic and --event or --destination. An unknown outcome is looked up in the lists of the service.",
  args: { route: text("ID of the route, instead of options") },
  options: { ...routeOptions, ...stateOptions },
  needs: ["project"],
  effect: "write",
  examples: [
    "amp notify routes delete --topic lifecycle --event installation.created",
    "amp notify routes delete --topic lifecycle --destination ops --yes",
    "amp notify routes delete evr_445fc5fb",
  ],
  fields: RESULT_FIELDS.deletion,
  exits: {
    conflict: "several routes match",
    partial: "it is unknown whether it was deleted",
  },
  run: async (context) => {
    const { args, options } = context;
    const { kind, id } = await findRoute(context, routeWanted(args.route, options));
    return deleteNamed(context, kind, id, options);
  },
  view: deletionTable,
});

function routeWanted(id: string | undefined, typed: Parameters<typeof routeMeant>[0]): MeantRoutes {
  const isNamed = [typed.topic, typed.event, typed.destination].some((one) => one !== undefined);
  if (id !== undefined && isNamed) {
    throw inputErrors.options_conflict(
      "<route>",
      "options that name a route",
      "Use the ID or the options, not both.",
    );
  }
  if (id !== undefined) return { kinds: ["event-route", "destination-route"], fields: { id } };
  if (typed.topic !== undefined) return routeMeant(typed);
  throw commandErrors.route_missing();
}
