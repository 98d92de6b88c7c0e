import { suggest } from "../../../values/suggested-command.ts";
import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("event-route", {
  examples: ["amp notify event-routes delete lifecycle/installation.created"],
  list: suggest("notify event-routes list"),
  again: (name) => suggest("notify event-routes get", [name]),
});
