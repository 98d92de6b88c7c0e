import { defineCommand, type Node, table } from "../cli/define.ts";

/** A node without its children, which the list holds themselves. */
type Listed = Omit<Node, "path" | "children"> & {
  /** As it is typed. */
  readonly command: string;
};

export default defineCommand({
  description:
    "With --json: arguments, options, values and examples too. The first entry is amp itself, with the options that work everywhere.",
  examples: ["amp commands", "amp commands --json", "amp commands --output id"],
  run: async ({ tree }) => listed(await tree()),
  view: table<Listed>(
    ["command", "commands"],
    { Command: "command", Summary: "summary" },
    { id: ({ command }) => command, next: "amp <command> --help" },
  ),
});

function listed({ path, children, ...facts }: Node): Listed[] {
  return [{ command: ["amp", ...path].join(" "), ...facts }, ...children.flatMap(listed)];
}
