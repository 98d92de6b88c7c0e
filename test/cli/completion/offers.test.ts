import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOPIC_NAMES } from "../../../src/cli/help.ts";
import { nodesOf, readTree } from "../../../src/cli/tree.ts";
import { routes } from "../../../src/commands/routes.ts";
import {
  bashCompleter,
  type Completer,
  fishCompleter,
  installed,
  PROGRAMS,
  zshCompleter,
} from "./shells.ts";

const EVERYWHERE = [
  "--access-token-file",
  "--allow-insecure-http",
  "--api-key-file",
  "--auth",
  "--base-url",
  "--confirm",
  "--count",
  "--csv-raw",
  "--deadline",
  "--debug",
  "--expect-project",
  "--fields",
  "--filter",
  "--help",
  "--insecure-tls",
  "--jq",
  "--json",
  "--limit",
  "--no-color",
  "--max-body",
  "--max-wait",
  "--no-input",
  "--retries",
  "--output",
  "--profile",
  "--project",
  "--quiet",
  "--sort-by",
  "--timeout",
  "--yes",
];

/** The global options that act on the fixture's commands, which neither call a service nor show a result. */
const ACTING = ["--debug", "--help", "--no-color", "--no-input", "--quiet"];

/** What is typed, and every whole word that may stand at its end. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  // Groups and commands: aliases lead on, but are not offered.
  "amp ": ["fruit", "weather", "help"],
  "amp w": ["weather"],
  "amp x": [],
  "amp fruit ": ["list", "pick", "press"],
  "amp fruits l": ["list"],
  "amp fruit press ": ["turn", "parts"],
  "amp nonsense ": [],
  "amp fruit nonsense ": [],
  // Options before the command, with their values in every spelling.
  "amp -p x fruit l": ["list"],
  "amp -px fruit l": ["list"],
  "amp --project x fruit l": ["list"],
  "amp --project=x fruit l": ["list"],
  "amp --project fruit fruit l": ["list"],
  "amp -qyp fruit fruit l": ["list"],
  "amp -qy fruit press turn ": ["left", "right"],
  // Own options and those that work everywhere; one that is given is not offered again.
  "amp --v": ["--version"],
  "amp --": [...EVERYWHERE, "--version"],
  // A group offers what any of its commands accepts.
  "amp fruit --": [...ACTING, "--yes"],
  "amp fruit list --": [...ACTING, "--sort", "--tag", "--unripe"],
  "amp fruit list north --s": ["--sort"],
  "amp fruit list --sort age --tag=a -p x -q --": [
    ...ACTING.filter((option) => option !== "--quiet"),
    "--tag",
    "--unripe",
  ],
  "amp -p x --pro": ["--profile"],
  "amp fruit list --pro": [],
  "amp fruit pick --d": ["--debug", "--dry-run"],
  "amp fruit pick --y": ["--yes"],
  "amp fruit list --d": ["--debug"],
  "amp weather ": ACTING,
  "amp weather --unk": [],
  // Values.
  "amp --output ": ["table", "json", "ndjson", "yaml", "csv", "tsv", "id", "env", "markdown"],
  "amp -o t": ["table", "tsv"],
  "amp --output=t": ["--output=table", "--output=tsv"],
  "amp fruit list --sort=": ["--sort=age", "--sort=name"],
  "amp fruit list --sort ": ["age", "name"],
  "amp fruit list --tag ": ["ripe:now", "ripe:later", "on sale"],
  "amp fruit list --tag ripe:n": ["ripe:now"],
  "amp fruit list --tag=ripe:n": ["--tag=ripe:now"],
  "amp fruit list --tag on\\ s": ["on sale"],
  "amp fruit list --unripe=": [],
  "amp --project ": [],
  // Saved logins, which a process lists.
  "amp --profile ": ["production", "staging"],
  "amp --profile st": ["staging"],
  "amp --profile=pro": ["--profile=production"],
  // Paths of fields, which a process lists too; one is no pattern for names of files.
  "amp fruit press parts ": ["screw.length", "screw.holes.*.depth"],
  "amp fruit press parts screw.l": ["screw.length"],
  // Arguments.
  "amp fruit pick ": ["apple", "apricot", "pear"],
  "amp fruit pick ap": ["apple", "apricot"],
  "amp fruit pick --pieces 3 ap": ["apple", "apricot"],
  "amp fruit list ": [],
  // After -- there are only arguments.
  "amp -- ": [],
  "amp fruit pick -- ": ["apple", "apricot", "pear"],
  "amp fruit list -- --": [],
  // Help.
  "amp he": ["help"],
  "amp help ": ["fruit", "weather", ...TOPIC_NAMES],
  "amp help e": ["environment", "errors", "events", "exit-codes"],
  "amp help fruit p": ["pick", "press"],
  "amp help fruit pick ": [],
  "amp help environment ": [],
};

type Start = (of?: typeof routes) => Promise<Completer>;

const SHELLS: Readonly<Record<string, readonly [program: string, Start]>> = {
  bash: [PROGRAMS.bash, bashCompleter],
  fish: [PROGRAMS.fish, fishCompleter],
  "zsh, sourced": [PROGRAMS.zsh, (of) => zshCompleter("source", of)],
  "zsh, from its fpath": [PROGRAMS.zsh, (of) => zshCompleter("fpath", of)],
};

/** All groups and commands of amp. */
const NODES = nodesOf(await readTree(routes)).slice(1);

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
      expect(offered.slice(0, 3).sort()).toEqual(["--sort", "--tag", "--unripe"]);
    });
  });
}

for (const [name, [program, start]] of Object.entries(SHELLS)) {
  if (name === "zsh, sourced") continue;
  describe.skipIf(program !== PROGRAMS.bash && !installed(program))(`amp in ${name}`, () => {
    let completer: Completer;
    beforeAll(async () => {
      completer = await start(routes);
    });
    afterAll(() => completer.close());

    // Scripts have a list of values that several inputs offer only once.
    it.each(["trigger", "listen --event"])("offers event types after amp %s", async (words) => {
      expect(await completer.offers(`amp ${words} connection.e`)).toEqual(["connection.error"]);
    });

    it.each(NODES.map((node) => [node.path.join(" "), node] as const))(
      "offers the options that amp %s accepts, and no others",
      async (path, { options, globalOptions }) => {
        const accepted = [...options.map(({ name: option }) => option), ...globalOptions, "--help"];
        expect((await completer.offers(`amp ${path} --`)).sort()).toEqual(accepted.sort());
      },
    );
  });
}
