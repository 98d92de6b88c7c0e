import { type Routes, written } from "../../src/cli/define.ts";

/**
 * The command lines of amp in a line of shell: those before a pipe or redirection, and those
 * inside `$(…)`.
 * @returns the words after `amp`, of each
 */
export function ampLines(shell: string): string[][] {
  const inner = [...shell.matchAll(/\$\(([^)]*)\)/gu)].flatMap((match) => ampLines(match[1] ?? ""));
  const outer = split(shell.replace(/\$\([^)]*\)/gu, "substituted"));
  const [program, ...words] = outer;
  return program === "amp" ? [words, ...inner] : inner;
}

function split(shell: string): string[] {
  const words: string[] = [];
  for (const [word] of shell.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/gu)) {
    if (/^(?:[|>&;]|\d?>)/u.test(word)) break;
    words.push(word.replace(/"([^"]*)"|'([^']*)'/gu, "$1$2"));
  }
  return words;
}

/** The same commands, parsed and checked by all the machinery, but doing nothing. */
export function inert(routes: Routes, reached: (path: string) => void): Routes {
  return Object.fromEntries(
    Object.entries(routes).map(([path, route]) => {
      if (!("load" in route)) return [path, route];
      const load = async () => {
        const { exit, ...record } = (await route.load()).default;
        const run = () => {
          reached(path);
          return written();
        };
        // What writes would name its target first, and so want a profile that exists.
        return { default: { ...record, writes: () => false, run } };
      };
      return [path, { ...route, load }];
    }),
  );
}
