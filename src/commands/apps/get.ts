import { listProviderApps } from "../../api/operations/endpoints.ts";
import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import type { ProviderApp } from "../../api/schemas/provider-app.ts";
import {
  defineCommand,
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
import { findByIdOrName } from "../../inspect/find.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Searches the list of the project: the API has no endpoint for a single provider app.",
  args: { app: required(text("provider app ID or a unique prefix of it")) },
  needs: ["project"],
  examples: ["amp apps get app_5f0c2e91", "amp apps get app_5f0c2e91 --output yaml"],
  fields: RECORD_FIELDS.providerApp,
  run: async ({ api, project, args }) =>
    findByIdOrName(
      await api.call(listProviderApps, { path: { projectIdOrName: project } }),
      args.app,
      { noun: "provider app", list: suggest("apps list") },
    ),
  view: record(appPage),
});

/** A provider app as a page, with all of its metadata. */
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
      metadata.length > 0
        ? rows(metadata, "Metadata")
        : { kind: "text", text: "No metadata.", tone: "dim" },
    ],
  };
}
