import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { generatedFiles } from "../generated.ts";

const files = await generatedFiles();

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

describe("a file generated from the command tree", () => {
  it.each(Object.keys(files))("%s is as `npm run generate` writes it", (file) => {
    expect(readFileSync(pathOf(file), "utf8")).toBe(files[file]);
  });
});

it("keeps the reference and the page of JSON together at 4,000 lines", () => {
  const pages = [files["docs/reference.md"], files["docs/json.md"]];
  expect(pages.join("").split("\n").length).toBeLessThanOrEqual(4000);
});
