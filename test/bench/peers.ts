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
  return new Map(
    Object.entries(PACKAGES).flatMap(([name, wanted]) => {
      const file = join(FOLDER, "node_modules/.bin", name);
      return existsSync(file) || install(wanted) ? [[name, [...alone, file]] as const] : [];
    }),
  );
}

/** Without scripts: they would download what is in no lockfile. */
function install(wanted: string): boolean {
  const words = ["install", "--no-save", "--ignore-scripts", "--prefix", FOLDER, wanted];
  const { status } = spawnSync("npm", words, { stdio: "ignore", timeout: INSTALL_MS });
  if (status !== 0) process.stderr.write(`${wanted} cannot be installed here: left out\n`);
  return status === 0;
}
