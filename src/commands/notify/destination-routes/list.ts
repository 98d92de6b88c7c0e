import { suggest } from "../../../values/suggested-command.ts";
import { listCommand } from "../resource-commands.ts";

export default listCommand("destination-route", {
  examples: [
    "amp notify destination-routes list",
    "amp notify destination-routes list --topic-id t_09aa --json",
  ],
  next: suggest("notify destinations list"),
});
