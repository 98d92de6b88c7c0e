import { routes } from "../../commands/routes.ts";
import type { CommandNode, ParamNode } from "../define.ts";
import { TOPIC_NAMES } from "../help.ts";
import { topicSummary } from "../help-topics.ts";
import { type Completion, flag } from "../param.ts";
import { nodesOf, paramNode, readTree } from "../tree.ts";

/** An argument or option, as completion needs it. */
export interface Input {
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** What follows it; absent for a flag. */
  readonly value?: "word" | Completion;
  readonly words?: readonly string[];
  readonly repeats?: true;
}

/** A group or command; its path is its key. */
export interface CommandPlace {
  readonly summary: string;
  readonly aliases?: readonly string[];
  readonly args?: readonly Input[];
  readonly options?: readonly Input[];
  /** The fields of its result. */
  readonly fields?: readonly string[];
  /** The global options that act here, by their places in the list of all. */
  readonly globals: readonly number[];
}

/** What completion knows without loading a command. */
export interface CompletionTable {
  /** Each before those below it, the root first. */
  readonly places: Readonly<Record<string, CommandPlace>>;
  readonly globals: readonly Input[];
  /** The topics of `amp help`, with their summaries. */
  readonly topics: Readonly<Record<string, string>>;
  /** The paths that `amp explain` knows. */
  readonly explained: readonly string[];
}

/** The table; a build replaces this file by what it returns. */
export async function loadTable(): Promise<CompletionTable> {
  const { explainedRecords, withInner } = await import("../../inspect/explained-records.ts");
  const fields = explainedRecords().flatMap(withInner);
  return tableOf(
    await readTree(routes),
    fields.map(({ path }) => path),
  );
}

/** @param explained the paths that `amp explain` knows */
export function tableOf(root: CommandNode, explained: readonly string[]): CompletionTable {
  const globals = [...root.options.filter(({ hidden }) => !hidden), HELP];
  const placeOf = ({
    path,
    summary,
    aliases,
    args,
    options,
    fields,
    globalOptions,
  }: CommandNode) => {
    const acting = new Set([...globalOptions, HELP.name]);
    const place: CommandPlace = {
      summary: oneLine(summary),
      ...(aliases.length > 0 && { aliases }),
      ...(args.length > 0 && { args: args.map(inputOf) }),
      ...(options.length > 0 && { options: (path.length > 0 ? options : [VERSION]).map(inputOf) }),
      ...(fields !== undefined && { fields }),
      globals: globals.flatMap(({ name }, at) => (acting.has(name) ? [at] : [])),
    };
    return [path.join(" "), place] as const;
  };
  return {
    places: Object.fromEntries(nodesOf(root).map(placeOf)),
    globals: globals.map(inputOf),
    topics: Object.fromEntries(TOPIC_NAMES.map((name) => [name, topicSummary(name)])),
    explained,
  };
}

const HELP = paramNode("--help", { ...flag("print help"), short: "-h" });
const VERSION = paramNode("--version", { ...flag("print the version"), short: "-v" });

function inputOf(param: ParamNode): Input {
  const { name, short, description, takesValue, complete, choices, suggestions } = param;
  const words = choices ?? suggestions;
  return {
    name,
    ...(short !== undefined && { short }),
    description: oneLine(description),
    ...(takesValue && { value: complete ?? "word" }),
    ...(words !== undefined && { words: words.map(oneLine) }),
    ...(param.repeats && { repeats: true }),
  };
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are removed here
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f]+/gu, " ").trim();
}
