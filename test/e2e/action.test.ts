import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { NODE } from "../built.ts";
import { run } from "../harness.ts";
import { MAIN_PROJECT, SANDBOX_API_KEY } from "../platform.ts";
import { createHome, isBundle, ROOT, start } from "./program.ts";
import { routingAt, startSandbox } from "./sandbox.ts";

interface Action {
  readonly inputs: Readonly<Record<string, { required?: boolean; default?: string }>>;
  readonly outputs: object;
  readonly runs: { readonly using: string; readonly main: string };
}

const action = parse(readFileSync(join(ROOT, "action.yml"), "utf8")) as Action;

const ROUTING = `version: 1
name: ops
destinations:
  hook:
    type: webhook
    metadata: { url: https://hooks.acme.com/amp, headers: { Authorization: env:HOOK_TOKEN } }
topics:
  lifecycle: { events: [installation.created], destinations: [hook] }
`;
const HOOK_TOKEN = "token-of-the-hook";

/** A checkout on a runner; each step runs the action there as GitHub's runner does. */
function runner() {
  const home = createHome();
  const file = (name: string) => join(home.folder, name);
  writeFileSync(file("routing.yaml"), ROUTING);
  writeFileSync(file("inputs.yaml"), ROUTING.replace("HOOK_TOKEN", "INPUT_RUN"));
  let nth = 0;
  return async (given: Readonly<Record<string, string>>) => {
    nth += 1;
    const inputs = Object.entries(action.inputs).map(([name, { default: usual = "" }]) => [
      `INPUT_${name.replaceAll(" ", "_").toUpperCase()}`,
      given[name] ?? usual,
    ]);
    for (const [name, { required }] of Object.entries(action.inputs)) {
      if (required) expect(given).toHaveProperty(name);
    }
    const files = { GITHUB_OUTPUT: "output", GITHUB_STEP_SUMMARY: "summary", GITHUB_ENV: "env" };
    const paths = Object.entries(files).map(([name, to]) => [name, file(`${to}-${nth}`)]);
    for (const [, path] of paths) writeFileSync(path ?? "", "");
    const { code, stdout, stderr } = await start([NODE, join(ROOT, action.runs.main)], {
      home,
      env: {
        CI: "true",
        GITHUB_ACTIONS: "true",
        HOOK_TOKEN,
        AMP_ALLOW_ENV: "HOOK_TOKEN,INPUT_*",
        AMP_COMMIT_HORIZON: "1s",
        ...Object.fromEntries([...paths, ...inputs]),
      },
    }).ended;
    const read = (to: string) => readFileSync(file(`${to}-${nth}`), "utf8");
    const outputs = read("output")
      .split("\n")
      .filter(Boolean)
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
    expect(read("env")).toBe("");
    const log = stdout + stderr;
    const errors = log.split("\n").filter((line) => line.startsWith("::error"));
    return {
      code,
      log: masked(log),
      errors,
      outputs: Object.fromEntries(outputs),
      summary: read("summary"),
    };
  };
}

/** A log as the runner keeps it: what an earlier line masked is not in it. */
function masked(log: string): string {
  const masks = [HOOK_TOKEN];
  const lines = log.split("\n").map((line) => {
    const [, mask] = /^::add-mask::(.+)$/u.exec(line) ?? [];
    if (mask !== undefined) masks.push(mask);
    return mask === undefined ? masks.reduce((text, one) => text.replaceAll(one, "***"), line) : "";
  });
  return lines.join("\n");
}

it("has inputs that are variables of amp, but for its own", async () => {
  const own = ["run", "summary", "outputs", "working-directory"];
  const { stdout } = await run(["help", "environment"]);
  const others = Object.keys(action.inputs).filter((name) => !own.includes(name));
  expect(others.length).toBeGreaterThan(8);
  for (const name of others) {
    expect(stdout).toMatch(new RegExp(`^  AMP_${name.toUpperCase().replaceAll("-", "_")} `, "mu"));
  }
  expect(action.runs.using).toBe("node24");
  expect(existsSync(join(ROOT, action.runs.main))).toBe(true);
});

