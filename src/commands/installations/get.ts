import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, record, required, text, uuid } from "../../cli/define.ts";
import { installationSummary, ownerNames } from "../../inspect/cells.ts";
import { findByIdOrName } from "../../inspect/find.ts";
import { installationPage } from "../../inspect/installation-page.ts";
import { allInstallations } from "../../inspect/installations.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "The likely cause of a stopped sync is shown first. Searches the list by ID or by the customer's name: the API has no endpoint for a single installation.",
  args: {
    installation: required(
      text("installation ID, a unique prefix of it, or the name or ref of its owner"),
    ),
  },
  options: { integration: uuid("integration ID", { setting: "integration" }) },
  needs: ["project"],
  examples: [
    "amp installations get ins_7f3a91c0 --integration 113e9685-9a51-42cc-8662-9d9725b17f14",
    'amp installations get "Acme Corp"',
    "amp installations get ins_7f3a --json --fields healthStatus,connection.status",
  ],
  fields: RECORD_FIELDS.installation,
  run: async ({ api, project, args, options: { integration } }) =>
    findByIdOrName(
      await allInstallations(api, { project, integration, flag: "--integration" }),
      args.installation,
      {
        noun: "installation",
        list: suggest("installations list"),
        names: ownerNames,
        describe: installationSummary,
      },
    ),
  view: record(installationPage),
});
