import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { findInstallation } from "../../inspect/find-installation.ts";
import { integrationId } from "../../inspect/find-integration.ts";
import { installationPage } from "../../inspect/installation-page.ts";
import { integrationNames, searchedInstallations, withName } from "../../inspect/installations.ts";
import { once } from "../../values/once.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "The likely cause of a stopped sync is shown first. Searches all installations of the project, whatever the default integration; names match in any case, without accents and in any word order. Where several match, a terminal asks which one. With -, reads the payload of an event, or an ID or name, from standard input.",
  args: {
    installation: required(
      text("installation or connection ID, a unique prefix, a name or ref of its owner, or -"),
    ),
  },
  options: {
    integration: text("search only the installations of this integration", { placeholder: "name" }),
  },
  needs: ["project"],
  examples: [
    'amp installations get "Acme Corp"',
    "amp installations get ins_7f3a --json --fields healthStatus,connection.status",
    { run: "amp installations get -", note: "with the body of a webhook on standard input" },
  ],
  fields: RECORD_FIELDS.installation,
  exits: { conflict: "several installations match" },
  run: async (context) => {
    const { api, project, args, options, settings, output, files, report, prompt } = context;
    const isPiped = args.installation === "-";
    const ask = () => report.notice("Paste the event, then press Enter and Ctrl-D.");
    const wanted = isPiped ? (await files.paste(ask)).trim() : args.installation;
    const names = once(() => integrationNames(api, project));
    const isNamed = output.forReading() && options.integration === undefined;
    // The names arrive while the list does; a failure is reported where they are awaited.
    if (isNamed) names().catch(() => {});
    const integration =
      options.integration &&
      (await integrationId(context, options.integration, {
        argument: "--integration",
        again: (integration) => suggest("installations get", [wanted], { integration }),
      }));
    const scope = { project, integration, flag: "--integration" };
    const all = await searchedInstallations(api, scope, settings.get("integration")?.value);
    const found = await findInstallation(all, wanted, names, {
      report,
      prompt,
      get interactive() {
        // Standard input was read to its end.
        return !isPiped && context.interactive;
      },
    });
    return isNamed ? withName(found, await names()) : found;
  },
  view: record(installationPage),
});
