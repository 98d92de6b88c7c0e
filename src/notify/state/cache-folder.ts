import { relative, sep } from "node:path";
import { UsageError } from "../../errors.ts";
import type { Environment } from "./http-options.ts";

const CACHE_NAMES = new Set([".cache", "node_modules"]);
const CACHE_VARIABLES = ["XDG_CACHE_HOME", "RUNNER_TOOL_CACHE"];

/**
 * Refuses a state in a cache: it is restored as it was at some time, for several runs at once, and
 * may be gone at any time. Which other folders a CI system caches cannot be known.
 * @throws {UsageError} for a path in one
 */
export function refuseCache(path: string, env: Environment): void {
  const folders = CACHE_VARIABLES.flatMap((name) => env[name] || []);
  const inCache =
    path.split(sep).some((name) => CACHE_NAMES.has(name)) ||
    folders.some((folder) => !relative(folder, path).startsWith(".."));
  if (!inCache) return;
  throw new UsageError(`${path} is in a cache, which may go at any time or come back old`, {
    remedy: "Keep the state in a folder that lasts, or on a server: --state https://… or gitlab.",
    done: "Nothing was sent.",
  });
}
