/**
 * `npm run release:compare [-- --quick]`: builds the commit that is checked out twice, in two folders
 * whose paths, time zones and file modes differ, and compares every byte of the two releases. With
 * `--quick`, only the npm archive and the program for Linux on x64.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { hashOf } from "./release/release.ts";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } });

const SCRIPT = `npm run --silent release${values.quick ? " -- --quick" : ""} >/dev/null`;

const folder = mkdtempSync(join(tmpdir(), "amp-compare-"));
try {
  const builds = [
    { checkout: join(folder, "a"), TZ: "UTC", umask: "022" },
    { checkout: join(folder, "another/folder, of a longer name"), TZ: "Asia/Tokyo", umask: "077" },
  ];
  const start = performance.now();
  const [one = new Map(), other = new Map()] = await Promise.all(builds.map(build));
  const names = [...new Set([...one.keys(), ...other.keys()])].sort();
  const odd = names.filter((name) => one.get(name) !== other.get(name));
  for (const name of names) {
    const verdict = odd.includes(name) ? "differs" : "equal  ";
    process.stdout.write(`${verdict}  ${one.get(name) ?? "missing"}  ${name}\n`);
  }
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  process.stdout.write(`${names.length} files, ${odd.length} differ, ${seconds} s\n`);
  if (odd.length > 0 || names.length === 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The hashes of a release, by the names of its files. */
async function build({ checkout, TZ, umask }: Record<"checkout" | "TZ" | "umask", string>) {
  mkdirSync(checkout, { recursive: true });
  const clone = 'git clone --quiet . "$0"';
  execFileSync("sh", ["-c", `umask ${umask} && ${clone}`, checkout]);
  // What is installed is the same for both, and takes no time so.
  const modules = join(checkout, "node_modules");
  execFileSync("sh", [
    "-c",
    'cp -al node_modules "$0" 2>/dev/null || cp -a node_modules "$0"',
    modules,
  ]);
  const child = spawn("sh", ["-c", `umask ${umask} && ${SCRIPT}`], {
    cwd: checkout,
    env: { ...process.env, TZ, SOURCE_DATE_EPOCH: undefined },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`The build in ${checkout} failed.`);
  const out = join(checkout, "release");
  const files = readdirSync(out, { withFileTypes: true }).filter((entry) => entry.isFile());
  const sums = files.map(async ({ name }) => [name, await hashOf(join(out, name))] as const);
  return new Map(await Promise.all(sums));
}
