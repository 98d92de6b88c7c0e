import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandEntries } from "../command-tree.ts";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const entries = await commandEntries();
const [amp] = entries;
const paths = entries.map(({ command }) => command.split(" ").slice(1).join(" "));
const listed = (await run(["help", "topics"])).stdout.matchAll(/^ {2}(\S+) {2,}\S/gmu);
const topics = [...[...listed].map(([, name = ""]) => name), "topics"];
const wordsOf = (path: string) => (path === "" ? [] : path.split(" "));
const isTopic = (path: string) => topics.includes(path);
const golden = (name: string) => `./golden/help/${name.replaceAll(" ", "-") || "amp"}.txt`;

/** Lines to copy are never broken by force: those of examples, and what they go on in. */
function proseOf(help: string): string[] {
  const examples = /\nExamples\n(?: .*\n)+/u;
  return help.replace(examples, "\n").split("\n");
}

describe.each(paths)("amp %s --help", (path) => {
  it("is written for 80 columns", async () => {
    const { code, stdout, stderr } = await run([...wordsOf(path), "--help"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of proseOf(stdout)) {
      expect(line.length, line).toBeLessThanOrEqual(80);
      expect(line).toBe(line.trimEnd());
    }
    await expect(stdout).toMatchFileSnapshot(golden(path));
  });

  it("is the same by amp help and -h, in any position", async () => {
    const { stdout } = await run([...wordsOf(path), "--help"]);
    for (const argv of [
      [...wordsOf(path), "-h"],
      // A word that is a topic too, as in `amp help trust`, shows the topic.
      ...(isTopic(path)
        ? []
        : [
            ["help", ...wordsOf(path)],
            ["--no-color", "-q", "help", ...wordsOf(path)],
            ["--help", ...wordsOf(path)],
          ]),
    ]) {
      expect({ argv, ...(await run(argv)) }).toMatchObject({ argv, code: 0, stdout });
    }
  });
});

describe.each(topics)("amp help %s", (topic) => {
  it("is written for 80 columns", async () => {
    const { code, stdout, stderr } = await run(["help", topic]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of stdout.split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
    await expect(stdout).toMatchFileSnapshot(golden(`topic ${topic}`));
  });
});

describe("help", () => {
  it("comes for amp alone, and for a group alone", async () => {
    const { stdout } = await run(["--help"]);
    expect(await run([])).toMatchObject({ code: 0, stdout, stderr: "" });
    expect(await run(["--quiet"])).toMatchObject({ code: 0, stdout, stderr: "" });
    const group = await run(["notify", "topics", "--help"]);
    expect(await run(["notify", "topics"])).toMatchObject({ code: 0, stdout: group.stdout });
    // A program must not take help for an answer.
    expect(await run(["notify", "topics", "--json"])).toMatchObject({ code: 2, stdout: "" });
  });

  it("has bold headings on a terminal only", async () => {
    const bold = "\u001b[1mOptions\u001b[22m\n";
    const of = async (world: RunInput, ...argv: string[]) =>
      (await run(["apps", "list", "--help", ...argv], world)).stdout;
    expect(await of({ tty: true })).toContain(bold);
    expect(await of({ tty: true, env: { NO_COLOR: "1" } })).not.toContain("\u001b");
    expect(await of({ tty: true }, "--no-color")).not.toContain("\u001b");
    expect(await of({})).not.toContain("\u001b");
    expect((await run(["help", "state"], { tty: true })).stdout).toContain("\u001b[1mState");
  });

  it("takes a topic in any spelling", async () => {
    const { stdout } = await run(["help", "exit-codes"]);
    for (const word of ["exitcodes", "exit_codes", "Exit-Codes"]) {
      expect(await run(["help", word])).toMatchObject({ code: 0, stdout });
    }
  });

  it("lists every noun but those that are hidden names", async () => {
    const { stdout } = await run(["--help"]);
    for (const path of paths.filter((one) => /^\S+$/u.test(one))) {
      expect(stdout).toMatch(new RegExp(`^  ${path} `, "mu"));
    }
    expect(stdout).not.toMatch(/^ {2}(?:app|provider|installation|invite) /mu);
  });

  it("lists every exit code, global option and its variable", async () => {
    const codes = (await run(["help", "exit-codes"])).stdout;
    for (const code of entries.flatMap(({ exitCodes }) => exitCodes.map((one) => one.code))) {
      expect(codes).toMatch(new RegExp(`^ +${code} +\\S`, "mu"));
    }
    const options = (await run(["help", "options"])).stdout;
    const environment = (await run(["help", "environment"])).stdout;
    expect(amp?.options.length).toBeGreaterThan(10);
    for (const { name, env } of amp?.options ?? []) {
      expect(options).toContain(name);
      if (env !== undefined) expect(environment).toContain(`  ${env} `);
    }
  });

  it("has the options for insecure connections in amp help network alone", async () => {
    const network = (await run(["help", "network"])).stdout;
    const options = (await run(["help", "options"])).stdout;
    for (const name of ["--insecure-tls", "--allow-insecure-http"]) {
      expect(network).toContain(name);
      expect(options).not.toContain(name);
    }
  });

  it("is not wrapped to a very wide terminal", async () => {
    const wide = await run(["help", "options"], { columns: 400 });
    for (const line of wide.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it.each([
    ["notify plan u.yaml", "Try: amp notify plan -f u.yaml"],
    ["help routing", "Did you mean amp notify? Try: amp notify --help"],
    ["notify rename x", "amp notify topics update or amp notify destinations update?"],
  ])("is the next command where it can be told: %s", async (typed, told) => {
    const { code, stderr } = await run(typed.split(" "), { tty: true });
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/gu, " ")).toContain(told);
  });

  it("for an unknown command is an error", async () => {
    for (const argv of [
      ["help", "aps"],
      ["aps", "--help"],
      ["--help", "aps"],
      ["aps", "list", "-h"],
    ]) {
      const outcome = await run(argv);
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toBe(
        '✗ amp has no command "aps"\n  Did you mean apps?\n  Try: amp apps --help\n',
      );
    }
  });

  it.each([
    ["help ouput", "Did you mean the topic output?\n  Try: amp help output"],
    ["help exit-code", "Did you mean the topic exit-codes?\n  Try: amp help exit-codes"],
    ["help nothing", 'no command or help topic "nothing"\n  Try: amp help topics'],
    ["help notifi", "Did you mean notify?\n  Try: amp notify --help"],
    ["help notify aply", "Did you mean apply?\n  Try: amp notify apply --help"],
    ["help notify setpu", "Did you mean setup?\n  Try: amp notify setup --help"],
    ["hepl", "Did you mean help?\n  Try: amp --help"],
  ])("of a mistyped word leads to what was meant: amp %s", async (line, meant) => {
    const { code, stdout, stderr } = await run(line.split(" "));
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(meant);
    const [, next] = /Try: amp (.*)\n$/u.exec(stderr) ?? [];
    expect(await run(next?.split(" ") ?? [])).toMatchObject({ code: 0, stderr: "" });
  });

  it("shows forms of --secret that amp accepts", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "service-account.json"), "{}");
    const { stdout } = await run(["help", "secrets"]);
    const shown = [...stdout.matchAll(/^ {2}(--secret \S+)$/gmu)].flatMap(([, text = ""]) =>
      text.split(" "),
    );
    expect(shown).toHaveLength(4);
    const argv = [
      "notify",
      "destinations",
      "create",
      "--name",
      "ops",
      "--type",
      "other",
      "--dry-run",
    ];
    const env = { CLICKHOUSE_PASSWORD: "hush" };
    expect(await run([...argv, ...shown], { sandbox: sandboxAt(), cwd, env })).toMatchObject({
      code: 0,
    });
  });

  it("lists its topics", () => {
    expect(topics).toEqual(expect.arrayContaining(["exit-codes", "environment", "state", "trust"]));
  });
});

