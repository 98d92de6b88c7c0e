import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { INVOCATIONS, OFFLINE } from "./invocations.ts";
import {
  globals,
  goodArgs,
  groups,
  type LeafCase,
  leaves,
  namesBelow,
  otherPaths,
  runBad,
  runGood,
} from "./leaves.ts";

beforeEach(() => {
  // Retries wait a random time: none at all here.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const PROBLEM = { "content-type": "application/problem+json" };
const refusing = async () =>
  Response.json(
    { title: "Unauthorized", status: 401, detail: "No such key.", requestId: "req-1" },
    { status: 401, headers: PROBLEM },
  );
/** As Node's own fetch fails where nobody listens. */
const unreachable = async () => {
  const cause = Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:4747"), {
    code: "ECONNREFUSED",
    syscall: "connect",
  });
  throw new TypeError("fetch failed", { cause });
};

/** The error of every command that needs a login: the three ways to get on. */
const NOT_LOGGED_IN = [
  "✗ Not logged in",
  "  Nothing was sent.",
  "  Log in, or set AMP_BASE_URL, AMP_PROJECT and AMP_API_KEY (or AMP_ACCESS_TOKEN), or try the sandbox: while it runs, add --profile sandbox.",
  "  Try: amp auth login",
  "       amp sandbox start\n",
].join("\n");

const online = leaves.filter(({ path }) => !OFFLINE.has(path));
const creating = online.filter(
  ({ path }) => path.startsWith("notify") && / create$| setup$/u.test(path),
);

const takesValue = ({ options }: LeafCase) => options.filter((option) => option.takesValue);

it("has an invocation for each command, and no other", () => {
  expect(Object.keys(INVOCATIONS).sort(), "see test/commands/invocations.ts").toEqual(
    leaves.map(({ path }) => path).sort(),
  );
});

