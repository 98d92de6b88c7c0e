import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SHELLS } from "../../../src/cli/completion/scripts.ts";
import type { Routes } from "../../../src/cli/define.ts";
import { readTree } from "../../../src/cli/tree.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { fixtureRoutes } from "../fixture-routes.ts";
import { Terminal } from "./terminal.ts";

/** What a shell would offer at the end of a line that begins with `amp`. */
export interface Completer {
  /** Whole words, as they would stand on the line. */
  offers(line: string): Promise<string[]> | string[];
  close(): void;
}

/** The shells that can be tried here, where they are installed. */
export const PROGRAMS = { bash: "bash", zsh: "zsh", fish: "fish" } as const;

/** Whether a program is there to be tried. */
export function installed(program: string): boolean {
  try {
    execFileSync(program, ["-c", "exit 0"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A fresh home with the script for a tree in it. */
export async function scriptHome(
  shell: keyof typeof SHELLS,
  routes: Routes = fixtureRoutes,
): Promise<{ home: string; script: string }> {
  const home = temporaryFolder();
  const { file, script: write } = SHELLS[shell];
  const script = join(home, file);
  writeFileSync(script, write(await readTree(routes)));
  // In place of amp: it lists the saved logins and the paths of fields.
  mkdirSync(join(home, "bin"));
  const amp = `#!/bin/sh
case "$*" in
  "auth list --output id") printf "production\\nstaging\\n" ;;
  "explain --recursive --output id") printf "screw.length\\nscrew.holes.*.depth\\n" ;;
esac
`;
  writeFileSync(join(home, "bin", "amp"), amp, { mode: 0o755 });
  return { home, script };
}

/** An own folder to start in, so that a test sees what a script leaves there. */
export function within(home: string): { cwd: string; env: Record<string, string> } {
  const env = {
    PATH: `${join(home, "bin")}:${process.env.PATH ?? ""}`,
    HOME: home,
    TERM: "dumb",
    LC_ALL: "C.UTF-8",
  };
  return { cwd: home, env };
}

const BASH_ASK = `
source "$1"
COMP_LINE=$2 COMP_POINT=\${#2} COMP_WORDS=("\${@:3}") COMP_CWORD=$(( $# - 3 ))
_amp 2>&1
if (( \${#COMPREPLY[@]} )); then printf '%s\\n' "\${COMPREPLY[@]}"; fi
`;

/** Calls the function of the script as bash would, once for each line. */
export async function bashCompleter(routes?: Routes): Promise<Completer> {
  const { home, script } = await scriptHome("bash", routes);
  return {
    offers: (line) => {
      // Bash parts words at = and : as well.
      const words: string[] = [...(line.match(/[=:]+|(?:\\.|[^\s=:])+/gu) ?? [])];
      if (line.endsWith(" ")) words.push("");
      const args = ["--norc", "--noprofile", "-uc", BASH_ASK, "bash", script, line, ...words];
      const replies = execFileSync(PROGRAMS.bash, args, { encoding: "utf8", ...within(home) });
      // Readline leaves what stands before the last = or : where it is.
      const kept = /(?:^|\s)(\S*[=:])?\S*$/u.exec(line)?.[1] ?? "";
      return lines(replies).map((reply) => kept + unquoted(reply));
    },
    close: () => {},
  };
}

/** Asks fish itself. */
export async function fishCompleter(routes?: Routes): Promise<Completer> {
  const { home, script } = await scriptHome("fish", routes);
  return {
    offers: (line) => {
      const ask = "source $argv[1]; complete -C $argv[2]";
      const args = ["--no-config", "-c", ask, script, line];
      const replies = execFileSync(PROGRAMS.fish, args, { encoding: "utf8", ...within(home) });
      const offers = lines(replies).map((reply) => reply.split("\t")[0] ?? "");
      // Where nothing continues the word, fish offers what resembles it.
      const word = unquoted(/(?:\\.|\S)*$/u.exec(line)?.[0] ?? "");
      return offers.filter((offer) => offer.startsWith(word));
    },
    close: () => {},
  };
}

const ZSH_LOADING = {
  source: "autoload -Uz compinit; compinit -D -u; source $AMP_SCRIPT\n",
  fpath: "fpath=($HOME $fpath); autoload -Uz compinit; compinit -D -u\n",
};

const ZSH_SETUP = `
PROMPT='' LISTMAX=0
# Tells each match as it is added; calls that only ask are passed on.
compadd() {
  if [[ " \${@[1,(i)(-|--)]} " == *' -'(O|A|D)* ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- '<hit>'$^hits'</hit>'
  builtin compadd "$@"
}
# Zsh forgets these functions each time before it calls them.
_tell_end() { print -r -- '<end>'; comppostfuncs=(_tell_end) }
comppostfuncs=(_tell_end)
bindkey '^I' list-choices
print -r -- '<re''ady>'
`;

/** Types into an interactive zsh that tells what its completion adds. */
export async function zshCompleter(
  load: keyof typeof ZSH_LOADING,
  routes?: Routes,
): Promise<Completer> {
  const { home, script } = await scriptHome("zsh", routes);
  writeFileSync(join(home, "setup"), ZSH_LOADING[load] + ZSH_SETUP);
  const { cwd, env } = within(home);
  const terminal = new Terminal(PROGRAMS.zsh, ["-f", "-i"], {
    cwd,
    env: { ...env, AMP_SCRIPT: script },
  });
  terminal.type(`source ${join(home, "setup")}\n`);
  await terminal.until("<ready>");
  return {
    offers: async (line) => {
      terminal.type(`${line}\t`);
      const told = await terminal.until("<end>");
      terminal.type("\u0015");
      const hits = [...told.matchAll(/<hit>(.*?)<\/hit>/gu)].map((match) => match[1] ?? "");
      // It adds what follows --option=, and the short options beside the long ones.
      const kept = /(?:^|\s)(--\S*?=)\S*$/u.exec(line)?.[1] ?? "";
      return hits.filter((hit) => !/^-[^-]$/u.test(hit)).map((hit) => kept + unquoted(hit));
    },
    close: () => terminal.close(),
  };
}

function unquoted(word: string): string {
  return word.replaceAll(/\\([ *])/gu, "$1");
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line !== "");
}
