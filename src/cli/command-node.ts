import type { Param } from "./param.ts";

/** An example of a command, shown in its help and parsed by a test. */
export interface Example {
  /** The command line, beginning with `amp`. */
  readonly run: string;
  readonly note?: string;
}

/** An argument or option, as plain data. */
export interface ParamNode
  extends Omit<
    Param<unknown>,
    "presence" | "placeholder" | "parse" | "setting" | "wire" | "needs"
  > {
  /** The name: `integration` for an argument, `--group-ref` for an option. */
  readonly name: string;
  readonly placeholder?: string;
  /** The option without which this one has no effect: `--save`. */
  readonly needs?: string;
  /** The environment variable that supplies it. */
  readonly env?: string;
}

/** An exit code with its meaning. */
export interface ExitCode {
  readonly code: number;
  readonly meaning: string;
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
  /** The names of the global options that act on the command, or on any command of the group. */
  readonly globalOptions: readonly string[];
  readonly examples: readonly Example[];
  /** The top-level fields of JSON output: of the result, or of each item of a list. */
  readonly fields?: readonly string[];
  /** The exit codes that are not common to all commands; empty for a group. */
  readonly exitCodes: readonly ExitCode[];
  /** The children; empty for a command. */
  readonly children: readonly CommandNode[];
}
