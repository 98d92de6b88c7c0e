import { type CommandNode, defineCommand, table } from "../cli/define.ts";
import { suggestHelp } from "../values/suggested-command.ts";

/** A node without its children, which the list holds themselves. */
type CommandEntry = Omit<CommandNode, "path" | "children"> & {
  /** As it is typed. */
  readonly command: string;
};

export default defineCommand({
  description:
    "With --json: arguments, options, values and examples too. The first entry is amp itself, with the options that work everywhere.",
  examples: ["amp commands", "amp commands --json", "amp commands --output id"],
  run: async ({ tree }) => commandEntries(await tree()),
  view: table<CommandEntry>(
    ["command", "commands"],
    { Command: "command", Summary: "summary" },
    { id: ({ command }) => command, next: suggestHelp("<command>") },
  ),
});

function commandEntries({ path, children, ...facts }: CommandNode): CommandEntry[] {
  return [{ command: ["amp", ...path].join(" "), ...facts }, ...children.flatMap(commandEntries)];
}
