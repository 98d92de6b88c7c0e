import { withNameAdvice } from "../../../notify/model/names.ts";
import { suggest } from "../../../values/suggested-command.ts";
import { createCommand } from "../resource-commands.ts";

export default createCommand("topic", {
  examples: ["amp notify topics create --name customer-lifecycle"],
  send: (call, { name = "" }) =>
    withNameAdvice(call, name, (valid) => suggest("notify topics create", [], { name: valid })),
  next: ({ id }) =>
    suggest("notify event-routes create", [], { topicId: id, event: { placeholder: "event" } }),
});
