import { listIntegrations } from "../../api/operations/endpoints.ts";
import type { Integration } from "../../api/schemas/project.ts";
import { defineCommand, id, table, time } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  needs: ["project"],
  examples: ["amp integrations list", "amp integrations list --output id"],
  fields: RESULT_FIELDS.integration,
  run: ({ api, project }) => api.call(listIntegrations, { path: { projectIdOrName: project } }),
  view: table<Integration>(
    ["integration", "integrations"],
    {
      Name: "name",
      Provider: "provider",
      Created: ({ createTime }) => time(createTime),
      ID: (integration) => id(integration.id),
    },
    { next: suggest("installations list", [{ placeholder: "integration" }]) },
  ),
});
