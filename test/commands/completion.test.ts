import { describe, expect, it } from "vitest";
import { STUB_FILES, stubOf } from "../../src/cli/completion/stubs.ts";
import { run } from "../harness.ts";

const SHELL_NAMES = Object.keys(STUB_FILES) as (keyof typeof STUB_FILES)[];

describe("amp completion", () => {
  it.each(SHELL_NAMES)("prints the script for %s and nothing else", async (shell) => {
    const { code, stdout, stderr } = await run(["completion", shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(stubOf(shell));
  });

  it("refuses another shell, naming those there are", async () => {
    const { code, stdout, stderr } = await run(["completion", "tcsh"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("bash, zsh, fish, powershell");
  });

  it("names the shells where none is given", async () => {
    const { code, stderr } = await run(["completion"]);
    expect(code).toBe(2);
    expect(stderr).toBe(
      "✗ Missing argument <shell>\n  Choose one of: bash, zsh, fish, powershell.\n  Try: amp completion --help\n",
    );
  });

  it("says how each is installed", async () => {
    const { stdout } = await run(["completion", "--help"]);
    for (const shell of SHELL_NAMES) expect(stdout).toContain(`amp completion ${shell}`);
  });
});
