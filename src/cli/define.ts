import type { ListResult } from "../api/operations/endpoint.ts";
import type { CommandContext } from "../context/command-context.ts";
import type { ExitName } from "../errors.ts";
import type { View } from "../view/view.ts";
import type { CommandNode, Example } from "./command-node.ts";
import type { Param, Params, Values } from "./param.ts";

export type { ListedProfile } from "../context/profiles.ts";
export type { TrustedFile } from "../context/trust.ts";
export * from "../view/view.ts";
export * from "./param.ts";
export type { CommandNode };

/** What a command may ask to be there before it runs. */
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
  /** The whole command tree; loads every command. */
  tree(): Promise<CommandNode>;
} & ("project" extends N ? { readonly project: string } : unknown);

/** A command: what it takes, what it needs, what it does, how its result is shown. */
export interface Command<
  A extends Params = Params,
  O extends Params = Params,
  N extends Need = Need,
  Result = unknown,
> {
  /** A paragraph below the usage line, where the summary of the route table does not say it all. */
  readonly description?: string;
  readonly args?: A;
  readonly options?: O;
  readonly needs?: readonly N[];
  /**
   * `write`: changes something at the service. The target is told, and `--dry-run` offered.
   * Absent: reads, or changes only this machine.
   */
  readonly effect?: "write";
  /** `own`: the command itself tells what `--dry-run` would send; absent: the machinery does. */
  readonly dryRun?: "own";
  /** For an effect that depends on what was typed: whether this call writes. */
  readonly writes?: (input: { args: Values<A>; options: Values<O> }) => boolean;
  /** The question to be answered yes (or `--yes`) before it runs. */
  readonly confirm?: (input: { args: Values<A>; options: Values<O> }) => string;
  readonly examples: readonly (string | Example)[];
  /**
   * The view says what the result is; this must yield it. A list may also come as `api.list` has it,
   * for it may be long, unless `exit` wants to look at it.
   */
  readonly run: (
    context: RunContext<A, O, N>,
  ) => Promise<NoInfer<Result | LongOf<Result>>> | NoInfer<Result>;
  /** The exit code of a run that found something, for example that changes are pending. */
  readonly exit?: (result: NoInfer<Result>, input: { options: Values<O> }) => ExitName;
  /** Absent: the command has written its output itself, or has none. */
  readonly view?: View<Result>;
}

type LongOf<Result> = Result extends readonly (infer Item)[] ? ListResult<Item> : never;

/** Any command, where its own types do not matter: the route table, the machinery. */
// biome-ignore lint/suspicious/noExplicitAny: `run` takes its own parameters' types, which no common type but any admits
export type AnyCommand = Command<any, any, any, any>;

/** Keeps the types of a command's record together; adds nothing. */
export function defineCommand<
  const A extends Record<string, Param<unknown>> = Record<never, never>,
  const O extends Record<string, Param<unknown>> = Record<never, never>,
  const N extends Need = never,
  Result = unknown,
>(command: Command<A, O, N, Result>): Command<A, O, N, Result> {
  return command;
}
