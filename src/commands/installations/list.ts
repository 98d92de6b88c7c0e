import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, flag, id, table, text, time } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { groupCell, stateCell } from "../../inspect/cells.ts";
import { integrationId } from "../../inspect/find-integration.ts";
import {
  integrationNames,
  type NamedInstallation,
  streamInstallations,
  withIntegrationNames,
} from "../../inspect/installations.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Without an integration, lists the installations of the default integration if there is one, or else of all integrations of the project, if the service supports it.",
  args: { integration: text("integration name or ID", { setting: "integration" }) },
  options: {
    allIntegrations: flag("list the installations of all integrations, whatever the default"),
    groupRef: text("show only the installations of this group", { placeholder: "ref" }),
  },
  needs: ["project"],
  examples: [
    "amp installations list crm-sync",
    "amp installations list 113e9685-9a51-42cc-8662-9d9725b17f14 --group-ref acme --json",
    "amp installations list --all-integrations",
  ],
  fields: RECORD_FIELDS.installation,
  exits: { conflict: "several integrations match" },
  run: async (context) => {
    const { api, project, args, options, fromSettings, settings, output, report } = context;
    const isDefault = fromSettings.has("integration");
    if (options.allIntegrations && args.integration !== undefined && !isDefault) {
      throw new UsageError("<integration> and --all-integrations conflict", {
        remedy: "Use one of them, not both.",
      });
    }
    const again = (name: string) => suggest("installations list", [name]);
    const integration =
      options.allIntegrations || args.integration === undefined
        ? undefined
        : await integrationId(context, args.integration, { argument: "<integration>", again });
    const isRead = output.forReading();
    if (isRead && isDefault && !options.allIntegrations) {
      const source = settings.get("integration")?.source;
      report.notice(`Integration ${integration} only (${source}). Add --all-integrations for all.`);
    }
    const scope = { project, integration, groupRef: options.groupRef, flag: "<integration>" };
    const [list, names] = await Promise.all([
      streamInstallations(api, scope),
      isRead && integration === undefined ? integrationNames(api, project) : undefined,
    ]);
    return names && names.size !== 1 ? withIntegrationNames(list, names) : list;
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
