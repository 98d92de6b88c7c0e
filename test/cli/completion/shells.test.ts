import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { installed } from "../../installed.ts";
import { bashCompleter, type Completer, fishCompleter, PROGRAMS, zshCompleter } from "./shells.ts";

/** What is typed, and every whole word that may stand at its end. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  "amp ": ["fruit", "weather", "help"],
  "amp w": ["weather"],
  "amp x": [],
  // By whatever name the program is called.
  "amp-admin w": ["weather"],
  "./bin/amp w": ["weather"],
  "~/bin/amp w": ["weather"],
  "amp fruits l": ["list"],
  "amp -px fruit l": ["list"],
  "amp --project=x fruit l": ["list"],
  "amp fruit list --s": ["--sort"],
  "amp fruit list --sort age --s": [],
  "amp -o t": ["table", "tsv"],
  "amp --output=t": ["--output=table", "--output=tsv"],
  "amp fruit list --sort=": ["--sort=age", "--sort=name"],
  "amp fruit list --sort ": ["age", "name"],
  "amp fruit list --tag ": ["ripe:now", "ripe:later", "on sale"],
  "amp fruit list --tag ripe:n": ["ripe:now"],
  "amp fruit list --tag=ripe:n": ["--tag=ripe:now"],
  "amp fruit list --tag on\\ s": ["on sale"],
  "amp --profile=pro": ["--profile=production"],
  "amp fruit press parts ": ["screw.length", "screw.holes.*.depth"],
  "amp fruit pick --pieces 3 ap": ["apple", "apricot"],
  "amp fruit list -- --": [],
};

const SHELLS: Readonly<Record<string, readonly [string, () => Completer | Promise<Completer>]>> = {
  bash: [PROGRAMS.bash, bashCompleter],
  fish: [PROGRAMS.fish, fishCompleter],
  "zsh, sourced": [PROGRAMS.zsh, () => zshCompleter("source")],
  "zsh, from its fpath": [PROGRAMS.zsh, () => zshCompleter("fpath")],
};

for (const [name, [program, start]] of Object.entries(SHELLS)) {
  // Where a shell is missing its cases show as skipped; bash must be there.
  describe.skipIf(program !== PROGRAMS.bash && !installed(program))(`completion in ${name}`, () => {
    let completer: Completer;
    beforeAll(async () => {
      completer = await start();
    });
    afterAll(() => completer.close());

    it.each(Object.entries(CASES))("offers for %j", async (line, expected) => {
      expect((await completer.offers(line)).sort()).toEqual([...expected].sort());
    });

    it("offers a command's own options before those of every command", async () => {
      const offered = await completer.offers("amp fruit list --");
      expect(offered.slice(0, 3)).toEqual(["--tag", "--sort", "--unripe"]);
      expect(offered).toContain("--help");
    });
  });
}
