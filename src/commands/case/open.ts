import { defineCommand, file, flag, required, several, text } from "../../cli/define.ts";
import { inputErrors } from "../../values/errors.ts";

export default defineCommand({
  description:
    "Serves the recorded responses on this machine, and runs a command, or your shell, with amp connected to them instead of the service. Every amp command that only reads then shows the data as it was when the case was created, and counts times such as --since 2d from then. It uses no login and connects to no other host. Data that was not recorded is not found, and writes are refused. The exit code is that of the command. With --web, a page for your browser shows the verdict, evidence, operations, logs and what was redacted, until you press Ctrl-C.",
  args: {
    file: required(file("file that amp case create --save wrote")),
    command: several(text("command to run, after --; without one, your shell")),
  },
  options: { web: flag("show the case as a page in a browser instead") },
  examples: [
    "amp case open cyberdyne.ampcase",
    "amp case open cyberdyne.ampcase -- amp installations get cyberdyne",
    "amp case open cyberdyne.ampcase --web",
  ],
  run: async (context) => {
    const { args, options } = context;
    if (options.web) {
      if (args.command.length > 0)
        throw inputErrors.options_conflict("--web", "a command", "Leave one of them out.");
      const { openCasePage } = await import("../../case/web.ts");
      await openCasePage(context, args.file);
      return 0;
    }
    const { openCase } = await import("../../case/open.ts");
    return openCase(context, args.file, args.command);
  },
  exit: (code) => Number(code),
});
