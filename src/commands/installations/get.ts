import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { installationPage } from "../../inspect/installation-page.ts";
import { oneInstallation } from "../../inspect/installation-search.ts";
import { withReadNotes } from "../../inspect/read-notes.ts";
import { ticketPage } from "../../inspect/ticket-page.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Shows the likely cause of a stopped sync first. Searches all installations of the project, regardless of the default integration. Case, accents and word order of names do not matter. If several match, amp asks on a terminal which one you mean. With -, reads the payload of an event, or an ID or name, from standard input.",
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
    const { args, files, report, output } = context;
    const isPiped = args.installation === "-";
    const ask = () => report.notice("Paste the event, then press Enter and Ctrl-D.");
    const wanted = isPiped ? (await files.paste(ask)).trim() : args.installation;
    if (wanted === "") {
      throw new UsageError(isPiped ? "Standard input is empty" : "<installation> is empty", {
        remedy: "Pass the payload of an event, or the ID or name of an installation.",
        done: "Nothing was sent.",
      });
    }
    const isRead = output.forReading() || output.format() === "markdown";
    const isPage = isRead || (output.format() ?? "table") === "table";
    const found = await oneInstallation(
      // Standard input was read to its end.
      isPiped ? Object.create(context, { interactive: { value: false } }) : context,
      wanted,
      (name, more) => suggest("installations get", [name], more),
    );
    return isPage ? withReadNotes(context, found, isRead) : found;
  },
  view: { ...record(installationPage), ticketPage },
});
