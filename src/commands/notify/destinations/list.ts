import { listDestinations } from "../../../api/operations/endpoints.ts";
import type { Destination } from "../../../api/schemas/notification.ts";
import { defineCommand, id, table, time } from "../../../cli/define.ts";
import { deliversTo, redactListMetadata } from "../../../notify/model/metadata.ts";

export default defineCommand({
  needs: ["project"],
  examples: ["amp notify destinations list", "amp notify destinations list --json"],
  run: async ({ api, project }) =>
    redactListMetadata(await api.list(listDestinations, { path: { projectIdOrName: project } })),
  view: table<Destination>(
    ["destination", "destinations"],
    {
      Name: "name",
      Type: "type",
      "Delivers to": deliversTo,
      Created: ({ createTime }) => time(createTime),
      ID: (destination) => id(destination.id),
    },
    {
      next: "amp notify destination-routes list",
      whenEmpty: "amp notify setup",
    },
  ),
});
