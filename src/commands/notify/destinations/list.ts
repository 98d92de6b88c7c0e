import { defineCommand, id, table, time } from "../../../cli/define.ts";
import { deliversTo } from "../../../notify/model/metadata.ts";
import { listForDisplay } from "../../../notify/model/operations.ts";
import type { LiveRecord } from "../../../notify/model/resource.ts";
import { suggest } from "../../../values/suggested-command.ts";

export default defineCommand({
  needs: ["project"],
  examples: ["amp notify destinations list", "amp notify destinations list --json"],
  run: ({ api, project }) => listForDisplay({ api, project }, "destination", {}),
  view: table<LiveRecord>(
    ["destination", "destinations"],
    {
      Name: "name",
      Type: "type",
      "Delivers to": deliversTo,
      Created: ({ createTime }) => time(createTime),
      ID: (destination) => id(destination.id),
    },
    {
      next: suggest("notify destination-routes list"),
      whenEmpty: suggest("notify setup"),
    },
  ),
});
