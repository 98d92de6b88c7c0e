import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../built.ts";

const FOLDER = join(ROOT, "node_modules/.cache/bench-peers");
const INSTALL_MS = 60_000;
const PACKAGES = {
  stripe: "@stripe/cli@1.52.0",
  resend: "resend-cli@2.21.0",
  hookdeck: "hookdeck-cli@2.6.0",
};

/**
 * Programs of the same kind, by name, in a namespace without a network: whatever they would like to
 * tell somebody, nobody hears it. Installed on demand, by npm and into a cache.
 * @returns none where the system has no such namespaces
 */
export function peers(): ReadonlyMap<string, readonly string[]> {
  const alone = ["unshare", "--map-root-user", "--net", "--"];
  const [program = "", ...rest] = [...alone, "true"];
  if (spawnSync(program, rest).status !== 0) return new Map();
  mkdirSync(FOLDER, { recursive: true });
  const fileOf = (name: string) => join(FOLDER, "node_modules/.bin", name);
  const names = Object.keys(PACKAGES);
  if (!names.every((name) => existsSync(fileOf(name)))) install();
  return new Map(
    names.flatMap((name) =>
      existsSync(fileOf(name)) ? [[name, [...alone, fileOf(name)]] as const] : [],
    ),
  );
}

/** At once, for npm takes out what is not asked for; without scripts, for they would download more. */
function install(): void {
  const wanted = Object.values(PACKAGES);
  const words = ["install", "--no-save", "--ignore-scripts", "--prefix", FOLDER, ...wanted];
  const { status } = spawnSync("npm", words, { stdio: "ignore", timeout: INSTALL_MS });
  if (status !== 0) process.stderr.write("The peers cannot be installed here: left out\n");
}
