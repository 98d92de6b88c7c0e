import { mkdtempSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The variables that name the temporary folder, by platform. */
const VARIABLES = ["TMPDIR", "TEMP", "TMP"];

/** The variable that names the compile cache of a test run, which all of its programs share. */
export const COMPILE_CACHE = "AMP_TEST_COMPILE_CACHE";

/**
 * Gives a test run a temporary folder of its own, and fails the run if a test leaves anything there.
 * The folder goes with the run, also when that is interrupted, and so does the compile cache.
 */
export default function setup(): (() => void) | undefined {
  if (process.env[COMPILE_CACHE] !== undefined) return undefined;
  const outside = realpathSync(tmpdir());
  const root = mkdtempSync(join(outside, "amp-tests-"));
  const compiled = mkdtempSync(join(outside, "amp-tests-compiled-"));
  for (const name of VARIABLES) process.env[name] = root;
  process.env[COMPILE_CACHE] = compiled;
  const remove = () => {
    for (const folder of [root, compiled]) rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  return () => {
    const left = leftoversIn(root);
    remove();
    if (left !== undefined) throw new Error(left);
  };
}

/** The complaint about a folder that should be empty; undefined if it is. */
export function leftoversIn(folder: string): string | undefined {
  const names = readdirSync(folder).sort();
  if (names.length === 0) return undefined;
  return `The tests left these files in the temporary folder: ${names.join(", ")}`;
}
