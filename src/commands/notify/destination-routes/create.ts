import { suggest } from "../../../values/suggested-command.ts";
import { createCommand } from "../resource-commands.ts";

export default createCommand("destination-route", {
  description: "A destination receives a topic's notifications only after such a route links them.",
  examples: ["amp notify destination-routes create --topic-id t_09aa --destination-id d_41c7"],
  list: suggest("notify destination-routes list"),
  next: () => suggest("notify destination-routes list"),
});
