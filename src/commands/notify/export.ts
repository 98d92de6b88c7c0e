import { defineCommand, text } from "../../cli/define.ts";
import { exportFile } from "../../notify/export-file.ts";

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
    const { talk, files, yes, write, options } = context;
    const { text: routing, warnings } = await exportFile(context);
    for (const warning of warnings) talk.warn(warning);
    if (options.save === undefined) return write(routing);
    await files.write(options.save, routing, { overwrite: yes });
    talk.notice(`Saved as ${options.save}.`);
  },
});
