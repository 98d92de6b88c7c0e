import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { answer, complete, type Names } from "../../../src/cli/completion/complete.ts";
import { loadTable } from "../../../src/cli/completion/table.ts";
import { TOPIC_NAMES } from "../../../src/cli/help.ts";
import { nodesOf, readTree } from "../../../src/cli/tree.ts";
import { routes } from "../../../src/commands/routes.ts";
import { logIn } from "../../commands/invocations.ts";
import { NOW, type RunInput, run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";
import { HOSTILE } from "../fixture-routes.ts";
import { FIXTURE_TABLE, PROFILES, WORD_BREAKS } from "./shells.ts";

const EVERYWHERE = FIXTURE_TABLE.globals.map(({ name }) => name);

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
  // Global options are offered only where a word begins as one.
  "amp weather ": [],
  "amp weather -": ACTING,
  "amp fruit list north ": ["--tag", "--sort", "--unripe"],
  "amp weather --unk": [],
  // Values.
  "amp --output ": [
    "table",
    "json",
    "ndjson",
    "yaml",
    "csv",
    "csv-raw",
    "tsv",
    "id",
    "env",
    "markdown",
    "count",
  ],
  "amp -o t": ["table", "tsv"],
  "amp --output=t": ["--output=table", "--output=tsv"],
  "amp fruit list --sort=": ["--sort=age", "--sort=name"],
  "amp fruit list --sort ": ["age", "name"],
  "amp fruit list --tag ": ["ripe:now", "ripe:later", "on sale"],
  "amp fruit list --tag ripe:n": ["ripe:now"],
  "amp fruit list --tag=ripe:n": ["--tag=ripe:now"],
  "amp fruit list --tag on\\ s": ["on sale"],
  "amp fruit list --unripe=": [],
  "amp --project ": ["a project"],
  // Saved logins, which a process lists.
  "amp --profile ": ["production", "staging"],
  "amp --profile st": ["staging"],
  "amp --profile=pro": ["--profile=production"],
  // Paths of fields, which a process lists too; one is not a pattern for names of files.
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

const names: Names = {
  profile: () => PROFILES,
  seen: (kind, typed) => [`a ${kind}`, ...typed.values()],
};

/** The words that are offered, without descriptions. */
function wordsOf(told: string): string[] {
  return told.split("\n").flatMap((line) => (line === "" ? [] : (line.split("\t")[0] ?? "")));
}

describe("amp __complete", () => {
  it.each(Object.entries(CASES))("offers for %j", (line, expected) => {
    const words = line.replaceAll("on\\ s", "on\0s").split(" ");
    const asked = words.map((word) => word.replace("\0", " ")).slice(1);
    const current = asked.at(-1) ?? "";
    const offered = wordsOf(answer(FIXTURE_TABLE, asked, names));
    expect(offered.filter((word) => word.startsWith(current)).sort()).toEqual(expected.toSorted());
  });

  it.each(Object.entries(CASES))("continues the line %j of bash", (line, expected) => {
    const told = answer(FIXTURE_TABLE, ["--line", line, WORD_BREAKS], names);
    // Readline leaves what stands before the last = or : where it is.
    const kept = /(?:^|\s)(\S*[=:])?\S*$/u.exec(line)?.[1] ?? "";
    const whole = wordsOf(told).map((word) => kept + word.replaceAll(/\\([ *])/gu, "$1"));
    expect(whole.sort()).toEqual(expected.toSorted());
  });

  it.each([
    ["a quoted word", `amp fruit list --tag "on`, ["on sale"]],
    ["words in quotes before it", `amp -p 'fruit list' fruit p`, ["pick", "press"]],
    ["an option with a quoted value", `amp fruit list --tag="on`, ["on sale"]],
    ["a word that is not closed", `amp fruit list --tag 'ri`, ["ripe:now", "ripe:later"]],
  ])("reads %s of a line", (_, line, expected) => {
    expect(wordsOf(answer(FIXTURE_TABLE, ["--line", line, WORD_BREAKS], names))).toEqual(expected);
  });

  it.each([
    ["", "\\$\\(a\\)\\`b\\`\\\"c\\'d\\!\\\\e"],
    ['"', '\\$(a)\\`b\\`\\"c\'d"\\!"\\\\e'],
    ["'", "$(a)`b`\"c'\\''d!\\e"],
  ])("quotes what readline inserts after %j", (quote, expected) => {
    const asked = ["--line", `amp -p ${quote}`, WORD_BREAKS];
    const seen = () => ["$(a)`b`\"c'd!\\e"];
    expect(answer(FIXTURE_TABLE, asked, { ...names, seen })).toBe(`${expected}\n`);
    // The line with it is read as the same word, at the next Tab and by the shell.
    const next = ["--line", `amp -p ${quote}${expected}`, WORD_BREAKS];
    expect(answer(FIXTURE_TABLE, next, { ...names, seen })).not.toBe("");
  });

  it("describes commands and options", () => {
    expect(answer(FIXTURE_TABLE, [""], names)).toContain(`fruit\t${HOSTILE}\n`);
    expect(answer(FIXTURE_TABLE, ["fruit", "list", "--"], names)).toContain(
      `--unripe\t${HOSTILE}\n`,
    );
  });

  it("offers a command's own options before those of every command", () => {
    const offered = wordsOf(answer(FIXTURE_TABLE, ["fruit", "list", "--"], names));
    expect(offered.slice(0, 3)).toEqual(["--tag", "--sort", "--unripe"]);
  });

  it.each([
    [["--api-key-file", ""]],
    [["--api-key-file=bask"]],
    [["fruit", "pick", "pear", ""]],
    [["fruit", "pick", "pear", "one.txt", ""]],
  ])("leaves files to the shell: %j", (asked) => {
    expect(answer(FIXTURE_TABLE, asked, names)).toBe(":files\n");
  });

  it("takes a space, which PowerShell passes, for an empty word", () => {
    const offered = answer(FIXTURE_TABLE, ["fruit", " "], names);
    expect(offered).toBe(answer(FIXTURE_TABLE, ["fruit", ""], names));
  });
});

const table = await loadTable();
const nodes = nodesOf(await readTree(routes)).slice(1);

describe("the table of amp", () => {
  it.each(nodes.map((node) => [node.path.join(" "), node]))(
    "offers the options that amp %s accepts, and no others",
    (path, { options, globalOptions }) => {
      const accepted = [...options.map(({ name }) => name), ...globalOptions, "--help"];
      const offered = answer(table, [...path.split(" "), "--"], names);
      expect(wordsOf(offered).sort()).toEqual(accepted.sort());
    },
  );

  it("has event types and the paths of fields", () => {
    expect(wordsOf(answer(table, ["trigger", ""], names))).toContain("connection.error");
    expect(wordsOf(answer(table, ["explain", ""], names))).toContain(
      "installation.connection.status",
    );
  });

  it.each([
    [["projects", "list", "--fields", "na"], "name"],
    [["projects", "list", "--fields=id,na"], "--fields=id,name"],
    [["projects", "list", "--sort-by", "-"], "-name"],
    [["projects", "list", "--sort-by=id,-"], "--sort-by=id,-name"],
    [["projects", "list", "--filter", ""], "name"],
  ])("offers the fields of a result: %j", (asked, expected) => {
    expect(wordsOf(answer(table, asked, names))).toContain(expected);
  });

  it("is small enough to be read at every Tab", () => {
    expect(JSON.stringify(table).length).toBeLessThan(90_000);
  });
});

describe("the names of profiles", () => {
  const ask = (folder: string) =>
    complete(["--profile", ""], {
      env: { XDG_CONFIG_HOME: folder },
      homeDir: "/",
      platform: "linux",
    });
  const configOf = (text: string) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "amp-admin"));
    writeFileSync(join(folder, "amp-admin/config.json"), text);
    return folder;
  };

  it("are read from the file of profiles", async () => {
    const folder = configOf(JSON.stringify({ profiles: { staging: {}, production: {} } }));
    expect(await ask(folder)).toBe("production\nstaging\nsandbox\n");
    expect(await ask(temporaryFolder())).toBe("sandbox\n");
  });

  it("are nothing where that cannot be read", async () => {
    expect(await ask(configOf("{"))).toBe("");
  });
});

