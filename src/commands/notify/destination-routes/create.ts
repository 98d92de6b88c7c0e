import { suggest } from "../../../values/suggested-command.ts";
import { createCommand } from "../resource-commands.ts";

export default createCommand("destination-route", {
  description: "A destination receives the notifications of a topic only if a route connects them.",
  examples: ["amp notify destination-routes create --topic-id t_09aa --destination-id d_41c7"],
  next: () => suggest("notify destination-routes list"),
});
