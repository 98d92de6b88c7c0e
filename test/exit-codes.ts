import { afterAll, expect } from "vitest";
import { COMMAND_TARGETS } from "../src/values/command-paths.ts";

// Before each test file: the exit code of each run is noted, and must be one that the help of its
// command names.
const ended = new Map<string, Set<number>>();

/** Notes how a command line ended; one that names no command, or other commands than amp's, is left out. */
export function noteExit(argv: readonly string[], code: number): void {
  const path = Object.keys(COMMAND_TARGETS).find((one) => {
    const words = one.split(" ");
    return words.every((word, at) => argv[at] === word);
  });
  if (path === undefined) return;
  ended.set(path, (ended.get(path) ?? new Set()).add(code));
}

afterAll(async () => {
  if (ended.size === 0) return;
  const { EXIT } = await import("../src/errors.ts");
  const { COMMON_EXITS, exitCodesOf } = await import("../src/cli/tree.ts");
  const { routes } = await import("../src/commands/routes.ts");
  const common = COMMON_EXITS.map((name) => EXIT[name].code);
  for (const [path, codes] of ended) {
    const route = routes[path];
    if (route === undefined || !("load" in route)) continue;
    const named = exitCodesOf(path, (await route.load()).default).map(({ code }) => code);
    const told = new Set<number>([...common, ...named]);
    expect(
      [...codes].filter((code) => !told.has(code)),
      `exit codes of amp ${path}`,
    ).toEqual([]);
  }
});
