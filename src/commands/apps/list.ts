import { listProviderApps } from "../../api/operations/endpoints.ts";
import type { ProviderApp } from "../../api/schemas/project.ts";
import { defineCommand, id, table, text, time } from "../../cli/define.ts";
import { isSameName } from "../../values/matching.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  options: { provider: text("show only the apps of this provider", { placeholder: "name" }) },
  needs: ["project"],
  examples: ["amp apps list", "amp apps list --provider salesforce --json"],
  fields: RESULT_FIELDS.providerApp,
  run: async ({ api, project, options }) => {
    const apps = await api.call(listProviderApps, { path: { projectIdOrName: project } });
    // The service has no such filter (spec part 4), but the list is short.
    return apps.filter(
      ({ provider }) => !options.provider || isSameName(provider, options.provider),
    );
  },
  view: table<ProviderApp>(
    ["provider app", "provider apps"],
    {
      Provider: "provider",
      "Client ID": "clientId",
      Scopes: ({ scopes }) => scopes?.join(" "),
      Updated: ({ updateTime }) => time(updateTime),
      ID: (app) => id(app.id),
    },
    { next: suggest("apps get", [{ placeholder: "id" }]) },
  ),
});
