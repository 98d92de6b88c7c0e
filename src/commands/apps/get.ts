import { listProviderApps } from "../../api/operations/endpoints.ts";
import type { ProviderApp } from "../../api/schemas/project.ts";
import {
  defineCommand,
  dimBlock,
  entryTexts,
  id,
  type Page,
  record,
  required,
  row,
  rows,
  text,
  time,
} from "../../cli/define.ts";
import { findApp } from "../../inspect/apps.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Searches the list of the project, because the API has no endpoint for a single provider app. If several match, amp asks on a terminal which one you mean.",
  args: {
    app: required(text("provider app ID or a unique prefix of it, client ID, or provider name")),
  },
  needs: ["project"],
  examples: [
    "amp apps get app_5f0c2e91",
    "amp apps get salesforce",
    "amp apps get app_5f0c2e91 --output yaml",
  ],
  fields: RESULT_FIELDS.providerApp,
  exits: { conflict: "several provider apps match" },
  run: async (context) => {
    const { api, project, args } = context;
    const apps = await api.call(listProviderApps, { path: { projectIdOrName: project } });
    return findApp(apps, args.app, context, (name) => suggest("apps get", [name]));
  },
  view: record(appPage),
});

function appPage(app: ProviderApp): Page {
  const { authQueryParams, providerParams, ...other } = app.metadata ?? {};
  const metadata = [
    ...row("Auth URL params", entryTexts(authQueryParams)),
    ...row("Provider params", entryTexts(providerParams)),
    ...row("Other", entryTexts(other)),
  ];
  return {
    title: app.provider,
    aside: app.id,
    blocks: [
      rows([
        ...row("ID", id(app.id)),
        ...row("Project", app.projectId),
        ...row("Client ID", app.clientId),
        ...row("Provider app ID", app.externalRef),
        ...row("Scopes", app.scopes),
        ...row("Created", time(app.createTime)),
        ...row("Updated", time(app.updateTime)),
      ]),
      metadata.length > 0 ? rows(metadata, "Metadata") : dimBlock("No metadata."),
    ],
  };
}
