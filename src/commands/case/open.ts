import { defineCommand, file, required, several, text } from "../../cli/define.ts";

export default defineCommand({
  description:
    "Serves the recorded responses on this machine, and runs a command, or your shell, with amp connected to them instead of the service. Every amp command that only reads then shows the data as it was when the case was created, and counts times such as --since 2d from then. It uses no login and connects to no other host. Data that was not recorded is not found, and writes are refused. The exit code is that of the command.",
  args: {
    file: required(file("file that amp case create --save wrote")),
    command: several(text("command to run, after --; without one, your shell")),
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
