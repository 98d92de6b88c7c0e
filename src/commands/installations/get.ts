import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { handedOn } from "../../inspect/handed-on.ts";
import { installationPage } from "../../inspect/installation-page.ts";
import { namedWithIntegration } from "../../inspect/installation-request.ts";
import { searchInstallations } from "../../inspect/installation-search.ts";
import { integrationNames, type NamedInstallation, withName } from "../../inspect/installations.ts";
import { withReadNotes } from "../../inspect/read-notes.ts";
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
    const { api, project, args, options, files, report, output } = context;
    const isPiped = args.installation === "-";
    const ask = () => report.notice("Paste the event, then press Enter and Ctrl-D.");
    const wanted = isPiped ? (await files.paste(ask)).trim() : args.installation;
    const isShown = output.forReading() || output.format() === "markdown";
    const shown = (one: NamedInstallation) => (isShown ? withReadNotes(context, one) : one);
    const single = await namedWithIntegration(api, project, wanted, options.integration);
    if (single !== undefined) {
      const isNamed = output.forReading() && options.integration === undefined;
      return shown(isNamed ? withName(single, await integrationNames(api, project)) : single);
    }
    const search = await searchInstallations(
      // Standard input was read to its end.
      isPiped ? Object.create(context, { interactive: { value: false } }) : context,
      (name = wanted, more?) => suggest("installations get", [name], more),
    );
    return shown(await search.find(wanted));
  },
  view: { ...record(installationPage), handedOn },
});
