import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../built.ts";
import { removeTemporaryFolders, temporaryFolder } from "../temporary-folder.ts";
import { leftoversIn } from "../temporary-root.ts";

/** The files that may use the system's temporary folder themselves. */
const MAKERS = ["laws/temporary-folder.test.ts", "temporary-folder.ts", "temporary-root.ts"];

describe("the temporary folder", () => {
  it("is used by one helper alone, so that no test leaves anything there", () => {
    const users = readdirSync(join(ROOT, "test"), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .filter((name) => /mkdtemp|tmpdir\(/u.test(readFileSync(join(ROOT, "test", name), "utf8")));
    expect(users.sort()).toEqual(MAKERS);
  });

  it("of a run is its own, so that the end of the run can look for leftovers", () => {
    expect(process.env.TMPDIR).toMatch(/amp-tests-\w+$/u);
  });

  it("with leftovers fails the run, by their names", () => {
    const folder = temporaryFolder();
    expect(leftoversIn(folder)).toBeUndefined();
    writeFileSync(join(folder, "left.json"), "");
    mkdirSync(join(folder, "also-left"));
    expect(leftoversIn(folder)).toContain("also-left, left.json");
  });

  it("loses the folders of a test file when that ends", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "left.json"), "");
    removeTemporaryFolders();
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });
});