describe.runIf(isBundle)("the action on a runner", () => {
  it("checks, plans and applies a routing file", async () => {
    const { url } = await startSandbox();
    const step = runner();
    const login = { "base-url": url, "api-key": SANDBOX_API_KEY, project: MAIN_PROJECT };
    const check = await step({ run: "notify check -f routing.yaml" });
    expect(check).toMatchObject({ code: 0, errors: [], outputs: { "exit-code": "0" } });
    expect(check.summary).toContain("No problems in routing.yaml");

    const plan = await step({
      ...login,
      run: "amp notify plan -f 'routing.yaml'",
      outputs: "counts",
    });
    expect(plan).toMatchObject({ code: 0, errors: [], summary: "" });
    expect(plan.outputs).toMatchObject({ RESULT_COUNTS_CREATE: "4", "exit-code": "0" });
    const drift = await step({ ...login, run: "notify plan -f routing.yaml --exit-code" });
    expect(drift).toMatchObject({ code: 8, outputs: { "exit-code": "8" } });
    expect(drift.errors).toHaveLength(1);
    expect(drift.summary).toContain("4 to create");

    const apply = await step({ ...login, run: "notify apply -f routing.yaml --yes" });
    expect(apply).toMatchObject({ code: 0, errors: [], outputs: { "exit-code": "0" } });
    expect(apply.summary).toContain("| topic/lifecycle |");
    expect((await routingAt(url)).eventRoutes).toEqual(["installation.created > lifecycle"]);
    for (const { log, summary, outputs } of [check, plan, drift, apply]) {
      expect(log + summary + JSON.stringify(outputs)).not.toContain(SANDBOX_API_KEY);
      expect(log + summary + JSON.stringify(outputs)).not.toContain(HOOK_TOKEN);
    }
  });

  it("passes the exit code of a failure through, with one annotation", async () => {
    const { url } = await startSandbox();
    const step = runner();
    const refused = await step({
      "base-url": url,
      "api-key": "no-such-key",
      project: MAIN_PROJECT,
      run: "notify apply -f routing.yaml --yes",
    });
    expect(refused).toMatchObject({ code: 4, outputs: { "exit-code": "4" } });
    expect(refused.errors).toEqual([expect.stringMatching(/^::error title=amp::.*401/u)]);
  });

  it("leaves it to the annotations of a check", async () => {
    const step = runner();
    const check = await step({
      run: "notify check -f routing.yaml --require installation.deleted",
    });
    expect(check).toMatchObject({ code: 8, outputs: { "exit-code": "8" } });
    expect(check.errors).toEqual([expect.stringMatching(/^::error file=routing\.yaml,.*title=/u)]);
  });

  it("masks a credential before amp can name it, and hides its inputs from amp", async () => {
    const step = runner();
    const { log } = await step({ "api-key": "hidden-key", run: "notify check -f hidden-key.yaml" });
    expect(log).toContain("Cannot read ***.yaml");
    expect(log).not.toContain("hidden-key");
    // A routing file may read what is allowed, and no input is there.
    const read = await step({ run: "notify check -f inputs.yaml" });
    expect(read.summary).toContain("variable `INPUT_RUN` is not set");
  });

  it.each([
    ["notify check -f 'routing.yaml", "", "with its quotes closed"],
    [" ", "", "must be one command of amp"],
    ["notify plan --json", "counts", "cannot be combined"],
  ])("refuses run: %s", async (line, outputs, says) => {
    const refused = await runner()({ run: line, outputs });
    expect(refused).toMatchObject({ code: 2, outputs: { "exit-code": "2" } });
    expect(refused.errors).toEqual([expect.stringContaining(says)]);
  });

  it("takes words as a shell quotes them, without a shell", async () => {
    const step = runner();
    const { log, code } = await step({
      run: 'notify check\n  -f "a \\"b\\".yaml" -f \'c=$HOME `id`.yaml\' -f x\\ y.yaml',
    });
    expect(code).toBe(2);
    for (const name of ['a "b".yaml', "c=$HOME `id`.yaml", "x y.yaml"]) {
      expect(log).toContain(`Cannot read ${name}`);
    }
  });

  it("interrupts amp where its job is cancelled, and waits for it", async () => {
    const running = start([NODE, join(ROOT, action.runs.main)], {
      env: { INPUT_RUN: "sandbox start --port 0 --quiet", INPUT_SUMMARY: "false" },
    });
    const url = await running.firstLine();
    running.child.kill("SIGINT");
    expect(await running.ended).toMatchObject({ code: expect.toBeOneOf([0, 130]), signal: null });
    await expect(fetch(url)).rejects.toThrow();
  });
});
