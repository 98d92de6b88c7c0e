import { execFileSync } from "node:child_process";
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
 * What a program can be built for. `bun` is the name of the runtime's package on the registry, behind
 * `@oven/bun-`; the lockfile pins its version and its hash.
 */
export const TARGETS = {
  "linux-x64": { bun: "linux-x64" },
  "linux-x64-musl": { bun: "linux-x64-musl" },
  "linux-arm64": { bun: "linux-aarch64" },
  "linux-arm64-musl": { bun: "linux-aarch64-musl" },
  "darwin-x64": { bun: "darwin-x64" },
  "darwin-arm64": { bun: "darwin-aarch64" },
  "windows-x64": { bun: "windows-x64" },
};

const CACHE = "node_modules/.cache/bun-runtimes";

/**
 * The runtime of a target, from the registry that npm is set up with: never from anywhere else.
 * @returns the path of an executable
 * @throws {Error} where the registry has none, or another one than the lockfile names
 */
export function runtimeFor(target) {
  const name = `@oven/bun-${TARGETS[target].bun}`;
  const locked = JSON.parse(readFileSync("package-lock.json", "utf8")).packages[
    `node_modules/${name}`
  ];
  if (locked === undefined) throw new Error(`package-lock.json has no ${name} for ${target}`);
  const { version, integrity } = locked;
  const kept = join(CACHE, `${TARGETS[target].bun}-${version}`);
  if (existsSync(kept)) return kept;

  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, ".new-"));
  try {
    const archive = join(folder, pack(`${name}@${version}`, folder, target));
    const [algorithm] = integrity.split("-");
    const hash = createHash(algorithm).update(readFileSync(archive)).digest("base64");
    if (`${algorithm}-${hash}` !== integrity) {
      throw new Error(
        `${name}@${version} is not what package-lock.json names: ${algorithm}-${hash}`,
      );
    }
    const file = `package/bin/bun${target.startsWith("windows-") ? ".exe" : ""}`;
    execFileSync("tar", ["-xzf", archive, "-C", folder, file]);
    chmodSync(join(folder, file), 0o755);
    renameSync(join(folder, file), kept);
    return kept;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the name of the archive */
function pack(what, folder, target) {
  try {
    // On Windows npm is a script, which only a shell starts.
    const words = ["pack", what, "--json", "--ignore-scripts", "--pack-destination", folder];
    const told = execFileSync("npm", words, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      shell: process.platform === "win32",
    });
    return JSON.parse(told)[0].filename;
  } catch (error) {
    throw new Error(
      `The runtime for ${target}, ${what}, cannot be had from the npm registry:\n${error.stderr || error.message}`,
    );
  }
}
