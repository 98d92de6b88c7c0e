import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROUTING_RULES } from "../../../src/notify/checks/rules.ts";
import { ROOT } from "../../built.ts";
import { run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
require: [connection.error]
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
topics:
  lifecycle: { events: [installation.created], destinations: [ops] }
  trouble: { events: [billing.paid] }
`;
const GOOD = ROUTING.replace(
  "{ events: [billing.paid] }",
  "{ events: [connection.error], destinations: [ops] }",
);
const NOTHING = {
  NO_COLOR: "1",
  AMP_BASE_URL: undefined,
  AMP_API_KEY: undefined,
  AMP_PROJECT: undefined,
};

function place(text = ROUTING) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), text);
  return {
    cwd,
    check: (...more: string[]) =>
      run(["notify", "check", "-f", "routing.yaml", ...more], {
        cwd,
        env: NOTHING,
        tty: !more.includes("--json"),
        columns: 80,
      }),
  };
}

/** What stderr has in a pipe: the title of the page, whose findings are rows on stdout. */
const TITLE = "Check of routing.yaml  1 error, 2 warnings, 8 rules checked\n";

describe("amp notify check -f", () => {
  it("shows each finding with its place and what to do", async () => {
    const { code, stdout, stderr, requests } = await place().check();
    expect({ code, stderr, requests }).toEqual({ code: 8, stderr: "", requests: [] });
    expect(stdout).toMatchSnapshot();
  });

  it.each([
    ["a terminal", true],
    ["a pipe", false],
  ])("prints nothing that passes with --quiet: %s", async (_, tty) => {
    const { cwd } = place(GOOD);
    writeFileSync(join(cwd, "other.yaml"), GOOD);
    writeFileSync(join(cwd, "odd.yaml"), GOOD.replace("type: webhook", "type: pigeon"));
    const check = (words: string) =>
      run(["notify", "check", "-f", "routing.yaml", ...words.split(" ")], {
        cwd,
        env: NOTHING,
        tty,
      });
    for (const words of ["-q", "-q -f other.yaml"]) {
      expect(await check(words)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    }
    expect((await check("-q --json")).json()).toMatchObject({ errors: 0 });
    expect((await check("-q -f odd.yaml")).stdout).toContain("odd.yaml");
    expect((await check("-q --require connection.created")).code).toBe(8);
  });

  it("has the warnings of the file that no finding repeats", async () => {
    const { check } = place(ROUTING.replace("type: webhook", "type: pigeon"));
    const word = expect.stringContaining('Unknown destination type "pigeon"');
    const json = (await check("--json")).json() as { fileWarnings: string[] };
    expect(json.fileWarnings).toEqual([word]);
    expect((await check("-o", "markdown")).stdout).toEqual(word);
    expect((await check()).stdout).toContain('"pigeon"');
  });

  it("writes a line for each finding in a pipe, and a row in Markdown", async () => {
    const { cwd } = place();
    const argv = ["notify", "check", "-f", "routing.yaml"];
    const { stdout, stderr } = await run(argv, { cwd, env: NOTHING });
    // What a person reads beside the rows is not on stdout.
    expect(stderr).toBe(TITLE);
    expect(stdout.trimEnd().split("\n")).toHaveLength(3);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      "error\tThe required event type connection.error reaches no destination.\tAdd the event type to a topic that has a destination.\trouting.yaml:2:11\trequired-event",
      "warning\tTopic trouble has no destination.\tAdd a destination to the topic, or remove it.\trouting.yaml:7:3\ttopic-without-destination",
    ]);
    const markdown = (await run([...argv, "-o", "markdown"], { cwd, env: NOTHING })).stdout;
    expect(markdown).toContain(
      "| warning | Topic trouble has no destination. | Add a destination to the topic, or remove it. |",
    );
  });

  it("says that there is nothing to say", async () => {
    const { code, stdout } = await place(GOOD).check();
    expect(code).toBe(0);
    expect(stdout).toBe(`No problems in routing.yaml${" ".repeat(38)}8 rules checked\n`);
    const unset = GOOD.replace(/https:[^ ,}]*/u, '"env:NOT_SET_HERE"');
    const doubted = await place(unset).check();
    expect(doubted.stdout).toMatch(/^routing\.yaml: 1 warning +8 rules checked\n/u);
    expect(doubted.stdout).toContain("NOT_SET_HERE is not set");
  });

  it("writes the findings as JSON, and the reason of the exit code on stderr", async () => {
    const outcome = await place().check("--json");
    expect(outcome.code).toBe(8);
    const message =
      "1 error and 2 warnings: required-event, topic-without-destination, unknown-event";
    expect(outcome.error()).toMatchObject({ code: "check", exitCode: 8, message });
    expect(outcome.json()).toMatchObject({
      file: "routing.yaml",
      errors: 1,
      warnings: 2,
      findings: [
        {
          rule: "required-event",
          severity: "error",
          message: "The required event type connection.error reaches no destination.",
          event: "connection.error",
          line: 2,
          column: 11,
        },
        { rule: "topic-without-destination", severity: "warning", topic: "trouble", line: 7 },
        { rule: "unknown-event", severity: "warning", event: "billing.paid", line: 7 },
      ],
      unchecked: [{ rule: "missing-read-destination" }],
    });
  });

  it.each([
    { args: ["--skip", "required-event"], code: 0 },
    { args: ["--skip", "required-event", "--strict"], code: 8 },
    { args: ["--rule", "topic-without-events,duplicate-delivery", "--strict"], code: 0 },
    { args: ["--rule", "unknown-event"], code: 0 },
    { args: ["--rule", "unknown-event", "--skip", "unknown-event", "--strict"], code: 0 },
    { args: ["--rule", "required-event", "--require", "installation.created"], code: 8 },
  ])("ends with $code for $args", async ({ args, code }) => {
    expect((await place().check(...args)).code).toBe(code);
  });

  it("requires the event types of the option, too", async () => {
    const good = place(GOOD);
    expect((await good.check("--require", "installation.created,connection.error")).code).toBe(0);
    const outcome = await good.check("--require", "write.async.done,connection.error", "--json");
    expect(outcome.code).toBe(8);
    expect(outcome.json()).toMatchObject({ findings: [{ event: "write.async.done" }] });
  });

  it("prints the rules that were broken with --output id", async () => {
    const { stdout } = await place().check("-o", "id");
    expect(stdout).toBe("required-event\ntopic-without-destination\nunknown-event\n");
  });

  it("refuses a rule that does not exist, and an event type that cannot be one", async () => {
    expect(await place().check("--rule", "nosuch")).toMatchObject({ code: 2, stdout: "" });
    expect(await place().check("--require", "foo.*")).toMatchObject({ code: 2, stdout: "" });
  });
});

describe("amp notify check", () => {
  const live = (...more: string[]) =>
    run(["notify", "check", "--project", "globex-staging", "--json", ...more], {
      sandbox: sandboxAt(),
    });

  it("checks the routing that the service lists, and the reads of its customers", async () => {
    const outcome = await live();
    expect(outcome.json()).toMatchObject({ project: "globex-staging", unchecked: [] });
    const { findings } = outcome.json() as { findings: { rule: string; line?: number }[] };
    for (const { line } of findings) expect(line).toBeUndefined();
  });

  it("finds reads that name no existing destination", async () => {
    // The main project of this sandbox has installations, and no routing.
    const argv = ["notify", "check", "--rule", "missing-read-destination", "--json"];
    const outcome = await run(argv, { sandbox: sandboxAt() });
    expect(outcome.code).toBe(8);
    const { findings } = outcome.json() as { findings: { destination: string }[] };
    expect(findings.map(({ destination }) => destination)).toMatchInlineSnapshot(`
      [
        "acme-webhook",
      ]
    `);
  });

  it("takes a read for one of several destinations of its name", async () => {
    const sandbox = sandboxAt();
    const twice = ["dst_1", "dst_2"].map((id) => ({ id, name: "acme-webhook", type: "webhook" }));
    const fetch = async (request: Request) =>
      request.url.endsWith("/destinations") ? Response.json(twice) : sandbox.fetch(request);
    const argv = ["notify", "check", "--rule", "missing-read-destination", "--json"];
    const { code, stdout } = await run(argv, { sandbox, fetch });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, findings: [] });
  });

  it("lists no installations for rules that do not look at reads", async () => {
    const { requests } = await live("--rule", "unknown-event");
    expect(requests.map(({ path }) => path).filter((path) => /installations/u.test(path))).toEqual(
      [],
    );
  });

  it("says where the installations cannot be listed", async () => {
    const sandbox = sandboxAt();
    const fetch = async (request: Request) =>
      /\/(?:installations|integrations)\b/u.test(request.url)
        ? Response.json({ title: "Forbidden", status: 403 }, { status: 403 })
        : sandbox.fetch(request);
    const argv = ["notify", "check", "--project", "globex-staging", "--strict"];
    const { code, stdout } = await run(argv, { sandbox, fetch, tty: true, columns: 120 });
    expect(code).toBe(0);
    expect(stdout).toContain("missing-read-destination: ");
  });
});

describe("reports", () => {
  const kinds = ["--report", "sarif=check.sarif", "--report", "junit=check.xml"];

  it("are written to the files that are named, whatever was found", async () => {
    for (const text of [ROUTING, GOOD]) {
      const { cwd, check } = place(text);
      const outcome = await check(...kinds, "--json");
      expect(outcome.code).toBe(text === GOOD ? 0 : 8);
      const sarif = JSON.parse(readFileSync(join(cwd, "check.sarif"), "utf8"));
      expect(sarif.runs[0].results).toHaveLength(text === GOOD ? 0 : 3);
      expect(readFileSync(join(cwd, "check.xml"), "utf8")).toContain("<testsuites ");
    }
  });

  it("name a rule that was not checked by its title, with the reason beside it", async () => {
    const { cwd, check } = place(GOOD);
    await check("--report", "junit=check.xml");
    const skipped = / name="([^"]+)"[^>]*>\s*<skipped\/>\s*<system-out>(.*?)<\/system-out>/u;
    const [, name, reason] = skipped.exec(readFileSync(join(cwd, "check.xml"), "utf8")) ?? [];
    expect(name).toBe("The destination of each customer's read exists");
    expect(reason).toContain("a file does not contain the reads of customers");
  });

  it("name the mistakes of a file that is not valid, as annotations do", async () => {
    const { cwd } = place("version: 1\ntopics:\n  a: { evnts: [] }\n");
    const argv = ["notify", "check", "-f", "routing.yaml", ...kinds];
    const env = { ...NOTHING, GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: undefined };
    const { code, stderr } = await run(argv, { cwd, env });
    expect(code).toBe(2);
    expect(stderr).toContain("::error file=routing.yaml,line=3,");
    expect(readFileSync(join(cwd, "check.xml"), "utf8")).toContain("(routing.yaml:3:");
    const sarif = JSON.parse(readFileSync(join(cwd, "check.sarif"), "utf8"));
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "valid-file", level: "error" });
  });

  it("are written for a file that does not exist, too", async () => {
    const { cwd } = place();
    const argv = ["notify", "check", "-f", "gone.yaml", ...kinds];
    const { code, stderr } = await run(argv, { cwd, env: NOTHING });
    expect(code).toBe(2);
    expect(stderr).toContain("Cannot read gone.yaml: file not found");
    expect(readFileSync(join(cwd, "check.xml"), "utf8")).toContain("Cannot read gone.yaml");
    const sarif = JSON.parse(readFileSync(join(cwd, "check.sarif"), "utf8"));
    expect(sarif.runs[0].results[0]).toMatchObject({ ruleId: "valid-file", level: "error" });
  });

  it("create their folder", async () => {
    const { cwd, check } = place(GOOD);
    expect((await check("--report", "junit=reports/ci/check.xml")).code).toBe(0);
    expect(readFileSync(join(cwd, "reports/ci/check.xml"), "utf8")).toContain("<testsuites ");
  });

  it("replace a file only with --overwrite", async () => {
    const { cwd, check } = place();
    writeFileSync(join(cwd, "check.xml"), "mine");
    const refused = await check("--report", "junit=check.xml");
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toContain("check.xml already exists");
    expect(readFileSync(join(cwd, "check.xml"), "utf8")).toBe("mine");
    expect((await check("--report", "junit=check.xml", "--overwrite")).code).toBe(8);
    expect(readFileSync(join(cwd, "check.xml"), "utf8")).toContain("<testsuites ");
  });

  it.each(["junit", "junit=", "junit=-", "html=a", "=a"])("refuse %s", async (typed) => {
    const { code, stderr } = await place().check("--report", typed);
    expect(code).toBe(2);
    expect(stderr).toContain("must be junit=FILE or sarif=FILE");
  });
});

describe("annotations", () => {
  const ACTIONS = { ...NOTHING, GITHUB_ACTIONS: "true", GITHUB_WORKSPACE: undefined };
  const argv = ["notify", "check", "-f", "routing.yaml"];
  const odd = ROUTING.replaceAll("trouble", '"50%, a:\\nb"');

  it("mark the places of the file, with what would end them escaped", async () => {
    const { stderr } = await run(argv, { cwd: place(odd).cwd, env: ACTIONS });
    expect(stderr).toBe(
      [
        "::error file=routing.yaml,line=2,col=11,title=required-event::The required event type connection.error reaches no destination. Add the event type to a topic that has a destination.",
        "::warning file=routing.yaml,line=7,col=3,title=topic-without-destination::Topic 50%25, a:%0Ab has no destination. Add a destination to the topic, or remove it.",
        "::warning file=routing.yaml,line=7,col=28,title=unknown-event::Topic 50%25, a:%0Ab receives the unknown event type billing.paid. Correct the name; amp notify events lists the known ones. The service may have others.\n",
      ].join("\n") + TITLE,
    );
  });

  it("of --require mark the beginning of the file, which does not contain the event", async () => {
    const more = ["--require", "read.backfill.done"];
    const { stderr } = await run([...argv, ...more], { cwd: place(GOOD).cwd, env: ACTIONS });
    expect(stderr).toContain("::error file=routing.yaml,line=1,title=required-event::");
  });

  it("name the file from the checkout, its separators escaped", async () => {
    const { cwd } = place();
    writeFileSync(join(cwd, "a,b:c.yaml"), ROUTING);
    const env = { ...ACTIONS, GITHUB_WORKSPACE: join(cwd, "..") };
    const { stderr } = await run(["notify", "check", "-f", "a,b:c.yaml"], { cwd, env });
    expect(stderr).toContain(`::error file=${basename(cwd)}/a%2Cb%3Ac.yaml,line=2,`);
  });

  it("are written where a file or variable sets the format, which no program asked for", async () => {
    const { cwd } = place();
    writeFileSync(join(cwd, ".amp.yaml"), "output: json\n");
    const byFile = await run(argv, { cwd, env: ACTIONS });
    expect(byFile.stderr).toContain("::error file=routing.yaml,line=2,");
    expect(byFile.error()).toMatchObject({ exitCode: 8 });
    const byVariable = await run(argv, { cwd, env: { ...ACTIONS, AMP_OUTPUT: "json" } });
    expect(byVariable.stderr).toContain("::error file=routing.yaml,line=2,");
  });

  it("are not written with --json, to a file, or elsewhere", async () => {
    const { cwd } = place();
    const json = await run([...argv, "--json"], { cwd, env: ACTIONS });
    expect(Object.keys(json.error())).toEqual(["code", "name", "message", "exitCode"]);
    for (const world of [{ env: ACTIONS, toFiles: true }, { env: NOTHING }]) {
      expect((await run(argv, { cwd, ...world })).stderr).toBe(TITLE);
    }
  });
});

describe("the rules that a file has for itself", () => {
  const argvs = [["plan"], ["apply", "--yes"], ["apply", "--dry-run"]];

  it.each(argvs)("are obeyed by amp notify %s before anything is sent", async (verb, ...more) => {
    const argv = ["notify", verb, "-f", "routing.yaml", ...more];
    const { code, stdout, stderr, requests } = await run(argv, {
      sandbox: sandboxAt(),
      cwd: place().cwd,
    });
    expect({ code, stdout, requests }).toEqual({ code: 8, stdout: "", requests: [] });
    expect(stderr).toContain(
      "routing.yaml:2:11: The required event type connection.error reaches no destination.",
    );
    const good = await run(argv, { sandbox: sandboxAt(), cwd: place(GOOD).cwd });
    expect(good.code).toBe(0);
  });
});

describe("the rules", () => {
  it("are those of docs/checks.md", () => {
    const docs = readFileSync(join(ROOT, "docs/checks.md"), "utf8");
    const [, chapter = ""] = docs.split("# Checks of a routing");
    const rows = [
      ...(chapter.split(/^## /mu)[0] ?? "").matchAll(
        /^\| `(?<id>[\w-]+)` \| (?<severity>\w+) \| (?<title>.+) \|$/gmu,
      ),
    ];
    expect(rows.map(([, id, severity, title]) => [id, severity, title])).toEqual(
      Object.entries(ROUTING_RULES).map(([id, { severity, title }]) => [id, severity, title]),
    );
  });
});
