import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { NODE } from "../built.ts";
import { INTEGRATION, serveLongList } from "../network/long-list-server.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { createHome, isBundle, PROGRAM, start } from "./program.ts";

vi.setConfig({ testTimeout: 120_000 });

const EVENTS = ["notify", "events", "-o", "id"];

/** A copy of the program with a compile cache, of its own unless another one is given. */
function createCopy(cache = temporaryFolder()) {
  const home = createHome();
  const folder = temporaryFolder();
  const own = dirname(dirname(PROGRAM));
  cpSync(join(own, "bin"), join(folder, "bin"), { recursive: true });
  cpSync(join(own, "package.json"), join(folder, "package.json"));
  mkdirSync(join(folder, "dist"));
  for (const name of readdirSync(join(own, "dist")).filter((file) => file.endsWith(".cjs"))) {
    cpSync(join(own, "dist", name), join(folder, "dist", name));
  }
  const run = async (words: readonly string[], env: Record<string, string> = {}) => {
    const line = [NODE, join(folder, "bin/amp.js"), ...words] as const;
    const { code, stdout, stderr } = await start(line, {
      home,
      env: { NODE_COMPILE_CACHE: cache, ...env },
    }).ended;
    return { code, stdout, stderr };
  };
  /** The files that hold compiled functions, by name. */
  const kept = (): ReadonlyMap<string, string> =>
    new Map(
      readdirSync(cache, { recursive: true, encoding: "utf8" }).flatMap((path) => {
        const name = /(?:^|\/)(amp-.*)$/u.exec(path)?.[1];
        return name === undefined ? [] : [[name, join(cache, path)] as const];
      }),
    );
  return { main: join(folder, "dist/main.cjs"), cache, run, kept };
}

/** The file that holds the compiled functions of main.cjs. */
function fileOf({ kept }: ReturnType<typeof createCopy>): string {
  const file = [...kept()].find(([name]) => name.endsWith("-main.cjs"))?.[1];
  if (file === undefined) throw new Error("there is none of main.cjs");
  return file;
}

test.skipIf(!isBundle)("keeps the functions that a run has called, for the next", async () => {
  const copy = createCopy();
  const first = await copy.run(EVENTS);
  expect(first).toMatchObject({ code: 0, stderr: "" });
  const file = fileOf(copy);
  const saved = readFileSync(file);
  expect([...copy.kept().keys()].every((name) => /^amp-[\w.-]+\.cjs$/u.test(name))).toBe(true);

  expect(await copy.run(EVENTS)).toEqual(first);
  expect(readFileSync(file)).toEqual(saved);

  // Another command calls others: these join them.
  await copy.run(["auth", "list"]);
  const joined = readFileSync(file);
  expect(joined.length).toBeGreaterThan(saved.length);
  expect(await copy.run(EVENTS)).toEqual(first);
  expect(readFileSync(file)).toEqual(joined);
});

test.skipIf(!isBundle).each([
  {
    damage: "a bit of a function",
    of: (bytes: Buffer) => bytes.fill(0x5a, bytes.length >> 1, (bytes.length >> 1) + 40_000),
  },
  { damage: "its end", of: (bytes: Buffer) => bytes.subarray(0, bytes.length >> 1) },
  { damage: "its beginning", of: (bytes: Buffer) => bytes.subarray(100) },
  { damage: "all", of: () => Buffer.alloc(0) },
])("compiles again where the cache has lost $damage", async ({ of }) => {
  const copy = createCopy();
  const first = await copy.run(EVENTS);
  const file = fileOf(copy);
  const size = readFileSync(file).length;
  const damaged = Buffer.from(of(readFileSync(file)));
  writeFileSync(file, damaged);
  expect(await copy.run(EVENTS)).toEqual(first);
  const now = readFileSync(file);
  expect(now.equals(damaged)).toBe(false);
  expect(now.length).toBeGreaterThan(size * 0.9);
});

test.skipIf(!isBundle)("never runs the functions of an earlier file", async () => {
  const copy = createCopy();
  const { stderr } = await copy.run(["aps", "list"]);
  expect(stderr).toContain("has no command");
  // As long as before: V8 alone compares the length.
  const text = readFileSync(copy.main, "utf8");
  writeFileSync(copy.main, text.replaceAll("has no command", "has no COMMAND"));
  expect((await copy.run(["aps", "list"])).stderr).toContain("has no COMMAND");
});

test.skipIf(!isBundle)("keeps those of two programs that share a cache", async () => {
  const one = createCopy();
  await one.run(EVENTS);
  const file = fileOf(one);
  const saved = readFileSync(file);
  const other = createCopy(one.cache);
  writeFileSync(other.main, `${readFileSync(other.main, "utf8")}\n`);
  await other.run(EVENTS);
  expect([...other.kept().keys()].filter((name) => name.endsWith("-main.cjs"))).toHaveLength(2);
  expect(readFileSync(file)).toEqual(saved);
});

test.skipIf(!isBundle)("keeps nothing where the cache is off, or cannot be written", async () => {
  const copy = createCopy();
  const first = await copy.run(EVENTS, { NODE_DISABLE_COMPILE_CACHE: "1" });
  expect(first).toMatchObject({ code: 0, stderr: "" });
  expect([...copy.kept().keys()]).toEqual([]);

  await copy.run(EVENTS);
  const file = fileOf(copy);
  // A folder in its place, which no file replaces, also not for root.
  rmSync(file);
  mkdirSync(file);
  writeFileSync(join(file, "x"), "");
  chmodSync(file, 0o500);
  expect(await copy.run(EVENTS)).toEqual(first);
  expect(existsSync(join(file, "x"))).toBe(true);
  expect([...copy.kept().keys()].filter((name) => name.endsWith(".draft"))).toEqual([]);
  chmodSync(file, 0o700);
});

test.skipIf(!isBundle)("removes what a killed run left of its saving", async () => {
  const copy = createCopy();
  await copy.run(EVENTS);
  const file = fileOf(copy);
  const saved = readFileSync(file);
  writeFileSync(`${file}.draft`, saved.subarray(0, 1000));
  for (const words of [["auth", "list"], ["aps", "list"], ["nosuch"]]) await copy.run(words);
  expect([...copy.kept().keys()].filter((name) => name.endsWith(".draft"))).toEqual([]);
  expect(readFileSync(file).length).toBeGreaterThan(saved.length);
});

test.skipIf(!isBundle)("loads a built-in module late without a warning of Node.js", async () => {
  const copy = createCopy();
  const server = await serveLongList(100, (record) => ({ ...record, updateTime: 1 }));
  onTestFinished(() => server.close());
  const words = ["installations", "list", INTEGRATION, "-o", "count", "--base-url", server.baseUrl];
  for (const _ of ["first", "second"]) {
    const ended = await copy.run(words, { AMP_API_KEY: "key", AMP_PROJECT: "acme" });
    expect(ended).toMatchObject({ code: 0, stdout: "100\n" });
    expect(ended.stderr).toMatch(/^100 fields are not as specified: .*\n$/u);
  }
});

test.skipIf(!isBundle)("two runs at once do not disturb each other", async () => {
  const copy = createCopy();
  const all = await Promise.all(Array.from({ length: 4 }, () => copy.run(EVENTS)));
  for (const one of all) expect(one).toEqual(all[0]);
  expect(all[0]).toMatchObject({ code: 0, stderr: "" });
  expect(await copy.run(EVENTS)).toEqual(all[0]);
  expect([...copy.kept().keys()].filter((name) => name.endsWith(".draft"))).toEqual([]);
});