describe.each(leaves)("amp $path", (leaf) => {
  const { path, words, args, options } = leaf;

  it("succeeds, and with --json as JSON", async () => {
    const outcome = await runGood(path, ["--json"]);
    const { noJson, exits: usual = 0 } = INVOCATIONS[path] ?? {};
    const exits = noJson === undefined ? usual : 2;
    expect({ code: outcome.code, stderr: outcome.stderr }).toMatchObject({ code: exits });
    expect(outcome.requests.length > 0).toBe(!OFFLINE.has(path));
    // One that writes undeclared would not show its target, and would be refused late by a guard.
    if (leaf.command.effect !== "write") {
      expect(outcome.requests.filter(({ method }) => method !== "GET")).toEqual([]);
    }
    if (exits !== 0) expect(outcome.error()).toMatchObject({ exitCode: exits });
    else expect(() => outcome.json()).not.toThrow();
    if (noJson !== undefined) expect(outcome.error().message).toContain("--json has no effect on");
  });

  it("prints in JSON no other fields than its help names", async () => {
    if (leaf.command.view === undefined) return;
    const { fields = [] } = leaf.command;
    expect(fields.length, "fields of the command").toBeGreaterThan(0);
    const { code, stdout } = await runGood(path, ["--json"]);
    if (code !== 0) return;
    const shown = [JSON.parse(stdout)].flat() as readonly object[];
    expect(fields).toEqual(expect.arrayContaining(shown.flatMap(Object.keys)));
    expect((await run([...words, "--help"])).stdout).toContain("JSON fields");
  });

  it("prints its help, with an example, and asks nobody", async () => {
    const { code, stdout, stderr, requests } = await run([...words, "--help"]);
    expect({ code, stderr, requests }).toEqual({ code: 0, stderr: "", requests: [] });
    expect(stdout).toContain(`Usage: amp ${path}`);
    expect(stdout).toMatch(/^ {2}.*\bamp /mu);
    for (const node of [...args, ...options]) expect(stdout).toContain(node.name);
  });

  it("is reached by its other names", async () => {
    const { stdout } = await run([...words, "--help"]);
    for (const other of otherPaths(path)) {
      expect(await run([...other, "--help"])).toMatchObject({ code: 0, stdout });
    }
  });

  it("refuses an unknown option and names the nearest", async () => {
    for (const name of ["--project", ...options.map((option) => option.name)]) {
      const typo = name + name.at(-1);
      const outcome = await runBad(path, [typo]);
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain(`amp ${path} has no option ${typo}`);
      expect(outcome.stderr).toContain(`Did you mean ${name}?`);
    }
  });

  it("reports an unknown option as JSON", async () => {
    const outcome = await runBad(path, ["--nosuch=secret", "--json"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(JSON.parse(outcome.stderr)).toEqual({
      error: {
        code: "usage",
        name: "option_unknown",
        message: `amp ${path} has no option --nosuch`,
        exitCode: 2,
        suggestion: `amp ${path} --help`,
        ...(leaf.command.effect === "write" ? { done: "Nothing was sent." } : {}),
      },
    });
  });

  it("refuses an argument too many", async () => {
    if (args.some((arg) => arg.repeats)) return;
    const full = args.map(() => "one");
    const outcome = await run([...words, ...full, "surplus"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(`amp ${path} takes `);
    // It may be a secret in the wrong place.
    expect(outcome.stderr).not.toContain("surplus");
  });

  it("names everything that is missing", async () => {
    const mandatory = [...args, ...options].filter((node) => node.mandatory);
    if (mandatory.length === 0) return;
    const outcome = await run(words);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    for (const { name } of mandatory) expect(outcome.stderr).toContain(name);
  });

  it("names one option that is missing", async () => {
    for (const { name } of options.filter((option) => option.mandatory)) {
      const sandbox = sandboxAt();
      const good = goodArgs(path, sandbox);
      const at = good.indexOf(name);
      const outcome = await run([...words, ...good.toSpliced(at, 2)], { sandbox });
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain(`Missing option ${name}\n`);
    }
  });

  it("refuses an empty value by name", async () => {
    for (const { name } of takesValue(leaf)) {
      const outcome = await runBad(path, [name, ""]);
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain(`${name}: `);
    }
    for (const at of args.keys()) {
      const outcome = await run([...words, ...args.map((_, index) => (index === at ? "" : "GET"))]);
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    }
  });

  it("refuses an option without its value", async () => {
    for (const { name, placeholder } of takesValue(leaf)) {
      const outcome = await runBad(path, [name]);
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain(`${name} needs a value: ${name} <${placeholder}>`);
    }
  });

  it("refuses an unknown output and lists those there are", async () => {
    const outcome = await runBad(path, ["--output", "xml"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    const formats = globals.find(({ name }) => name === "--output")?.choices ?? [];
    expect(formats.length).toBeGreaterThan(5);
    expect(outcome.stderr.replaceAll(/\s+/gu, " ")).toContain(formats.join(", "));
  });
});

/** What a failed command says: on stderr alone, but for those whose result it is. */
function errorOf(path: string, { stdout, stderr }: { stdout: string; stderr: string }): string {
  if (path === "auth status" || path === "doctor") return stdout;
  expect(stdout).toBe("");
  return stderr;
}

describe.each(online.filter(({ path }) => path !== "auth login"))("amp $path", ({ path }) => {
  it("says in the words of all commands that nobody is logged in", async () => {
    const world = { cwd: temporaryFolder(), env: { AMP_PROFILE: undefined } };
    const outcome = await runGood(path, [], world);
    expect(outcome).toMatchObject({ code: 4, requests: [] });
    const isFinding = path === "auth status" || path === "doctor";
    expect(errorOf(path, outcome)).toContain(isFinding ? "Not logged in. " : NOT_LOGGED_IN);
  });
});

describe.each(online)("amp $path", ({ path, command }) => {
  it("exits 4 where the key is refused", async () => {
    const outcome = await runGood(path, [], { fetch: refusing });
    expect(outcome.code).toBe(4);
    if (path === "api") expect(outcome.stderr).toContain("401");
    else expect(errorOf(path, outcome)).toContain("401");
    const json = await runGood(path, ["--json"], { fetch: refusing });
    expect(json.error()).toMatchObject({ code: "auth", exitCode: 4, status: 401 });
  });

  it("exits 7 where nobody answers, or 124 where it waits for an answer", async () => {
    const [exitCode, code] = path === "installations wait" ? [124, "timeout"] : [7, "service"];
    const outcome = await runGood(path, [], { fetch: unreachable });
    expect(outcome.code).toBe(exitCode);
    expect(errorOf(path, outcome)).toContain("Could not reach 127.0.0.1:4747: connection refused");
    const json = await runGood(path, ["--json"], { fetch: unreachable });
    expect(json.error()).toMatchObject({ code, exitCode });
  });

  it("sends nothing in a dry run", async () => {
    if (command.effect !== "write") return;
    // One that does not write with these words, and one that has its own way to tell.
    const toldElsewhere = command.writes !== undefined || command.dryRun === "own";
    const { code, requests, stdout } = await runGood(path, ["--dry-run"]);
    expect(code).toBe(0);
    expect(requests.filter(({ method }) => method !== "GET")).toEqual([]);
    if (!toldElsewhere) expect(stdout).toMatch(/nothing was sent/iu);
  });
});

describe.each(creating)("amp $path", ({ path }) => {
  it("says that nothing was done where nobody answers", async () => {
    const { stderr } = await runGood(path, [], { fetch: unreachable });
    expect(stderr).toMatch(/Nothing was (?:created|changed)\./u);
  });

  it("says what it acts on before anything is sent, unless it is to be quiet", async () => {
    const { stderr } = await runGood(path);
    expect(stderr).toMatch(/^Acting as sandbox · project .+ · http:\/\/127\.0\.0\.1:4747\/v1\n/u);
    expect((await runGood(path, ["--quiet"])).stderr).not.toContain("Acting as");
  });
});

describe.each(groups)("amp %s", (path) => {
  it("without a subcommand shows its help", async () => {
    const outcome = await run(path.split(" "));
    expect(outcome).toMatchObject({ code: 0, stderr: "", requests: [] });
    expect(outcome.stdout).toBe((await run([...path.split(" "), "--help"])).stdout);
    for (const name of namesBelow(path)) expect(outcome.stdout).toContain(name);
  });

  it("alone with --json is an error like any other", async () => {
    const { code, stderr } = await run([...path.split(" "), "--json"]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      error: { message: `amp ${path} needs a command`, suggestion: `amp ${path} --help` },
    });
  });

  it("names the nearest of its commands", async () => {
    for (const name of namesBelow(path)) {
      for (const more of [[], ["--help"]]) {
        const typo = `${name}x`;
        const outcome = await run([...path.split(" "), typo, ...more]);
        expect(outcome).toMatchObject({ code: 2, stdout: "" });
        expect(outcome.stderr).toContain(`amp ${path} has no command "${typo}"`);
        expect(outcome.stderr).toContain(`Did you mean ${name}?`);
      }
    }
  });
});
