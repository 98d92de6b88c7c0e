import { posix, win32 } from "node:path";

/** The facts that decide where amp's folders are. */
export interface FolderEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
}

/** The folder of profiles and credentials, unless AMP_CONFIG_DIR names one. */
export function usualConfigFolder(around: FolderEnvironment): string {
  const windows = around.platform === "win32" ? ["APPDATA"] : [];
  return ampFolder(around, ["XDG_CONFIG_HOME", ...windows], [".config"]);
}

/** The folder of saved states: the record of what `amp notify` created, which must not be lost. */
export function userStateFolder(around: FolderEnvironment): string {
  return ampFolder(around, ["XDG_STATE_HOME"], [".local", "state"]);
}

/** The file of the names that lists have shown with a profile, for completion. */
export function seenNamesPath(around: FolderEnvironment, profile: string): string {
  const windows = around.platform === "win32" ? ["LOCALAPPDATA"] : [];
  const folder = ampFolder(around, ["XDG_CACHE_HOME", ...windows], [".cache"]);
  return `${folder}/names/${encodeURIComponent(profile) || "-"}.json`;
}

function ampFolder(
  { env, homeDir, platform }: FolderEnvironment,
  variables: readonly string[],
  below: readonly string[],
): string {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  // By the XDG specification an empty variable counts as unset, and a relative path is ignored.
  const base = variables
    .map((name) => env[name])
    .find((value) => value !== undefined && isAbsolute(value));
  return join(base ?? join(homeDir, ...below), "amp-admin");
}
