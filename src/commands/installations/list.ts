import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand } from "../../cli/define.ts";
import {
  integrationNames,
  streamInstallations,
  withIntegrationNames,
} from "../../inspect/installations.ts";
import { INSTALLATIONS_TABLE } from "../../inspect/installations-table.ts";
import { listedScope } from "../../inspect/listed-scope.ts";
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
  view: INSTALLATIONS_TABLE,
});
