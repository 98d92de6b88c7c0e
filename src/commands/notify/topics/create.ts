import { createTopic } from "../../../api/operations/endpoints.ts";
import type { Topic } from "../../../api/schemas/notification.ts";
import { defineCommand, record, required, text } from "../../../cli/define.ts";
import { withNameAdvice } from "../../../notify/model/names.ts";
import { createdPage } from "../../../notify/pages/created.ts";
import { quote } from "../../../values/shell.ts";

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
      api.call(createTopic, {
        path: { projectIdOrName: project },
        body: { name: options.name },
      }),
      options.name,
      "amp notify topics create",
    ),
  view: record<Topic>((topic) =>
    createdPage(
      "topic",
      topic,
      { Name: topic.name },
      `amp notify event-routes create --topic-id ${quote(topic.id)} --event <event>`,
    ),
  ),
});
