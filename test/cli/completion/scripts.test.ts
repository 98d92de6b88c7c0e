import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { STUB_FILES, stubOf } from "../../../src/cli/completion/stubs.ts";
import { installed } from "../../installed.ts";
import { shellHome, within } from "./shells.ts";

const SHELL_NAMES = Object.keys(STUB_FILES) as (keyof typeof STUB_FILES)[];

/** How each shell checks a file without running it. */
const CHECKS = {
  bash: { program: "bash", args: ["-n"] },
  zsh: { program: "zsh", args: ["-n"] },
  fish: { program: "fish", args: ["-n"] },
  powershell: {
    program: "pwsh",
    args: ["-NoProfile", "-Command", "$null = [scriptblock]::Create((Get-Content -Raw $args[0]))"],
  },
} as const;

describe("completion scripts", () => {
  for (const shell of SHELL_NAMES) {
    const { program, args } = CHECKS[shell];
    it.skipIf(shell !== "bash" && !installed(program))(`${shell} can be read`, () => {
      const { script } = shellHome(shell);
      expect(() => execFileSync(program, [...args, script], { stdio: "pipe" })).not.toThrow();
    });
  }

  it.each(SHELL_NAMES)("%s: serves both names of the program", (shell) => {
    expect(stubOf(shell)).toMatch(/\bamp,? (?:-c )?amp-admin\b/u);
  });

  it("bash: uses nothing newer than bash 3.2", () => {
    const code = stubOf("bash").replace(/^\s*#.*$/gmu, "");
    expect(code).not.toMatch(
      /\b(?:declare|local|typeset) -[a-zA-Z]*[Ang]|mapfile|readarray|coproc|\$\{\w+(?:,|\^)|&>>|;;?&|\$\{\w+\[-/u,
    );
    for (const [line] of code.matchAll(/.*\n.*\bcompopt\b/gu)) {
      expect(line).toContain("BASH_VERSINFO[0] > 3");
    }
  });

  it("bash: prints nothing where the program fails or is missing", () => {
    const { home, script } = shellHome("bash");
    const ask = `source ${script}; COMP_LINE='gone ' COMP_POINT=5 COMP_WORDBREAKS=' '
      _amp gone; _amp false; echo "\${#COMPREPLY[@]}"`;
    const told = execFileSync("bash", ["--norc", "-c", `{ ${ask}; } 2>&1`], within(home));
    expect(told.toString()).toBe("0\n");
  });

  it("powershell: doubles every sign that closes a single quote there", () => {
    const [, signs = ""] = /-replace "(\[.+?\])", '\$0\$0'/u.exec(stubOf("powershell")) ?? [];
    const told = "it's ‘a’ ‚b‛".replace(new RegExp(signs, "gu"), "$&$&");
    expect(told).toBe("it''s ‘‘a’’ ‚‚b‛‛");
  });

  it("zsh: begins with the #compdef line", () => {
    expect(readFileSync(shellHome("zsh").script, "utf8")).toMatch(/^#compdef amp amp-admin\n/u);
  });
});
