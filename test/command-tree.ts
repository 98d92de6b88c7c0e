import type { CommandNode, Routes } from "../src/cli/define.ts";
import { routes, run } from "./harness.ts";

/** A group or command, as `amp commands --json` prints it. */
export interface CommandEntry extends Omit<CommandNode, "path" | "children"> {
  /** As it is typed, `amp` included; the first entry is `amp` alone, with the global options. */
  readonly command: string;
}

let own: Promise<readonly CommandEntry[]> | undefined;

/** What `amp commands --json` prints. */
export function commandEntries(): Promise<readonly CommandEntry[]> {
  own ??= entriesOf(routes);
  return own;
}

async function entriesOf(table: Routes): Promise<readonly CommandEntry[]> {
  const { code, stderr, json } = await run(["commands", "--json"], { routes: table });
  if (code !== 0) throw new Error(stderr);
  return json() as CommandEntry[];
}

/** The same as a tree, from `amp` on; of amp, or of these commands of a test. */
export async function commandTree(others?: Routes): Promise<CommandNode> {
  const all = await (others
    ? entriesOf({ ...others, ...(routes.commands && { commands: routes.commands }) })
    : commandEntries());
  const nodeOf = ({ command, ...facts }: CommandEntry): CommandNode => ({
    ...facts,
    path: command.split(" ").slice(1),
    children: all
      .filter((one) => one.command.slice(0, one.command.lastIndexOf(" ")) === command)
      .filter((one) => one.command !== command)
      .map(nodeOf),
  });
  const [root] = all;
  if (root === undefined) throw new Error("amp commands --json printed nothing");
  return nodeOf(root);
}
