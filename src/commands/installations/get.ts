import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, record, required } from "../../cli/define.ts";
import { withReadNotes } from "../../inspect/diagnosis.ts";
import { isRead, oneInstallation } from "../../inspect/find-installation.ts";
import { installationPage, ticketPage } from "../../inspect/installation-page.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "./options.ts";

export default defineCommand({
  description:
    "Shows the likely cause of a stopped sync first, as far as the service reports it; to check the operations too, use amp case create. Searches all installations of the project, regardless of the default integration. Case, accents and word order of names do not matter. If several match, amp asks on a terminal which one you mean. The text may also be the payload of an event, or a message that has an ID or name.",
  args: { installation: required(INSTALLATION) },
  options: SEARCH_OPTIONS,
  needs: ["project"],
  examples: [
    'amp installations get "Acme Corp"',
    "amp installations get ins_7f3a --json --fields healthStatus,connection.status",
    { run: "amp installations get -", note: "with the body of a webhook on standard input" },
  ],
  fields: RECORD_FIELDS.installation,
  exits: { conflict: "several installations match" },
  run: async (context) => {
    const { args, output } = context;
    const isPage = isRead(output) || (output.format() ?? "table") === "table";
    const named = { isNamed: isPage };
    const found = await oneInstallation(context, args.installation, "installations get", named);
    return isPage ? withReadNotes(context, found, isRead(output)) : found;
  },
  view: { ...record(installationPage), ticketPage },
});