describe("a mistyped command", () => {
  it.each([
    ["instalations", "installations"],
    ["instlalations", "installations"],
    ["inst", "installations"],
    ["provder", "providers"],
    ["ntoify", "notify"],
    ["AUTH", "auth"],
    ["completions", "completion"],
  ])("%s: did you mean %s", async (typed, meant) => {
    const { code, stderr } = await run([typed, "list"]);
    expect(code).toBe(2);
    expect(stderr).toContain(`Did you mean ${meant}?`);
  });

  it.each([
    [["destinations", "list"], "amp notify destinations list"],
    [["topic", "create", "--name", "x"], "amp notify topics create"],
    [["apply", "-f", "x.yaml"], "amp notify apply"],
    [["whoami"], "amp auth status"],
    [["status"], "amp auth status"],
  ])("without its group, as in %j: did you mean %s", async (argv, meant) => {
    const { code, stderr } = await run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(`Did you mean ${meant}?`);
  });

  it("without a near match lists the commands of a group, if they are few", async () => {
    expect((await run(["frobnicate"])).stderr).toBe(
      '✗ amp has no command "frobnicate"\n  Try: amp --help\n',
    );
    expect((await run(["apps", "frobnicate"])).stderr).toContain("Commands: list, get, lint.");
  });

  it("is shown without control characters", async () => {
    const { stderr } = await run(["ap\u001b[2Jps"]);
    expect(stderr).not.toContain("\u001b");
  });

  it("is not seen in a project called help", async () => {
    expect(await run(["-p", "help", "apps", "list"], { replies: [{ body: [] }] })).toMatchObject({
      code: 0,
      requests: [{ path: "/projects/help/provider-apps" }],
    });
  });
});

it.each([
  ["filter", "Filters and sorting of lists"],
  ["jq", "JSON output"],
  ["network", "Requests, limits and TLS"],
  ["support", "Find out why a customer's sync stopped"],
  ["case", "amp case: evidence about an installation"],
  ["variables", "Environment variables"],
  ["time", "Times and time zones"],
  ["timezone", "Times and time zones"],
  ["windows", "Environment variables"],
  ["CSV", "Output formats and fields"],
  ["docker", "amp in CI"],
  ["proxy", "Requests, limits and TLS"],
])("amp help %s is about: %s", async (word, title) => {
  const { code, stdout } = await run(["help", word]);
  expect(code).toBe(0);
  expect(stdout.startsWith(title)).toBe(true);
});

it("amp help leads a mistyped word to the nearest topic, by any of its names", async () => {
  const { code, stderr } = await run(["help", "proxi"]);
  expect(code).toBe(2);
  expect(stderr).toContain("Did you mean the topic proxy?\n  Try: amp help proxy\n");
});

it("amp help environment has the ten variables that matter first, and each once", async () => {
  const { stdout } = await run(["help", "environment"]);
  const [, , first = ""] = stdout.split("\n\n");
  expect(first.match(/^ {2}\S+/gmu)).toHaveLength(10);
  expect(first).toContain("AMP_BASE_URL");
  const names = stdout.split("\n\nAn amp variable")[0]?.match(/^ {2}[A-Z]\S+/gmu) ?? [];
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(60);
});
