import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";
import { sourceFiles } from "./graph.ts";

const FILES = sourceFiles();
const PAGE = readFileSync(join(ROOT, "CONTRIBUTING.md"), "utf8");

/** The files that a section names, in its order. */
function walk(title: string): string[] {
  const [, section = ""] = PAGE.split(`\n## ${title}\n`);
  const [text = ""] = section.split(/\n(?:## |`amp notify setup`)/u);
  return [
    ...new Set([...text.matchAll(/`([a-z\d/-]+\.ts)`/gu)].map(([, name = ""]) => fileOf(name))),
  ];
}

/** The file of this path, or the only one whose path ends like this. */
function fileOf(name: string): string {
  const found = FILES.filter(({ path }) => `/${path}`.endsWith(`/${name}`));
  const [one, another] = found.some(({ path }) => path === name) ? [{ path: name }] : found;
  if (one === undefined || another !== undefined) throw new Error(`which file is ${name}?`);
  return one.path;
}

/** The files of a walk that none of those named before imports. */
function strays(paths: readonly string[]): string[] {
  const reached = new Set(paths.slice(0, 1));
  return paths.filter((path) => {
    const isReached = reached.has(path);
    reached.add(path);
    for (const { target } of FILES.find((file) => file.path === path)?.imports ?? []) {
      reached.add(target);
    }
    return !isReached;
  });
}

const STEPS = ["run", "settle", "observe", "decide", "write", "verify", "receipt"];

describe("the walks of CONTRIBUTING.md", () => {
  it.each([
    ["How an apply travels", 20],
    ["How a plan is made", 15],
    ["How one create travels", 12],
  ])("%s: follows the imports, in %i files at most", (title, most) => {
    const paths = walk(title);
    expect(strays(paths)).toEqual([]);
    expect(paths.length).toBeGreaterThan(9);
    expect(paths.length).toBeLessThanOrEqual(most);
  });

  it("pass the engine in the order of its sentence", () => {
    const steps = walk("How an apply travels").flatMap(
      (path) => STEPS.find((step) => path === `notify/engine/${step}.ts`) ?? [],
    );
    expect(steps).toEqual(STEPS);
  });

  it("finds a file that nothing named before imports", () => {
    expect(strays(["notify/engine/engine.ts", "notify/engine/run.ts"])).toEqual([]);
    expect(strays(["notify/engine/run.ts", "notify/engine/engine.ts"])).toHaveLength(1);
  });
});
