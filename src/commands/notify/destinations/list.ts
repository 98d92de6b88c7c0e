import { suggest } from "../../../values/suggested-command.ts";
import { listCommand } from "../list-command.ts";

export default listCommand("destination", {
  examples: ["amp notify destinations list", "amp notify destinations list --json"],
  next: suggest("notify routes list"),
});
