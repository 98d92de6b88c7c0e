import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { withNameAdvice } from "../../../notify/model/names.ts";
import { createResource } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { createdPage } from "../../../notify/pages/created.ts";
import { suggest } from "../../../values/suggested-command.ts";

export default defineCommand({
  options: {
    name: required(
      text("name, of letters, digits and dashes, 64 at the most", { placeholder: "name" }),
    ),
  },
  needs: ["project"],
  effect: "write",
  examples: ["amp notify topics create --name customer-lifecycle"],
  run: ({ api, project, options }) =>
    withNameAdvice(
      createResource({ api, project }, "topic", { name: options.name }),
      options.name,
      (name) => suggest("notify topics create", [], { name }),
    ),
  view: record<LiveRecord>((topic) =>
    createdPage(
      "topic",
      topic,
      { Name: topic.name },
      suggest("notify event-routes create", [], {
        topicId: topic.id,
        event: { placeholder: "event" },
      }),
    ),
  ),
});
