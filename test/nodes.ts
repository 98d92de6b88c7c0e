import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// `npm run test:nodes -- 22 26`: the end-to-end tests, and that of the package, with the bundle under
// other versions of Node. They come from the registry that npm is set up with, once, as the pinned one
// does: the script of the package `node` fetches the runtime of this machine.
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const CACHE = join(ROOT, "node_modules/.cache/nodes");
const VITEST = join(ROOT, "node_modules/vitest/vitest.mjs");
const TESTS = ["test/e2e", "test/build/package.test.ts"];

/** @returns the path of an executable */
function nodeOf(major: string): string {
  if (!/^\d\d$/u.test(major)) throw new Error(`${major} is not a major version of Node`);
  const folder = join(CACHE, major);
  const node = join(folder, "node_modules/node/bin/node");
  if (existsSync(node)) return node;
  mkdirSync(folder, { recursive: true });
  const words = ["install", `node@${major}`, "--no-save", "--no-audit", "--no-fund"];
  const { status } = spawnSync("npm", [...words, "--prefix", folder], { stdio: "inherit" });
  if (status !== 0 || !existsSync(node)) throw new Error(`npm does not give node@${major}`);
  return node;
}

const pinned = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  devDependencies: { node: string };
};
const given = process.argv.slice(2);
const majors = given.length > 0 ? given : ["22", pinned.devDependencies.node.slice(0, 2), "26"];
const results = majors.map((major) => {
  const node = nodeOf(major);
  const version = spawnSync(node, ["--version"], { encoding: "utf8" }).stdout.trim();
  process.stdout.write(`\n== ${version}\n`);
  const { status } = spawnSync(process.execPath, [VITEST, "run", ...TESTS], {
    cwd: ROOT,
    stdio: "inherit",
    env: { ...process.env, AMP_E2E_NODE: node },
  });
  return { version, passed: status === 0 };
});
for (const { version, passed } of results) {
  process.stdout.write(`${version}: ${passed ? "passed" : "FAILED"}\n`);
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
