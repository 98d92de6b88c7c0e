import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import type { Installation } from "../../api/schemas/installation.ts";
import { defineCommand, id, table, text, time, uuid } from "../../cli/define.ts";
import { groupCell, stateCell } from "../../inspect/cells.ts";
import { streamInstallations } from "../../inspect/installations.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Without an integration ID, lists the installations of all integrations of the project, if the service supports it.",
  args: { integration: uuid("integration ID", { setting: "integration" }) },
  options: { groupRef: text("show only the installations of this group", { placeholder: "ref" }) },
  needs: ["project"],
  examples: [
    "amp installations list 113e9685-9a51-42cc-8662-9d9725b17f14",
    "amp installations list 113e9685-9a51-42cc-8662-9d9725b17f14 --group-ref acme --json",
  ],
  fields: RECORD_FIELDS.installation,
  run: ({ api, project, args, options }) =>
    streamInstallations(api, {
      project,
      integration: args.integration,
      groupRef: options.groupRef,
      flag: "<integration>",
    }),
  view: table<Installation>(
    ["installation", "installations"],
    {
      Group: groupCell,
      Provider: ({ config, connection }) => config.content?.provider ?? connection.provider,
      Health: ({ healthStatus }) => stateCell(healthStatus),
      "Last op": ({ lastOperationStatus }) => stateCell(lastOperationStatus),
      Connection: ({ connection }) => stateCell(connection.status),
      Updated: ({ updateTime }) => time(updateTime),
      ID: (installation) => id(installation.id),
    },
    {
      spare: ["Updated"],
      next: suggest("installations get", [{ placeholder: "id" }]),
      tally: { unhealthy: ({ healthStatus }) => healthStatus === "unhealthy" },
    },
  ),
});
