import { suggest } from "../../../values/suggested-command.ts";
import { listCommand } from "../resource-commands.ts";

export default listCommand("event-route", {
  examples: [
    "amp notify event-routes list",
    "amp notify event-routes list --event connection.error --json",
  ],
  next: suggest("notify topics list"),
});
