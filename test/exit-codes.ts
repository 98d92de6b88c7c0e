import { expect } from "vitest";
import { COMMAND_TARGETS } from "../src/values/command-paths.ts";

/** The exit codes that any command may end with, and that its own help does not repeat. */
export const COMMON_EXITS = ["unexpected", "timeout", "interrupted", "terminated"] as const;

/** The exit codes of the runs of a test file, by command. */
const ended = new Map<string, Set<number>>();

/** Notes how a command line ended; one that names no command, or other commands than amp's, is left out. */
export function noteExit(argv: readonly string[], code: number): void {
  const path = Object.keys(COMMAND_TARGETS).find((one) => {
    const words = one.split(" ");
    return words.every((word, at) => argv[at] === word);
  });
  // Its exit codes are those of the command that it runs.
  if (path === undefined || path === "case open") return;
  ended.set(path, (ended.get(path) ?? new Set()).add(code));
}

/**
 * Expects that the help of each command names the exit codes of its runs, and forgets them: another
 * test file may follow in this process.
 */
export async function checkExitCodes(): Promise<void> {
  if (ended.size === 0) return;
  const { EXIT } = await import("../src/errors.ts");
  const { exitCodesOf } = await import("../src/cli/tree.ts");
  const { routes } = await import("../src/commands/routes.ts");
  const common = COMMON_EXITS.map((name) => EXIT[name].code);
  const noted = [...ended];
  ended.clear();
  for (const [path, codes] of noted) {
    const route = routes[path];
    if (route === undefined || !("load" in route)) continue;
    const named = exitCodesOf(path, (await route.load()).default).map(({ code }) => code);
    const told = new Set<number>([...common, ...named]);
    expect(
      [...codes].filter((code) => !told.has(code)),
      `exit codes of amp ${path}`,
    ).toEqual([]);
  }
}
