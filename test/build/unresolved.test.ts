import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { expect, it } from "vitest";
import { refuseUnresolved } from "../../build/unresolved.ts";
import { temporaryFolder } from "../temporary-folder.ts";

it("fails a build that lacks a package, unless the package is declared as external", async () => {
  const input = join(temporaryFolder(), "main.js");
  writeFileSync(input, 'import { a } from "not-installed";\nconsole.log(a);\n');
  const build = async (external: string[]) => {
    const bundle = await rolldown({ input, external, onLog: refuseUnresolved });
    try {
      return await bundle.generate();
    } finally {
      await bundle.close();
    }
  };
  await expect(build([])).rejects.toThrow(/not-installed[\s\S]*npm ci/u);
  expect((await build(["not-installed"])).output).toHaveLength(1);
});
