import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { temporaryFolder } from "./temporary-folder.ts";
import { COMPILE_CACHE } from "./temporary-root.ts";

/** The folder of the project. */
export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const GIVEN = process.env.AMP_E2E_PROGRAM;

/** The program under test where it is run as one: the bundle, or what the environment names. */
export const PROGRAM = resolve(ROOT, GIVEN ?? "bin/amp.js");

/** Whether a program is JavaScript for Node, and not one that needs no Node. */
export function isJavaScript(program: string): boolean {
  return /\.m?js$/u.test(program);
}

/** What runs the bundle: the pinned Node, or what the environment names. */
export const NODE = process.env.AMP_E2E_NODE ?? process.execPath;

/** How to start a program: JavaScript runs under {@link NODE}, anything else by itself. */
export function wordsOf(program: string): [string, ...string[]] {
  return isJavaScript(program) ? [NODE, program] : [program];
}

let compiled = process.env[COMPILE_CACHE];

/** The compile cache of the programs that a test run starts: without it, each start compiles. */
export function compileCache(): string {
  compiled ??= temporaryFolder();
  return compiled;
}

let checked = false;

/**
 * Fails where the bundle of this checkout is missing or old: an old one would be tested for nothing.
 * Another program is its builder's own affair.
 * @throws {Error} naming the source file that is newer
 */
export function requireBundle(): void {
  if (checked || GIVEN !== undefined) return;
  const built = statSync(join(ROOT, "dist/main.cjs"), { throwIfNoEntry: false })?.mtimeMs;
  if (built === undefined) throw new Error("dist/ is missing: run npm run build first");
  const newer = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }).find(
    (name) => name.endsWith(".ts") && statSync(join(ROOT, "src", name)).mtimeMs > built,
  );
  if (newer !== undefined) {
    throw new Error(`dist/ is older than src/${newer}: run npm run build first`);
  }
  checked = true;
}
