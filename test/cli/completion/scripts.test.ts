import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SHELLS } from "../../../src/cli/completion/scripts.ts";
import { readTree } from "../../../src/cli/tree.ts";
import { routes } from "../../../src/commands/routes.ts";
import { fixtureRoutes } from "../fixture-routes.ts";
import { installed, scriptHome } from "./shells.ts";

const SHELL_NAMES = Object.keys(SHELLS) as (keyof typeof SHELLS)[];

const root = await readTree(fixtureRoutes);

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
    it.skipIf(shell !== "bash" && !installed(program))(`${shell} can be read`, async () => {
      const { script } = await scriptHome(shell);
      expect(() => execFileSync(program, [...args, script], { stdio: "pipe" })).not.toThrow();
    });
  }

  it.each(SHELL_NAMES)("%s: is read in no time, at the start of each shell", async (shell) => {
    const whole = SHELLS[shell].script(await readTree(routes));
    expect(whole).toContain("installations");
    expect(Buffer.byteLength(whole)).toBeLessThan(50 * 1024);
  });

  it("bash: starts no process", async () => {
    const { script } = await scriptHome("bash");
    expect(processes(`source ${script}; _amp`)).toBe("list\n");
    expect(processes(`source ${script}; : $(compgen -W a); _amp`)).toContain("a subshell");
    expect(processes(`source ${script}; _amp; ls`)).toContain("ls: command not found");
  });

  it("bash: knows nothing that bash 3.2 does not", () => {
    const code = SHELLS.bash.script(root).replace(/^\s*#.*$/gmu, "");
    expect(code).not.toMatch(
      /\b(?:declare|local|typeset) -[a-zA-Z]*[Ang]|mapfile|readarray|coproc|\$\{\w+(?:,|\^)|&>>|;;?&|\$\{\w+\[-/u,
    );
    // The newer words are asked for only where they are there.
    expect(code.match(/.*compopt.*/gu)).toEqual([
      expect.stringContaining("BASH_VERSINFO[0] > 3 )); then compopt -o default; fi"),
      expect.stringContaining("BASH_VERSINFO[0] > 3 )); then compopt -o nosort 2> /dev/null; fi"),
    ]);
  });

  it("zsh: begins with the #compdef line", () => {
    expect(SHELLS.zsh.script(root)).toMatch(/^#compdef amp\n/u);
  });

  it("powershell: quotes every text, and closes what it opens", () => {
    const hostile = { ...root, children: [], options: [] };
    const quoted = SHELLS.powershell.script({
      ...hostile,
      children: [{ ...hostile, path: ["x"], summary: "it\u2019s 'so'\nindeed" }],
    });
    expect(quoted).toContain("'x', 'it\u2019\u2019s ''so'' indeed'");
    const code = SHELLS.powershell
      .script(root)
      .replace(/^\s*#.*$/gmu, "")
      .replace(/'(?:[^']|'')*'|"[^"]*"/gu, "");
    expect(code).not.toMatch(/pwned|`|'/u);
    expect(closes(code)).toBe(true);
    expect(closes(code.replace(/\)(?=[^)]*$)/u, ""))).toBe(false);
  });

  it("are written to the files that the shells look for", () => {
    expect(SHELL_NAMES.map((shell) => join("completions", SHELLS[shell].file))).toEqual([
      "completions/amp.bash",
      "completions/_amp",
      "completions/amp.fish",
      "completions/amp.ps1",
    ]);
  });
});

/** What bash replies for `amp fruit l`, and what processes it meant to start on the way. */
function processes(ask: string): string {
  const watched = `
    set -T; trap 'if (( BASH_SUBSHELL > 0 )); then echo a subshell >&2; fi' DEBUG
    PATH=/nonexistent COMP_LINE='amp fruit l' COMP_POINT=11 COMP_WORDS=(amp fruit l) COMP_CWORD=2
    ${ask}
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["--norc", "-c", watched], { encoding: "utf8" });
  return stdout + stderr;
}

const CLOSERS: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/** Whether all brackets of a code without texts and comments pair up. */
function closes(code: string): boolean {
  const open: string[] = [];
  for (const [bracket] of code.matchAll(/[()[\]{}]/gu)) {
    const opener = CLOSERS[bracket];
    if (opener === undefined) open.push(bracket);
    else if (open.pop() !== opener) return false;
  }
  return open.length === 0;
}
