import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { STUB_FILES } from "../../../src/cli/completion/stubs.ts";
import { tableOf } from "../../../src/cli/completion/table.ts";
import { readTree } from "../../../src/cli/tree.ts";
import { ROOT } from "../../built.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { fixtureRoutes } from "../fixture-routes.ts";
import { Terminal } from "./terminal.ts";

/** The table of a program that is completed in tests. */
export const FIXTURE_TABLE = tableOf(await readTree(fixtureRoutes), [
  "screw.length",
  "screw.holes.*.depth",
]);
export const PROFILES = ["production", "staging"];
/** The name of a project, as someone else may choose it. */
export const HOSTILE_NAME =
  "Hook & $(touch pwned)`touch pwned` \\ \"; touch pwned; \" '; touch pwned; '";
/** What bash has in COMP_WORDBREAKS. */
export const WORD_BREAKS = " \t\n\"'><=;|&(:";

/** What a shell would offer at the end of a line. */
export interface Completer {
  /** Whole words, as they would stand on the line. */
  offers(line: string): Promise<string[]> | string[];
  close(): void;
}

/** The shells that can be tried here, where they are installed. */
export const PROGRAMS = { bash: "bash", zsh: "zsh", fish: "fish" } as const;

/** A fresh home with the file of a shell in it, and on its PATH a program that completes. */
export function shellHome(shell: keyof typeof STUB_FILES): { home: string; script: string } {
  const home = temporaryFolder();
  const script = join(home, STUB_FILES[shell]);
  copyFileSync(join(ROOT, "completions", STUB_FILES[shell]), script);
  mkdirSync(join(home, "bin"));
  const program = join(home, "bin", "program.mjs");
  const text = `
    import { writeSync } from "node:fs";
    import { answer } from ${JSON.stringify(join(ROOT, "src/cli/completion/complete.ts"))};
    const [, , word, ...asked] = process.argv;
    if (word !== "__complete") throw new Error("asked for something else");
    const table = ${JSON.stringify(FIXTURE_TABLE)};
    writeSync(1, answer(table, asked, { profile: () => ${JSON.stringify(PROFILES)}, seen: () => ${JSON.stringify([HOSTILE_NAME])} }));`;
  writeFileSync(program, text);
  const amp = `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`;
  writeFileSync(join(home, "bin", "amp"), amp, { mode: 0o755 });
  symlinkSync("amp", join(home, "bin", "amp-admin"));
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
COMP_LINE=$2 COMP_POINT=\${#2} COMP_WORDBREAKS=$3
_amp "\${2%% *}" 2>&1
if (( \${#COMPREPLY[@]} )); then printf '%s\\n' "\${COMPREPLY[@]}"; fi
`;

/** Calls the function of the script as bash would, once for each line. */
export function bashCompleter(): Completer {
  const { home, script } = shellHome("bash");
  return {
    offers: (line) => {
      const args = ["--norc", "--noprofile", "-uc", BASH_ASK, "bash", script, line, WORD_BREAKS];
      const replies = execFileSync(PROGRAMS.bash, args, { encoding: "utf8", ...within(home) });
      // Readline leaves what stands before the last = or : where it is.
      const kept = /(?:^|\s)(\S*[=:])?\S*$/u.exec(line)?.[1] ?? "";
      return lines(replies).map((reply) => kept + unquoted(reply));
    },
    close: () => {},
  };
}

/** Asks fish itself. */
export function fishCompleter(): Completer {
  const { home, script } = shellHome("fish");
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
export async function zshCompleter(load: keyof typeof ZSH_LOADING): Promise<Completer> {
  const { home, script } = shellHome("zsh");
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
      return hits.map(unquoted);
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
