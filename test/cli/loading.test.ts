import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { INTEGRATION, serveLongList } from "../network/long-list-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const MAIN = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
/** Notes every module that is loaded, in the file that LOADED names. */
const PRELOAD = `
  import { registerHooks } from "node:module";
  import { writeFileSync } from "node:fs";
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  process.on("exit", () => writeFileSync(process.env.LOADED, JSON.stringify(loaded)));`;

/** The addresses of the modules that one call of the program loads. */
async function loadedBy(args: readonly string[]): Promise<string[]> {
  const folder = temporaryFolder();
  const LOADED = join(folder, "loaded.json");
  const preload = `data:text/javascript,${encodeURIComponent(PRELOAD)}`;
  const child = spawn(process.execPath, ["--import", preload, MAIN, ...args], {
    env: { PATH: process.env.PATH, AMP_CONFIG_DIR: folder, AMP_API_KEY: "key-of-the-test", LOADED },
    cwd: folder,
    stdio: "ignore",
  });
  await once(child, "close");
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

it("prints the version before anything is loaded", async () => {
  const loaded = await loadedBy(["--version"]);
  const own = loaded.flatMap((url) => /\/src\/(.+)$/u.exec(url)?.[1] ?? []);
  expect(own).toContain("runtime/version.ts");
  // No other folder: neither the machinery, nor a command, nor anything that these need.
  expect(own.filter((path) => path.includes("/") && !path.startsWith("runtime/"))).toEqual([]);
  expect(packagesOf(loaded)).toEqual([]);
});

it.each([
  { argv: ["--help"], commands: [] },
  { argv: ["help", "exit-codes"], commands: [] },
  { argv: ["notify", "topics", "--help"], commands: [] },
  {
    argv: ["installations", "list", "--help"],
    commands: ["installations/list.ts", "installations/options.ts"],
  },
  { argv: ["notify", "graph", "--help"], commands: ["notify/graph.ts", "notify/options.ts"] },
  { argv: ["auth", "login", "--help"], commands: ["auth/login.ts"] },
  { argv: ["sandbox", "start", "--help"], commands: ["sandbox/start.ts"] },
])("loads nothing dear for amp $argv", async ({ argv, commands }) => {
  const loaded = await loadedBy(argv);
  expect(packagesOf(loaded).filter((name) => DEAR.test(name))).toEqual([]);
  expect(packagesOf(loaded)).toContain("commander");
  const leaves = loaded.flatMap(
    (url) => /\/src\/commands\/(.+\/(?!routes\.ts$).+)$/u.exec(url)?.[1] ?? [],
  );
  expect(leaves).toEqual(commands);
});

it("auth list loads no large package", async () => {
  const names = packagesOf(await loadedBy(["auth", "list", "--output", "table"]));
  expect(names.filter((name) => DEAR.test(name))).toEqual([]);
});

it.each(["json", "table", "tsv"])(
  "asks for a list and prints it with ky and zod alone: %s",
  async (format) => {
    const server = await serveLongList(20);
    onTestFinished(() => server.close());
    const where = ["--base-url", server.baseUrl, "--project", "acme"];
    const loaded = await loadedBy(["installations", "list", INTEGRATION, "-o", format, ...where]);
    expect(server.sent()).toBe(server.bytes);
    expect(packagesOf(loaded).filter((name) => DEAR.test(name))).toEqual(["ky", "zod"]);
    expect(packagesOf(loaded)).not.toContain("string-width");
    // It takes as long to load as a fifth of the whole start.
    expect(loaded).not.toContain("node:crypto");
    // The schemas of what is listed, and of nothing else.
    const schemas = loaded.flatMap((url) => /\/src\/api\/schemas\/(.+)$/u.exec(url)?.[1] ?? []);
    expect(schemas).toEqual(["installation.ts", "shape.ts"]);
    const leaves = loaded.flatMap(
      (url) => /\/src\/commands\/(.+\/(?!routes\.ts$).+)$/u.exec(url)?.[1] ?? [],
    );
    expect(leaves).toEqual(["installations/list.ts", "installations/options.ts"]);
  },
);

it("notices an expensive import", async () => {
  const names = packagesOf(
    await loadedBy(["api", "POST", "/x", "--base-url", "http://127.0.0.1:1/v1"]),
  );
  expect(names).toContain("ky");
});
