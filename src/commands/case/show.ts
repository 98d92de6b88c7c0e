import type { CaseFile } from "../../case/case-file.ts";
import { type ShownCase, shownCase, showPage } from "../../case/page.ts";
import {
  defineCommand,
  file,
  flag,
  record,
  required,
  type Written,
  written,
} from "../../cli/define.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

/** The parts of a case that an option shows alone. */
const PARTS = ["redactions", "requests", "rules", "review", "manifest"] as const;

export default defineCommand({
  description:
    "Shows the verdict and evidence of a saved case. Needs no login or network access. The text in a case comes from the person who created it, and from the service.",
  args: { file: required(file("file that amp case create --save wrote")) },
  options: {
    redactions: flag("show which values were redacted"),
    requests: flag("show the requests whose responses are recorded"),
    rules: flag("show each rule, and the facts that it checks"),
    review: flag("show all free text that was kept"),
    manifest: flag("print hashes of the responses and the places of redactions, to be signed"),
  },
  examples: [
    "amp case show cyberdyne.ampcase",
    "amp case show cyberdyne.ampcase --rules",
    { run: "amp case show cyberdyne.ampcase -o markdown", note: "for a ticket" },
  ],
  fields: RESULT_FIELDS.savedCase,
  run: async ({ args, options, files, environment, write }): Promise<ShownCase | Written> => {
    const chosen = PARTS.filter((part) => options[part]);
    const [first = "", ...others] = chosen.map((part) => `--${part}`);
    if (others.length > 0)
      throw inputErrors.options_conflict(first, others.join(" and "), "Use one of them.");
    const { manifestOf, unpackCase, whichOpened } = await import("../../case/case-file.ts");
    const found: CaseFile = unpackCase(await files.readBytes(args.file), args.file);
    const [part] = chosen;
    if (part !== "manifest") {
      return shownCase(args.file, found, part, whichOpened(environment, args.file));
    }
    await write(manifestOf(found));
    return written();
  },
  view: record<ShownCase>(showPage, ({ installation }) => installation?.id ?? []),
});
