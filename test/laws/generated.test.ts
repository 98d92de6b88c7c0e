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

describe("a file generated from the command tree", () => {
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

  // zsh and fish read theirs at the first TAB; bash reads its own at every start of a shell.
  it.each([
    ["amp.bash", 40_000],
    ["_amp", 64_000],
    ["amp.fish", 64_000],
    ["amp.ps1", 64_000],
  ])("completions/%s is small enough for the time at which its shell reads it", (file, most) => {
    expect(files[`completions/${file}`]?.length).toBeLessThan(most);
  });
});
