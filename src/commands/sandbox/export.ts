import { defineCommand, file, needing } from "../../cli/define.ts";
import { controlOf, exportSandbox } from "../../events/sandbox-control.ts";
import { overwrite } from "../report-options.ts";
import { seedText } from "./from-project.ts";

export default defineCommand({
  description:
    "Writes all data of the running sandbox as a seed file for amp sandbox start --world, with its IDs and secrets.",
  options: {
    save: file("write to this file, which only you can read"),
    overwrite: needing("save", overwrite),
  },
  printsJson: true,
  examples: ["amp sandbox export --save world.json --profile sandbox"],
  run: async (context) => {
    const { files, options, report, write } = context;
    const world = await (await controlOf(context)).call(exportSandbox, {});
    const text = seedText(world);
    if (options.save === undefined) return write(text);
    await files.write(options.save, text, { overwrite: options.overwrite, isPrivate: true });
    report.notice(`Saved as ${options.save}.`);
  },
});
