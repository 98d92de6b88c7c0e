import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../harness.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** Notes every module that is loaded, in the file that LOADED names. */
const PRELOAD = `
  import { registerHooks } from "node:module";
  import { writeFileSync } from "node:fs";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on("exit", () => writeFileSync(process.env.LOADED, JSON.stringify(loaded)));`;

/** The addresses of the modules that one call of the program loads. */
function loadedBy(args: readonly string[]): string[] {
  const folder = temporaryFolder();
  const LOADED = join(folder, "loaded.json");
  const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  spawnSync(process.execPath, ["--import", preload, MAIN, ...args], {
    env: { PATH: process.env.PATH, AMP_CONFIG_DIR: folder, AMP_API_KEY: "key-of-the-test", LOADED },
    cwd: folder,
  });
  return JSON.parse(readFileSync(LOADED, "utf8"));
}

function packagesOf(urls: readonly string[]): string[] {
  const names = urls.flatMap(
    (url) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//u.exec(url)?.[1] ?? [],
  );
  return [...new Set(names)].sort();
}

/** What costs more to load than everything that help does. */
const DEAR = /^(?:zod|ky|conf|hono|@hono\/.*|@inquirer\/.*|yaml|cli-table3)$/u;

it("prints the version before anything is loaded", () => {
  const loaded = loadedBy(["--version"]);
  const own = loaded.flatMap((url) => /\/src\/(.+)$/u.exec(url)?.[1] ?? []);
  expect(own).toContain("version.ts");
  // No folder: neither the machinery, nor a command, nor anything that these need.
  expect(own.filter((path) => path.includes("/"))).toEqual([]);
  expect(packagesOf(loaded)).toEqual([]);
});

it.each([
  { argv: ["--help"], commands: [] },
  { argv: ["help", "exit-codes"], commands: [] },
  { argv: ["notify", "topics", "--help"], commands: [] },
  { argv: ["installations", "list", "--help"], commands: ["installations/list.ts"] },
  { argv: ["auth", "login", "--help"], commands: ["auth/login.ts"] },
  { argv: ["sandbox", "start", "--help"], commands: ["sandbox/start.ts"] },
])("loads nothing dear for amp $argv", ({ argv, commands }) => {
  const loaded = loadedBy(argv);
  expect(packagesOf(loaded).filter((name) => DEAR.test(name))).toEqual([]);
  expect(packagesOf(loaded)).toContain("commander");
  const leaves = loaded.flatMap((url) => /\/src\/commands\/(.+\/.+)$/u.exec(url)?.[1] ?? []);
  expect(leaves).toEqual(commands);
});

it("lists without what draws frames, or any service", () => {
  const names = packagesOf(loadedBy(["auth", "list", "--output", "table"]));
  expect(names.filter((name) => DEAR.test(name))).toEqual([]);
});

it("would notice what is dear", () => {
  const names = packagesOf(loadedBy(["api", "POST", "/x", "--base-url", "http://127.0.0.1:1/v1"]));
  expect(names).toContain("ky");
});
