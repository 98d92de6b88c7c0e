import type { AnyCommand, ParamNode } from "../../src/cli/define.ts";
import { aliasesOf, argumentNodes, optionNodes, pathsBelow } from "../../src/cli/tree.ts";
import { routes } from "../../src/commands/routes.ts";
import type { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS } from "./invocations.ts";

/** A command of the route table with what its record declares. */
export interface LeafCase {
  readonly path: string;
  readonly words: readonly string[];
  readonly command: AnyCommand;
  readonly args: readonly ParamNode[];
  readonly options: readonly ParamNode[];
}

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
  const nodes = {
    args: argumentNodes(command),
    options: optionNodes(command).filter(({ hidden }) => !hidden),
  };
  return { path, words: path.split(" "), command, ...nodes };
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
    const route = routes[prefix];
    if (route === undefined) throw new Error(`no route ${prefix}`);
    return aliasesOf(prefix, route).map((alias) => words.with(at, alias));
  });
}

/** What stands directly below a path. */
export function namesBelow(path: string): string[] {
  return pathsBelow(routes, path).map((child) => child.split(" ").at(-1) ?? "");
}
