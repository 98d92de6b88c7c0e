import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";

/**
 * What a program can be built for, and Bun's own word for it: `@oven/bun-<word>` is the package of
 * the runtime. Those for x64 need no AVX2: Bun's packages "baseline" have the same bytes.
 */
export const TARGETS = {
  "linux-x64": "linux-x64",
  "linux-x64-musl": "linux-x64-musl",
  "linux-arm64": "linux-aarch64",
  "linux-arm64-musl": "linux-aarch64-musl",
  "darwin-x64": "darwin-x64",
  "darwin-arm64": "darwin-aarch64",
  "windows-x64": "windows-x64",
  "windows-arm64": "windows-aarch64",
} as const;
/** A key of {@link TARGETS}. */
export type Target = keyof typeof TARGETS;

/** What package-lock.json pins a runtime to. */
export interface Locked {
  readonly name: string;
  readonly version: string;
  /** As npm writes it: `sha512-<base64>`. */
  readonly integrity: string;
}

const CACHE = "node_modules/.cache/bun-runtimes";

/**
 * The runtime of a target, from the registry that npm is set up with: never from anywhere else.
 * @returns the path of an executable
 * @throws {Error} where the registry has none, or another one than the lockfile names
 */
export function runtimeFor(target: Target): string {
  const locked = lockedRuntime(target);
  const kept = join(CACHE, `${TARGETS[target]}-${locked.version}`);
  if (existsSync(kept)) return kept;

  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, ".new-"));
  try {
    const archive = join(folder, pack(locked, folder));
    checkIntegrity(readFileSync(archive), locked);
    const file = `package/bin/bun${target.startsWith("windows-") ? ".exe" : ""}`;
    execFileSync("tar", ["-xzf", archive, "-C", folder, file]);
    chmodSync(join(folder, file), 0o755);
    renameSync(join(folder, file), kept);
    return kept;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws {Error} where the lockfile has none */
export function lockedRuntime(target: Target): Locked {
  const name = `@oven/bun-${TARGETS[target]}`;
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Readonly<Record<string, Omit<Locked, "name">>>;
  };
  const locked = packages[`node_modules/${name}`];
  if (locked === undefined) throw new Error(`package-lock.json has no ${name} for ${target}`);
  return { ...locked, name };
}

/** @throws {Error} where the bytes are not those that the lockfile names */
export function checkIntegrity(bytes: Uint8Array, { name, version, integrity }: Locked): void {
  const [algorithm = ""] = integrity.split("-");
  const found = `${algorithm}-${createHash(algorithm).update(bytes).digest("base64")}`;
  if (found === integrity) return;
  throw new Error(
    `${name}@${version} is not what package-lock.json names:\n${found}\nin place of\n${integrity}`,
  );
}

/** @returns the name of the archive */
function pack({ name, version }: Locked, folder: string): string {
  const words = ["pack", `${name}@${version}`, "--json", "--pack-destination", folder];
  // On Windows npm is a script, which only a shell starts.
  const shell = process.platform === "win32";
  const { status, stdout, stderr } = spawnSync("npm", words, { encoding: "utf8", shell });
  if (status !== 0) {
    throw new Error(`The npm registry does not give ${name}@${version}:\n${stderr}`);
  }
  const [{ filename } = { filename: "" }] = JSON.parse(stdout) as { filename: string }[];
  return filename;
}
