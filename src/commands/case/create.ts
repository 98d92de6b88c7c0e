import { casePage, type ShownBefore } from "../../case/page.ts";
import {
  defineCommand,
  file,
  flag,
  needing,
  phrase,
  record,
  required,
  text,
} from "../../cli/define.ts";
import type { NewCase } from "../../documents/case.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { INSTALLATION, SEARCH_OPTIONS } from "../installations/options.ts";
import { overwrite } from "../report-options.ts";

export default defineCommand({
  description:
    "Reads the installation, the other installations of its integration and provider, its operations, the logs of its first and last failure, and the routing. Shows why it fails, since when, whether others fail too, who was notified, and who must act. It changes nothing. With --save, these and the other lists of the project are saved for amp case show and amp case open, without credentials, email addresses, names of consumers and customers' records.",
  args: { installation: required(phrase(INSTALLATION)) },
  options: {
    since: text(
      "use only operations since then, such as 12h, 9am, last monday or 21 Nov (default: back to the last success; amp help times)",
      { placeholder: "time" },
    ),
    object: text("judge only the operations of this object", { placeholder: "name" }),
    save: file("save the evidence in this file"),
    overwrite: needing("save", overwrite),
    noLogs: flag("do not read logs"),
    review: needing("save", flag("print all free text that is kept before the file is saved")),
    ...SEARCH_OPTIONS,
  },
  needs: ["project"],
  takes: ["yes"],
  examples: [
    'amp case create "Cyberdyne Systems"',
    { run: "amp case create cyberdyne --save cyberdyne.ampcase", note: "to share it" },
    { run: "amp case create ins_08139571 -o markdown", note: "for a ticket" },
  ],
  fields: RESULT_FIELDS.case,
  exits: {
    conflict: "several installations match",
    partial: "some of the evidence that the service has could not be read",
  },
  run: async (context): Promise<NewCase & ShownBefore> => {
    const { createCase } = await import("../../case/create.ts");
    return createCase(context, { ...context.options, who: context.args.installation });
  },
  exit: ({ missingEvidence }) =>
    missingEvidence.some(({ reason }) => reason !== "not-supported") ? "partial" : "ok",
  view: record<NewCase & ShownBefore>(
    (made) => casePage(made),
    ({ installation }) => installation.id,
  ),
});
