import { expect } from "vitest";

/** The exit codes that any command may end with, and that its own help does not repeat. */
export const COMMON_EXITS = [1, 124, 130, 143];

/** The runs of a test file, by command line and exit code. */
const ended = new Map<string, readonly [argv: readonly string[], code: number]>();

/** Notes how a command line ended. */
export function noteExit(argv: readonly string[], code: number): void {
  ended.set(JSON.stringify([argv, code]), [argv, code]);
}

/**
 * Expects that each command names the exit codes of its runs, and forgets them: another test file
 * may follow in this process. A run that names no command is left out.
 */
export async function checkExitCodes(): Promise<void> {
  if (ended.size === 0) return;
  const noted = [...ended.values()];
  // Imported here: most test files run nothing.
  const { commandEntries } = await import("./command-tree.ts");
  const leaves = (await commandEntries()).filter(({ exitCodes }) => exitCodes.length > 0);
  ended.clear();
  for (const { command, exitCodes } of leaves) {
    // The exit codes of `case open` are those of the command that it runs.
    if (command === "amp case open") continue;
    const [, ...words] = command.split(" ");
    const runs = noted.filter(([argv]) => words.every((word, at) => argv[at] === word));
    const told = [...COMMON_EXITS, ...exitCodes.map(({ code }) => code)];
    const codes = new Set(runs.map(([, code]) => code));
    expect(
      [...codes].filter((code) => !told.includes(code)),
      `exit codes of ${command}`,
    ).toEqual([]);
  }
}
