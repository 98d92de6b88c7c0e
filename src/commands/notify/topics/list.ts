import { suggest } from "../../../values/suggested-command.ts";
import { listCommand } from "../resource-commands.ts";

export default listCommand("topic", {
  examples: ["amp notify topics list", "amp notify topics list --output id"],
  next: suggest("notify event-routes list", [], { topicId: { placeholder: "id" } }),
});
