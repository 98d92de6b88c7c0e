import type { ListResult } from "../api/operations/endpoint.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { AmpError, ExitName } from "../errors.ts";
import type { SettingName } from "../settings.ts";
import type { SuggestedCommand } from "../values/suggested-command.ts";
import type { Selection } from "../view/selection.ts";
import type { Cell, LiveOutput, View } from "../view/view.ts";
import type { Param, Params, Values } from "./param.ts";

export type { ListedProfile } from "../account/account.ts";
export * from "../view/view.ts";
export * from "./param.ts";

/** The result of a run that has written its output itself. */
export class Written {
  readonly exit: ExitName;

  constructor(exit: ExitName) {
    this.exit = exit;
  }
}

/** Ends a run that has written its output itself; with an exit code where it found something. */
export function written(exit: ExitName = "ok"): Written {
  return new Written(exit);
}

/** A requirement of a command that is checked before it runs. */
export type Need = "project";

/** The context of a command's `run`, with its own arguments and options. */
export type RunContext<
  A extends Params = Params,
  O extends Params = Params,
  N extends Need = never,
> = CommandContext & {
  readonly args: Values<A>;
  readonly options: Values<O>;
  /** Raw bytes to stdout, for a command without a view; resolves when the reader has taken them. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** A body to stdout, as it comes; JSON ends with a line end, and is indented on a terminal. */
  writeBody(chunks: AsyncIterable<Uint8Array>, isJson: boolean): Promise<void>;
  /**
   * A row to stdout as something happens: coloured on a terminal, with what does not fit on lines
   * below; TSV in a pipe.
   * @param widths the least widths of the first cells on a terminal
   */
  writeRow(cells: readonly Cell[], widths?: readonly number[]): Promise<void>;
  /** Whether the reader of stdout is gone, so that output has no effect. */
  isOutputClosed(): boolean;
  /**
   * The project, for a command that needs one only for some of its calls.
   * @throws {UsageError} where none is set
   */
  requireProject(): string;
  /** The requested part of the list; it is taken from the result of `run`. */
  readonly selection: Selection;
  /** The output of a command that goes on until it is interrupted. */
  live(): Promise<LiveOutput>;
  /** The whole command tree; loads every command. */
  tree(): Promise<CommandNode>;
} & ("project" extends N ? { readonly project: string } : unknown);

/** A command: its parameters, its requirements, its work and the view of its result. */
export interface Command<
  A extends Params = Params,
  O extends Params = Params,
  N extends Need = Need,
  Result = unknown,
> {
  /** A paragraph below the usage line, where the summary in the route table is not enough. */
  readonly description?: string;
  readonly args?: A;
  readonly options?: O;
  readonly needs?: readonly N[];
  /**
   * The options with which a call works on this machine alone: no setting of the project file is
   * then used, so none has to be trusted.
   */
  readonly offlineWith?: readonly (keyof O & string)[];
  /**
   * `write`: the command changes something at the service. The target is shown, and `--dry-run`
   * offered. Absent: it reads, or changes only this machine.
   */
  readonly effect?: "write";
  /** Whether a command without a view prints JSON, and more formats if it reads the setting. */
  readonly printsJson?: true;
  /** `own`: the command reads `--filter` itself, and its result is what it selected. */
  readonly filters?: "own";
  /** The global options that act on it, besides those that follow from the rest of the record. */
  readonly takes?: readonly SettingName[];
  /** `own`: the command implements `--dry-run`; absent: its requests are recorded and shown. */
  readonly dryRun?: "own";
  /** Whether a call writes, for an effect that depends on the parameters. */
  readonly writes?: (
    input: { args: Values<A>; options: Values<O> },
    context: Pick<CommandContext, "target">,
  ) => boolean;
  readonly examples: readonly (string | Example)[];
  /**
   * Runs the command and returns the result that the view shows. A list may be returned as
   * `api.list` returns it, because it may be long, unless `exit` needs to read it.
   */
  readonly run: (
    context: RunContext<A, O, N>,
  ) => Promise<NoInfer<Result | LongOf<Result>> | Written> | NoInfer<Result>;
  /** The fields of the result, or of each item of a list, in JSON output; help lists them. */
  readonly fields?: readonly string[];
  /** The meanings of exit codes that are this command's own; see `exitCodesOf`. */
  readonly exits?: Partial<Record<ExitName, string>>;
  /**
   * The exit code of a run that found something, for example pending changes; or the error that
   * ends it once its result is written; or a number, that of another program which it ran.
   */
  readonly exit?: (
    result: NoInfer<Result>,
    input: { options: Values<O> },
  ) => ExitName | AmpError | number;
  /**
   * Why a run ends with the exit code of its result: what was found, and how many, or the error that
   * the page has in words. Absent: what `exits` says of the code.
   */
  readonly reason?: (result: NoInfer<Result>) => string | AmpError | undefined;
  /** Whether a result has nothing to say with `--quiet`, where no format is asked for. */
  readonly passes?: (result: NoInfer<Result>) => boolean;
  /** The command to run after exit code 8, as JSON output suggests it. */
  readonly next?: (
    result: NoInfer<Result>,
    input: { options: Values<O> },
  ) => SuggestedCommand | undefined;
  /** The view of the result; absent: the command has written its output itself, or has none. */
  readonly view?: View<Result>;
}

type LongOf<Result> = Result extends readonly (infer Item)[] ? ListResult<Item> : never;

/** Any command, where its own types do not matter: in the route table and when it is run. */
// biome-ignore lint/suspicious/noExplicitAny: `run` takes its own parameters' types, which no common type but any admits
export type AnyCommand = Command<any, any, any, any>;

/** Infers the types of a command's record. */
export function defineCommand<
  const A extends Record<string, Param<unknown>> = Record<never, never>,
  const O extends Record<string, Param<unknown>> = Record<never, never>,
  const N extends Need = never,
  Result = unknown,
>(command: Command<A, O, N, Result>): Command<A, O, N, Result> {
  return command;
}

/** Groups and commands by path, for example `notify topics create`. */
export type Routes = Readonly<Record<string, GroupRoute | LeafRoute>>;

/** The sections of the root help, in its order. */
export const SECTIONS = [
  "Inspect",
  "Route notifications",
  "Work locally",
  "Account and tools",
] as const;

/** A group: a noun that holds commands or further groups. */
export interface GroupRoute {
  readonly summary: string;
  /** The section of help: one of {@link SECTIONS} at the top level; in a group, its commands have one, or none has. */
  readonly section?: string;
  /** The singular, which is accepted but not shown. */
  readonly alias?: string;
}

/** A command, whose record is loaded when the command is reached. */
export interface LeafRoute extends GroupRoute {
  readonly load: () => Promise<{ readonly default: AnyCommand }>;
}

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
    "presence" | "placeholder" | "parse" | "accepts" | "setting" | "wire" | "needs"
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
