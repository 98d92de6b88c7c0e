import type { AnyCommand, ParamNode } from "../../src/cli/define.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { commandEntries } from "../command-tree.ts";
import { type Outcome, type RunInput, routes, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS } from "./invocations.ts";

const entries = new Map((await commandEntries()).map((entry) => [entry.command, entry]));

function entryOf(path: string) {
  const entry = entries.get(`amp ${path}`);
  if (entry === undefined) throw new Error(`amp commands --json lacks ${path}`);
  return entry;
}

/** A command of the route table with what its record declares. */
export interface LeafCase {
  readonly path: string;
  readonly words: readonly string[];
  readonly command: AnyCommand;
  readonly args: readonly ParamNode[];
  readonly options: readonly ParamNode[];
  /** The global options that act on it, by name. */
  readonly globalOptions: readonly string[];
}

/** The global options. */
export const globals: readonly ParamNode[] = entries.get("amp")?.options ?? [];

/** Every command of amp. */
export const leaves: readonly LeafCase[] = await Promise.all(
  Object.entries(routes).flatMap(([path, route]) =>
    "load" in route ? [route.load().then(({ default: command }) => leafCase(path, command))] : [],
  ),
);

/** Every noun of amp that holds commands. */
export const groups: readonly string[] = Object.entries(routes).flatMap(([path, route]) =>
  "load" in route ? [] : [path],
);

function leafCase(path: string, command: AnyCommand): LeafCase {
  const { args, options, globalOptions } = entryOf(path);
  return { path, words: path.split(" "), command, args, options, globalOptions };
}

/** The words after the path that make the command succeed at this sandbox. */
export function goodArgs(path: string, sandbox: Sandbox): readonly string[] {
  const { args = [] } = INVOCATIONS[path] ?? {};
  return typeof args === "function" ? args(sandbox.world) : args;
}

/**
 * Runs a command that would be fine but for the words behind: it does nothing, so nothing is there. An
 * option among them takes the place of the good one.
 */
export async function runBad(path: string, more: readonly string[]): Promise<Outcome> {
  const sandbox = sandboxAt();
  const stdin = INVOCATIONS[path]?.world?.().stdin ?? "";
  const isReplaced = (word = "") => word.startsWith("-") && more.includes(word);
  const good = goodArgs(path, sandbox).filter(
    (word, at, all) => !isReplaced(word) && !isReplaced(all[at - 1]),
  );
  return run([...path.split(" "), ...good, ...more], { sandbox, stdin });
}

/** Runs a command as it succeeds at a fresh sandbox, with more words behind. */
export async function runGood(
  path: string,
  more: readonly string[] = [],
  world: RunInput = {},
): Promise<Outcome> {
  const sandbox = sandboxAt();
  const invocation = INVOCATIONS[path];
  const cwd = world.cwd ?? temporaryFolder();
  await invocation?.before?.(cwd, sandbox);
  const argv = [...path.split(" "), ...goodArgs(path, sandbox), ...more];
  return run(argv, { sandbox, cwd, ...invocation?.world?.(), ...world });
}

/** The ways to write a path with the hidden names of its words. */
export function otherPaths(path: string): string[][] {
  const words = path.split(" ");
  return words.flatMap((_, at) => {
    const prefix = words.slice(0, at + 1).join(" ");
    return entryOf(prefix).aliases.map((alias) => words.with(at, alias));
  });
}

/** What stands directly below a path. */
export function namesBelow(path: string): string[] {
  const depth = path.split(" ").length + 1;
  return [...entries.keys()]
    .filter((command) => command.startsWith(`amp ${path} `))
    .map((command) => command.split(" ").slice(1))
    .flatMap((words) => (words.length === depth ? [words.at(-1) ?? ""] : []));
}
