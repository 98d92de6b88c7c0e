import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { NODE, ROOT, requireBundle } from "../built.ts";
import { temporaryFolder } from "../temporary-folder.ts";

vi.setConfig({ testTimeout: 180_000 });

function npm(words: readonly string[], cwd: string): string {
  return execFileSync("npm", words, {
    cwd,
    encoding: "utf8",
    // npm tells its scripts of the project around them.
    env: { PATH: process.env.PATH, HOME: cwd, npm_config_update_notifier: "false" },
  });
}

it("is installed from its archive alone, without scripts and network, and runs", () => {
  requireBundle();
  const folder = temporaryFolder();
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  const [packed] = JSON.parse(
    npm(["pack", ROOT, "--json", "--pack-destination", folder, ...quiet], folder),
  ) as [{ filename: string; files: { path: string }[] }];
  const shipped = packed.files.map(({ path }) => path);
  const others = shipped.filter((path) => !/^(?:bin|dist|completions)\//u.test(path));
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/gu)].map(([, path = ""]) => path);
  expect(links.length).toBeGreaterThan(20);
  expect(others.toSorted()).toEqual(
    [...new Set(["LICENSE", "README.md", "package.json", ...links])].toSorted(),
  );
  expect(shipped.filter((path) => /standalone|\.map$/u.test(path))).toEqual([]);

  // The keyring is the one thing beside the bundle, and amp does without.
  const words = ["install", join(folder, packed.filename), "--offline", "--omit=optional"];
  npm([...words, "--prefix", folder, ...quiet], folder);
  const program = join(folder, "node_modules/amp-admin/bin/amp.js");
  const amp = (...args: string[]) =>
    spawnSync(NODE, [program, ...args], {
      cwd: folder,
      encoding: "utf8",
      env: { HOME: folder, AMP_CONFIG_DIR: join(folder, "config"), PATH: "", AMP_RETRIES: "0" },
    });
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  expect(amp("--version")).toMatchObject({
    status: 0,
    stdout: `amp-admin ${version}\n`,
    stderr: "",
  });
  expect(amp("notify", "events", "-o", "id")).toMatchObject({ status: 0, stderr: "" });
  const named = join(folder, "node_modules/.bin/amp-admin");
  expect(spawnSync(named, ["--version"], { encoding: "utf8" }).stdout).toBe(
    `amp-admin ${version}\n`,
  );
  const asked = amp("apps", "list", "--profile", "sandbox", "--json");
  // Nobody listens there, unless a person runs a sandbox just now.
  expect([0, 7]).toContain(asked.status);
});
