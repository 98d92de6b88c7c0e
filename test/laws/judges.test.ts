import { existsSync, globSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DOORS, isJudge, JUDGES, LEFT, UNIT_TESTS } from "../judges.ts";
import { importsOf } from "./imports.ts";

const judges = globSync("test/**/*.test.ts").filter(isJudge);

/** The values of `src` that each file imports which a judge, or the setup of all tests, reaches. */
function reached(from: readonly string[]): Record<string, string[]> {
  const values: Record<string, string[]> = {};
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path) || !existsSync(path)) return;
    seen.add(path);
    for (const { kind, target } of importsOf(path, readFileSync(path, "utf8"))) {
      if (kind === "type") continue;
      if (target.startsWith("src/")) {
        values[path] = [...new Set([...(values[path] ?? []), target.slice("src/".length)])].sort();
      } else if (target.startsWith("test/") && target.endsWith(".ts")) visit(target);
    }
  };
  for (const path of from) visit(path);
  return values;
}

const found = reached([...judges, "test/setup.ts"]);

describe("the judges", () => {
  it("import values of src only through the doors", () => {
    const others = Object.entries(found).flatMap(([path, targets]) =>
      path in DOORS ? [] : targets.map((target) => `${path}: ${target}`),
    );
    expect(others.sort()).toEqual([...LEFT].sort());
  });

  it.each(Object.entries(DOORS))("%s opens to what is listed", (path, { src }) => {
    expect(found[path]).toEqual(src);
  });

  it("are there", () => {
    expect(judges.length).toBeGreaterThan(50);
    for (const judge of JUDGES) expect(judges.some((path) => path.startsWith(judge))).toBe(true);
    for (const path of UNIT_TESTS) expect(existsSync(path), path).toBe(true);
  });
});
