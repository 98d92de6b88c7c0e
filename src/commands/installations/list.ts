import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, id, table, time } from "../../cli/define.ts";
import { groupCell, stateCell } from "../../inspect/cells.ts";
import {
  integrationNames,
  type NamedInstallation,
  streamInstallations,
  withIntegrationNames,
} from "../../inspect/installations.ts";
import { listedScope } from "../../inspect/listed-scope.ts";
import { suggest } from "../../values/suggested-command.ts";
import { SCOPE_ARGS, SCOPE_OPTIONS, SCOPE_TEXT } from "./options.ts";

export default defineCommand({
  description: `Lists the installations of an integration. ${SCOPE_TEXT}`,
  args: SCOPE_ARGS,
  options: SCOPE_OPTIONS,
  needs: ["project"],
  examples: [
    "amp installations list crm-sync",
    "amp installations list 113e9685-9a51-42cc-8662-9d9725b17f14 --group-ref acme --json",
    "amp installations list --all-integrations",
  ],
  fields: RECORD_FIELDS.installation,
  exits: { conflict: "several integrations match" },
  run: async (context) => {
    const { api, project, output, selection } = context;
    const scope = await listedScope(context, "installations list");
    // A filter by the name of an integration needs the names wherever the list goes.
    const isFiltered = selection.uses("Integration");
    const isNamed = isFiltered || (output.forReading() && scope.integration === undefined);
    const [list, names] = await Promise.all([
      streamInstallations(api, scope),
      isNamed ? integrationNames(api, project) : undefined,
    ]);
    return names && (isFiltered || names.size !== 1) ? withIntegrationNames(list, names) : list;
  },
  view: table<NamedInstallation>(
    ["installation", "installations"],
    {
      Group: groupCell,
      Provider: ({ config, connection }) => config.content?.provider ?? connection.provider,
      Health: ({ healthStatus }) => stateCell(healthStatus),
      "Last op": ({ lastOperationStatus }) => stateCell(lastOperationStatus),
      Connection: ({ connection }) => stateCell(connection.status),
      Updated: ({ updateTime }) => time(updateTime),
      ID: (installation) => id(installation.id),
      Integration: ({ integrationId, integrationName = "" }) => ({
        text: integrationName,
        raw: integrationId,
      }),
    },
    {
      spare: ["Updated", "Provider"],
      optional: ["Integration"],
      next: suggest("installations get", [{ placeholder: "id" }]),
      tally: { unhealthy: ({ healthStatus }) => healthStatus === "unhealthy" },
    },
  ),
});
