import { listIntegrations } from "../../api/operations/endpoints.ts";
import type { Integration } from "../../api/schemas/project.ts";
import {
  defineCommand,
  id,
  joined,
  record,
  required,
  row,
  rows,
  text,
  time,
} from "../../cli/define.ts";
import { INTEGRATION_LOOKUP } from "../../inspect/find-integration.ts";
import { findByIdOrName } from "../../questions/find.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  description: "Searches the list of the project by name, or by ID or a unique prefix of it.",
  args: { integration: required(text("integration name or ID", { complete: "integration" })) },
  needs: ["project"],
  examples: [
    "amp integrations get crm-sync",
    "amp integrations get crm-sync --json --fields id,latestRevision",
  ],
  fields: RESULT_FIELDS.integration,
  run: async (context) => {
    const path = { projectIdOrName: context.project };
    return findByIdOrName(
      await context.api.call(listIntegrations, { path }),
      context.args.integration,
      INTEGRATION_LOOKUP,
      context,
    );
  },
  view: record<Integration>((integration) => ({
    title: integration.name ?? integration.id,
    aside: joined([integration.provider, integration.id]) ?? "",
    blocks: [
      rows([
        ...row("ID", id(integration.id)),
        ...row("Provider", integration.provider),
        ...row("Project", integration.projectId),
        ...row("Created", time(integration.createTime)),
        ...row("Updated", time(integration.updateTime)),
        ...row("Revision", id(integration.latestRevision?.id)),
        ...row("Spec version", integration.latestRevision?.specVersion),
        ...row("Revised", time(integration.latestRevision?.createTime)),
      ]),
    ],
  })),
});