describe("the names that lists have shown", () => {
  const amp = async (words: readonly string[], cwd: string, input: RunInput = {}) => {
    const sandbox = sandboxAt(NOW, { state: undefined });
    const { code, stderr } = await run(words, { sandbox, cwd, ...input });
    expect(code, stderr).toBe(0);
  };
  const offered = async (homeDir: string, asked: readonly string[], env = {}) =>
    wordsOf(await complete(asked, { homeDir, platform: "linux", env }));

  it("are offered with the profile and project that they are of", async () => {
    const cwd = temporaryFolder();
    await amp(["notify", "destinations", "list"], cwd);
    await amp(["notify", "topics", "list"], cwd);
    await amp(["integrations", "list"], cwd);
    await amp(["projects", "list"], cwd);
    await amp(["installations", "list", "--limit", "5"], cwd);
    const at = (...asked: readonly string[]) => offered(cwd, ["--profile", "sandbox", ...asked]);
    expect(await at("notify", "destinations", "get", "")).toEqual(["acme-webhook"]);
    expect(await at("notify", "routes", "create", "--topic", "")).toContain("sync-problems");
    expect(await at("installations", "list", "")).toContain("crm-sync");
    expect(await at("installations", "get", "")).toContain("Northwind Traders");
    expect(await at("-p", "")).toContain("globex-staging");
    // Another project and another profile have shown none.
    expect(await at("-p", "globex-staging", "notify", "topics", "get", "")).toEqual([]);
    expect(await offered(cwd, ["notify", "topics", "get", ""])).toEqual([]);
    const chosen = { AMP_PROFILE: "sandbox", AMP_PROJECT: "acme" };
    expect(await offered(cwd, ["notify", "topics", "get", ""], chosen)).toContain("installs");
  });

  it("are private, and hold nothing that a shell or a reader must not get", async () => {
    const cwd = temporaryFolder();
    const named = ["plain", "two\nlines", "--yes", "x".repeat(101), "key-of-the-test"];
    const fetch = async () => Response.json(named.map((name, at) => ({ id: `top_${at}`, name })));
    const env = { AMP_PROFILE: undefined };
    await amp(["notify", "topics", "list"], cwd, { sandbox: undefined, fetch, env });
    const path = join(cwd, ".cache/amp-admin/names/-.json");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ acme: { topic: ["plain"] } });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("go with what a later list does not show any more", async () => {
    const cwd = temporaryFolder();
    const listed = (names: readonly string[]) => ({
      sandbox: undefined,
      fetch: async () => Response.json(names.map((name) => ({ id: name, name }))),
    });
    for (const names of [
      ["a", "b"],
      ["b", "c"],
    ]) {
      await amp(["notify", "topics", "list"], cwd, listed(names));
    }
    expect(await offered(cwd, ["notify", "topics", "get", ""])).toEqual(["b", "c"]);
  });

  it("are not kept in a job of CI", async () => {
    const cwd = temporaryFolder();
    await amp(["notify", "topics", "list"], cwd, { env: { CI: "true" } });
    expect(await offered(cwd, ["--profile", "sandbox", "notify", "topics", "get", ""])).toEqual([]);
  });

  it("go with their profile", async () => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt();
    await logIn(cwd, sandbox, "prod");
    const env = { AMP_PROFILE: undefined };
    await amp(["projects", "list"], cwd, { sandbox, env });
    expect(await offered(cwd, ["--profile", "prod", "-p", ""])).toContain("acme");
    await amp(["auth", "logout", "prod"], cwd, { sandbox, env });
    expect(await offered(cwd, ["--profile", "prod", "-p", ""])).toEqual([]);
  });

  it("go with another login of their profile", async () => {
    const cwd = temporaryFolder();
    const sandbox = sandboxAt();
    await logIn(cwd, sandbox, "prod");
    await amp(["projects", "list"], cwd, { sandbox, env: { AMP_PROFILE: undefined } });
    await logIn(cwd, sandbox, "prod");
    expect(await offered(cwd, ["--profile", "prod", "-p", ""])).toEqual([]);
  });

  it("are nothing where they cannot be read or written", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".cache"), "no folder");
    await amp(["notify", "topics", "list"], cwd);
    await logIn(cwd, sandboxAt(), "prod");
    await amp(["auth", "logout", "prod"], cwd);
    expect(await offered(cwd, ["--profile", "sandbox", "notify", "topics", "get", ""])).toEqual([]);
  });

  it.each(["null", "[]", "{", `{"acme":null}`, `{"acme":{"topic":5}}`, `{"acme":{"topic":"x"}}`])(
    "are written anew over what is not a file of names: %s",
    async (content) => {
      const cwd = temporaryFolder();
      const folder = join(cwd, ".cache/amp-admin/names");
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "sandbox.json"), content);
      const asked = ["--profile", "sandbox", "-p", "acme", "notify", "topics", "get", ""];
      expect(await offered(cwd, asked)).toEqual(expect.not.arrayContaining(["installs"]));
      await amp(["notify", "topics", "list"], cwd);
      expect(await offered(cwd, asked)).toContain("installs");
    },
  );
});
