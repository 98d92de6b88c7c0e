import type { NewCase } from "../../case/create.ts";
import { CASE_FIELDS, casePage } from "../../case/page.ts";
import { defineCommand, file, flag, needing, record, required, text } from "../../cli/define.ts";

export default defineCommand({
  description:
    "Reads the installation, the other installations of its integration and provider, its operations, the logs of its first and last failure, and the routing. Shows why it fails, since when, whether others fail too, who was notified, and who must act. It changes nothing. With --save, these and the other lists of the project are saved for amp case show and amp case open, without credentials, email addresses, names of consumers and customers' records.",
  args: {
    installation: required(
      text("installation or connection ID, a unique prefix, a name or ref of its owner, or -"),
    ),
  },
  options: {
    since: text(
      "use only operations since then, such as 12h, 7d or 2026-09-01 (default: back to the last success)",
      {
        placeholder: "time",
      },
    ),
    save: file("save the evidence in this file"),
    overwrite: needing("save", flag("replace the file if it exists")),
    anonymise: flag("replace groups, refs and IDs with numbered names, such as grp_1"),
    noLogs: flag("do not read logs"),
    integration: text("search only the installations of this integration", { placeholder: "name" }),
  },
  needs: ["project"],
  asks: true,
  examples: [
    'amp case create "Cyberdyne Systems"',
    { run: "amp case create cyberdyne --save cyberdyne.ampcase", note: "to share it" },
    { run: "amp case create ins_08139571 -o markdown", note: "for a ticket" },
  ],
  fields: [...CASE_FIELDS, "saved"],
  exits: {
    conflict: "several installations match",
    partial: "some of the evidence could not be read",
  },
  run: async (context): Promise<NewCase> => {
    const { args, options, files, report } = context;
    const isPiped = args.installation === "-";
    const ask = () => report.notice("Paste the event, then press Enter and Ctrl-D.");
    const who = isPiped ? (await files.paste(ask)).trim() : args.installation;
    const { createCase } = await import("../../case/create.ts");
    return createCase(
      // Standard input was read to its end.
      isPiped ? Object.create(context, { interactive: { value: false } }) : context,
      { ...options, who },
    );
  },
  exit: ({ missingEvidence }) => (missingEvidence.length > 0 ? "partial" : "ok"),
  view: record<NewCase>(
    (made) => casePage(made),
    ({ installation }) => installation.id,
  ),
});
