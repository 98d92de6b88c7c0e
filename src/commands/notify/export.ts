import { defineCommand, text } from "../../cli/define.ts";
import { exportProjectRouting } from "../../notify/export.ts";

export default defineCommand({
  description:
    "What the service lists, as a file for amp notify apply: applied where it came from, it changes nothing. The service tells no secrets: variables stand in their place.",
  options: {
    save: text("write it to this file; --yes replaces one that exists", {
      placeholder: "file",
      complete: "file",
    }),
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
