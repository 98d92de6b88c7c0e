import { suggest } from "../../../values/suggested-command.ts";
import { deleteCommand } from "../delete-commands.ts";

export default deleteCommand("destination-route", {
  examples: ["amp notify destination-routes delete lifecycle/ops --yes"],
  list: suggest("notify destination-routes list"),
  again: (name) => suggest("notify destination-routes get", [name]),
});
