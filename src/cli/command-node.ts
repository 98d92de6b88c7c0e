import type { Param } from "./param.ts";

/** An example of a command, shown in its help and parsed by a test. */
export interface Example {
  /** The command line, beginning with `amp`. */
  readonly run: string;
  readonly note?: string;
}

/** An argument or option, as plain data. */
export interface ParamNode
  extends Omit<Param<unknown>, "presence" | "placeholder" | "parse" | "setting" | "wire"> {
  /** The name: `integration` for an argument, `--group-ref` for an option. */
  readonly name: string;
  readonly placeholder?: string;
  /** The environment variable that supplies it. */
  readonly env?: string;
}

/** A group or command, as plain data for completion, the reference and agents. */
export interface CommandNode {
  readonly path: readonly string[];
  readonly summary: string;
  readonly section?: string;
  readonly aliases: readonly string[];
  readonly description?: string;
  readonly effect?: "write";
  /** The arguments; empty for a group. */
  readonly args: readonly ParamNode[];
  readonly options: readonly ParamNode[];
  readonly examples: readonly Example[];
  /** The children; empty for a command. */
  readonly children: readonly CommandNode[];
}
