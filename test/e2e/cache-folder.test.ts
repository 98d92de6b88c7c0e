import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { createHome, isBundle, runAmp } from "./program.ts";

vi.setConfig({ testTimeout: 120_000 });

/** A home without the compile cache of the test run. */
function createPlainHome() {
  const { env, ...home } = createHome();
  const { NODE_COMPILE_CACHE: _, ...others } = env;
  const temporary = temporaryFolder();
  const folder = join(
    home.folder,
    ...(process.platform === "darwin" ? MAC : [".cache", "amp-admin"]),
  );
  const run = async (more: Readonly<Record<string, string>> = {}) => {
    const words = ["notify", "events", "-o", "id"];
    const start = { home: { ...home, env: { ...others, TMPDIR: temporary } }, env: more };
    const { code, stdout, stderr } = await runAmp(words, start);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).not.toBe("");
  };
  return { home: home.folder, folder, temporary, run };
}

const MAC = ["Library", "Caches", "amp-admin"];

/** The compiled functions that a folder holds. */
function keptIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /amp-.*-main\.cjs$/u.test(name));
}

test.skipIf(!isBundle)(
  "compiled code is in the user's cache folder, for the user alone",
  async () => {
    const { folder, temporary, run } = createPlainHome();
    await run();
    expect(keptIn(folder)).toHaveLength(1);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(readdirSync(temporary)).toEqual([]);
  },
);

test.skipIf(!isBundle)("XDG_CACHE_HOME moves it; a relative path is ignored", async () => {
  const { folder, home, run } = createPlainHome();
  const other = join(home, "elsewhere");
  await run({ XDG_CACHE_HOME: other });
  expect(keptIn(join(other, "amp-admin"))).toHaveLength(1);
  expect(existsSync(folder)).toBe(false);
  await run({ XDG_CACHE_HOME: "relative" });
  expect(keptIn(folder)).toHaveLength(1);
  expect(existsSync(join(home, "relative"))).toBe(false);
});

test.skipIf(!isBundle).each([
  { whose: "others can write to", make: (folder: string) => chmodSync(folder, 0o777) },
  { whose: "a group can write to", make: (folder: string) => chmodSync(folder, 0o770) },
  // Only root can give it away.
  ...(process.getuid?.() === 0
    ? [{ whose: "belongs to someone else", make: (folder: string) => chownSync(folder, 1, 1) }]
    : []),
])("keeps nothing in a folder that $whose", async ({ make }) => {
  const { folder, temporary, run } = createPlainHome();
  mkdirSync(folder, { recursive: true });
  make(folder);
  await run();
  expect([...readdirSync(folder), ...readdirSync(temporary)]).toEqual([]);
});

test.skipIf(!isBundle)(
  "keeps nothing behind a link, and nothing where it is turned off",
  async () => {
    const { folder, home, run } = createPlainHome();
    const other = temporaryFolder();
    await run({ NODE_DISABLE_COMPILE_CACHE: "1" });
    expect(existsSync(folder)).toBe(false);
    mkdirSync(join(folder, ".."), { recursive: true });
    symlinkSync(other, folder);
    await run();
    expect(readdirSync(other)).toEqual([]);
    expect(readdirSync(home)).not.toContain("node-compile-cache");
  },
);

test.skipIf(!isBundle)("runs without a home, or with one that cannot be written", async () => {
  const { home, temporary, run } = createPlainHome();
  const file = join(home, "file");
  writeFileSync(file, "");
  for (const HOME of ["", file, "/proc/nosuch"]) await run({ HOME });
  expect(readdirSync(temporary)).toEqual([]);
});
