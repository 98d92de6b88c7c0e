import { defineCommand, file, required, several, text } from "../../cli/define.ts";

export default defineCommand({
  description:
    "Serves the recorded answers on this machine, and runs a command, or your shell, that finds them in place of the service: every amp command then shows what was seen when the case was made. It uses no login and reaches no other host. What was not recorded is not found, and writes are refused. The exit code is that of the command.",
  args: {
    file: required(file("file that amp case create --save wrote")),
    command: several(text("command to run, after -- (default: your shell)")),
  },
  examples: [
    "amp case open cyberdyne.ampcase",
    "amp case open cyberdyne.ampcase -- amp installations get cyberdyne",
  ],
  run: async (context) => {
    const { openCase } = await import("../../case/open.ts");
    return openCase(context, context.args.file, context.args.command);
  },
  exit: (code) => Number(code),
});
