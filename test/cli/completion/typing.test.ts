import { execFileSync } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installed } from "../../installed.ts";
import { HOSTILE } from "../fixture-routes.ts";
import { HOSTILE_NAME, shellHome, within } from "./shells.ts";
import { Terminal } from "./terminal.ts";

const KILL_LINE = "\u0015";
const TELL_LINE = "\u000f";

/** Keys to type, and the line as it stands after them. */
const CASES: Readonly<Record<string, string>> = {
  "amp fr\tl\t": "amp fruit list ",
  "amp fruit list --sort=a\t": "amp fruit list --sort=age ",
  "amp fruit list --tag=ripe:n\t": "amp fruit list --tag=ripe:now ",
  "amp fruit list --tag ripe:n\t": "amp fruit list --tag ripe:now ",
  "amp fruit list --tag o\t": "amp fruit list --tag on\\ sale ",
  "amp fruit list --tag=o\t": "amp fruit list --tag=on\\ sale ",
  "amp -p x:y fruit pick pe\t": "amp -p x:y fruit pick pear ",
  "amp fruit pick pear bask\t": "amp fruit pick pear basket.txt ",
  "amp --api-key-file bask\t": "amp --api-key-file basket.txt ",
  "amp --api-key-file=bask\t": "amp --api-key-file=basket.txt ",
  // A file is offered only where one is wanted.
  "amp fruit list bask\t": "amp fruit list bask",
};

const SETUP = {
  bash: `PS1=''; source amp.bash; tell() { printf '<line>%s</line>\\n' "$READLINE_LINE"; }
bind -x '"\\C-o": tell'; bind 'set enable-bracketed-paste off'; bind 'set bell-style none'`,
  zsh: `PROMPT=''; autoload -Uz compinit; compinit -D -u; source _amp; setopt no_beep
tell() { print -rn -- "<line>$BUFFER</line>" }; zle -N tell; bindkey '^O' tell`,
};

const START = { bash: ["--norc", "--noprofile", "-i"], zsh: ["-f", "-i"] };

for (const shell of ["bash", "zsh"] as const) {
  describe.skipIf(shell !== "bash" && !installed(shell))(`${shell}, typed into`, () => {
    let terminal: Terminal;
    let home = "";
    beforeAll(async () => {
      ({ home } = shellHome(shell));
      writeFileSync(join(home, "basket.txt"), "");
      writeFileSync(join(home, "setup"), SETUP[shell]);
      terminal = new Terminal(shell, START[shell], within(home));
      terminal.type("source ./setup && echo '<re''ady>'\n");
      await terminal.until("<ready>");
    });
    afterAll(() => terminal.close());

    it.each(Object.entries(CASES))("turns %j into %j", async (keys, line) => {
      terminal.type(keys + TELL_LINE);
      await terminal.until("<line>");
      const told = await terminal.until("</line>");
      terminal.type(KILL_LINE);
      expect(told).toBe(line);
    });

    it.each(["", '"', "'"])("quotes a name after %j", async (quote) => {
      terminal.type(`amp -p ${quote}Ho\t${TELL_LINE}`);
      await terminal.until("<line>");
      const line = await terminal.until("</line>");
      terminal.type(KILL_LINE);
      const shown = line.replace("amp -p ", "printf %s ");
      const told = execFileSync(shell, ["-c", shown], { encoding: "utf8", ...within(home) });
      expect(told).toBe(HOSTILE_NAME);
      expect(readdirSync(home)).not.toContain("pwned");
    });

    it("does not execute text of descriptions", async () => {
      terminal.type(`amp fruit list --\t\t--unr\t${TELL_LINE}`);
      await terminal.until("<line>");
      await terminal.until("</line>");
      terminal.type(KILL_LINE);
      expect(readdirSync(home)).not.toContain("pwned");
    });

    it.runIf(shell === "zsh")("shows the descriptions as they are", async () => {
      terminal.type("amp fruit list --unr");
      terminal.type("\u0004");
      expect(await terminal.until(HOSTILE.slice(-10))).toContain(HOSTILE.slice(0, -10));
      terminal.type(KILL_LINE);
    });
  });
}
