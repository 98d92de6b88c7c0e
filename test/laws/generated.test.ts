import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { installed } from "../cli/completion/shells.ts";
import { generatedFiles } from "../generated.ts";

const files = await generatedFiles();

function pathOf(file: string): string {
  return fileURLToPath(new URL(`../../${file}`, import.meta.url));
}

describe("what follows from the command tree", () => {
  it.each(Object.keys(files))("%s is as `npm run generate` writes it", (file) => {
    expect(readFileSync(pathOf(file), "utf8")).toBe(files[file]);
  });

  it.each([
    ["bash", "completions/amp.bash"],
    ["zsh", "completions/_amp"],
    ["fish", "completions/amp.fish"],
  ])("%s reads %s", (shell, file) => {
    if (!installed(shell) && shell !== "bash") return;
    expect(() => execFileSync(shell, ["-n", pathOf(file)], { stdio: "pipe" })).not.toThrow();
  });

  it("is small enough to be read at every start of a shell", () => {
    for (const file of Object.keys(files).filter((name) => name.startsWith("completions/"))) {
      expect(files[file]?.length, file).toBeLessThan(50_000);
    }
  });
});
