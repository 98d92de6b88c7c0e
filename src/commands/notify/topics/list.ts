import { defineCommand, id, table, time } from "../../../cli/define.ts";
import { listForDisplay } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { suggest } from "../../../values/suggested-command.ts";

export default defineCommand({
  needs: ["project"],
  examples: ["amp notify topics list", "amp notify topics list --output id"],
  run: ({ api, project }) => listForDisplay({ api, project }, "topic", {}),
  view: table<LiveRecord>(
    ["topic", "topics"],
    { Name: "name", Created: ({ createTime }) => time(createTime), ID: (topic) => id(topic.id) },
    {
      next: suggest("notify event-routes list", [], { topicId: { placeholder: "id" } }),
      whenEmpty: suggest("notify setup"),
    },
  ),
});
