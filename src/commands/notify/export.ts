import { defineCommand, file } from "../../cli/define.ts";
import { exportProjectRouting } from "../../notify/export.ts";

export default defineCommand({
  description:
    "Writes the routing that the service lists as a file for amp notify apply. Applied to the same project, the file changes nothing. Secrets are not exported: the file refers to environment variables instead.",
  options: {
    save: file("write to this file; --yes overwrites an existing one"),
  },
  needs: ["project"],
  examples: ["amp notify export > routing.yaml", "amp notify export --save routing.yaml"],
  run: async (context) => {
    const { report, files, yes, write, options } = context;
    const { text: routing, warnings } = await exportProjectRouting(context);
    for (const warning of warnings) report.warn(warning);
    if (options.save === undefined) return write(routing);
    await files.write(options.save, routing, { overwrite: yes });
    report.notice(`Saved as ${options.save}.`);
  },
});
