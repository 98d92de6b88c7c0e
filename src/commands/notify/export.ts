import { defineCommand, file, needing } from "../../cli/define.ts";
import { exportProjectRouting } from "../../notify/export.ts";
import { formatFacts } from "../../values/setting.ts";
import { commandErrors } from "../errors.ts";
import { overwrite } from "../report-options.ts";
import { routingExits } from "./options.ts";

export default defineCommand({
  description:
    "Writes the routing that the service lists as a file for amp notify apply. Applying the file to the same project only adopts what it lists; the file says which other file declares it already. Secrets are not exported: the file refers to environment variables instead. With --json, the file is in JSON.",
  options: {
    save: file("write to this file"),
    overwrite: needing("save", overwrite),
  },
  needs: ["project"],
  printsJson: true,
  examples: [
    "amp notify export > routing.yaml",
    "amp notify export --save routing.yaml",
    "amp notify export --json",
  ],
  exits: routingExits,
  run: async (context) => {
    const { report, files, write, options } = context;
    const format = context.output.format();
    const { json: asJson } = formatFacts(format);
    if (format !== undefined && format !== "yaml" && asJson === undefined)
      throw commandErrors.export_format(format);
    const exported = await exportProjectRouting(context);
    const { text, json, facts, warnings, isPrivate } = exported;
    const routing = asJson ? json(asJson === "document" ? 2 : undefined) : text;
    for (const fact of facts) report.notice(fact);
    for (const warning of warnings) report.warn(warning);
    if (options.save === undefined) return write(routing);
    await files.write(options.save, routing, { overwrite: options.overwrite, isPrivate });
    report.notice(`Saved as ${options.save}.`);
  },
});
