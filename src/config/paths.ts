import { posix, win32 } from "node:path";
import { UsageError } from "../errors.ts";

/** What the places of amp's files follow from. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/**
 * The folder of profiles and credentials.
 * @throws {UsageError} where AMP_CONFIG_DIR is set to nothing
 */
export function configFolder(around: Surroundings): string {
  const { env, platform } = around;
  const named = env.AMP_CONFIG_DIR;
  if (named === "") throw new UsageError("AMP_CONFIG_DIR is empty: unset it, or name a folder");
  if (named !== undefined) return named;
  const appData = platform === "win32" ? "APPDATA" : undefined;
  return ownFolder(around, ["XDG_CONFIG_HOME", appData], [".config"]);
}

/** The folder of what amp must remember, such as the journals of what it created. */
export function stateFolder(around: Surroundings): string {
  return ownFolder(around, ["XDG_STATE_HOME"], [".local", "state"]);
}

/** The folder of what may be lost at any time. */
export function cacheFolder(around: Surroundings): string {
  return ownFolder(around, ["XDG_CACHE_HOME"], [".cache"]);
}

function ownFolder(
  { env, homeDir, platform }: Surroundings,
  variables: readonly (string | undefined)[],
  below: readonly string[],
): string {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  const values = variables.map((name) => (name === undefined ? undefined : env[name]));
  // The XDG specification: an empty variable is an unset one, a relative path is to be ignored.
  const base = values.find((value) => value !== undefined && isAbsolute(value));
  return join(base ?? join(homeDir, ...below), "amp");
}
