import { listTopics } from "../../../api/operations/endpoints.ts";
import type { Topic } from "../../../api/schemas/notification.ts";
import { defineCommand, id, table, time } from "../../../cli/define.ts";

export default defineCommand({
  needs: ["project"],
  examples: ["amp notify topics list", "amp notify topics list --output id"],
  run: ({ api, project }) => api.list(listTopics, { path: { projectIdOrName: project } }),
  view: table<Topic>(
    ["topic", "topics"],
    { Name: "name", Created: ({ createTime }) => time(createTime), ID: (topic) => id(topic.id) },
    { next: "amp notify event-routes list --topic-id <id>", whenEmpty: "amp notify setup" },
  ),
});
