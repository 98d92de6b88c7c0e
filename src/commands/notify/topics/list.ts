import { suggest } from "../../../values/suggested-command.ts";
import { listCommand } from "../list-command.ts";

export default listCommand("topic", {
  examples: ["amp notify topics list", "amp notify topics list --output id"],
  next: suggest("notify routes list", [], { topic: { placeholder: "topic" } }),
});
