import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { licencesOf } from "../../build/licences.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A package on disk, and one of its files as a build names it. */
function packageAt(folder: string, own: object, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify(own));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return join(folder, "dist/index.js");
}

it("lists packages in the build by name, and none of amp's own files", () => {
  const modules = join(temporaryFolder(), "node_modules");
  const b = { name: "@b/b", version: "2.0.0", license: "ISC" };
  const a = { name: "a", version: "1.0.0", license: "MIT" };
  const inner = { ...a, version: "0.9.0" };
  const files = [
    packageAt(join(modules, "a"), a, { "LICENSE.md": "mit\n", NOTICE: "see here\n" }),
    packageAt(join(modules, "@b/b"), b, { licence: "isc" }),
    packageAt(join(modules, "@b/b/node_modules/a"), inner, { COPYING: "older" }),
  ];
  expect(licencesOf([...files, "src/io.ts"])).toEqual([
    { name: "@b/b", version: "2.0.0", licence: "ISC", text: "isc" },
    { name: "a", version: "0.9.0", licence: "MIT", text: "older" },
    { name: "a", version: "1.0.0", licence: "MIT", text: "mit\n\nsee here" },
  ]);
});

it("has the licence that the archive of a package leaves out", () => {
  const files = ["standardwebhooks/dist/index.js"];
  expect(licencesOf(files.map((file) => join("node_modules", file)))).toMatchObject([
    { name: "standardwebhooks", licence: "MIT", text: expect.stringContaining("2023 Svix") },
  ]);
});

it.each([
  ["brings no text", { license: "MIT" }, {}],
  ["names none", {}, { LICENSE: "some" }],
])("refuses what %s", (_, own, files) => {
  const folder = join(temporaryFolder(), "node_modules/a");
  const file = packageAt(folder, { name: "a", version: "1.0.0", ...own }, files);
  expect(() => licencesOf([file])).toThrow(`${folder} names no licence`);
});
