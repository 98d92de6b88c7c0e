import { type CommandNode, defineCommand, table } from "../cli/define.ts";
import { RESULT_FIELDS } from "../values/result-fields.ts";
import { suggestHelp } from "../values/suggested-command.ts";

/** A group or command without its children, which have entries of their own. */
type CommandEntry = Omit<CommandNode, "path" | "children"> & {
  /** The command as it is typed, `amp` included. */
  readonly command: string;
};

export default defineCommand({
  description:
    "JSON output includes arguments, options, values and examples. The first entry is amp itself, with the global options.",
  examples: ["amp commands", "amp commands --json", "amp commands --output id"],
  fields: RESULT_FIELDS.command,
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
