import { listProviderApps } from "../../api/operations/endpoints.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { appPage } from "../../inspect/app-page.ts";
import { findByIdOrName } from "../../inspect/find.ts";

export default defineCommand({
  description: "Looked up in the list of the project: the service has no request for one alone.",
  args: { app: required(text("provider app ID, or the unique beginning of one")) },
  needs: ["project"],
  examples: ["amp apps get app_5f0c2e91", "amp apps get app_5f0c2e91 --output yaml"],
  run: async ({ api, project, args }) =>
    findByIdOrName(
      await api.call(listProviderApps, { path: { projectIdOrName: project } }),
      args.app,
      {
        noun: "provider app",
        list: "amp apps list",
      },
    ),
  view: record(appPage),
});
