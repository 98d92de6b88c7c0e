import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { NODE } from "../built.ts";
import { createHome, freePort, ROOT, runShell } from "./program.ts";

const PAGE = readFileSync(join(ROOT, "docs/sandbox.md"), "utf8").split("## In CI")[1] ?? "";
const block = (tag: string) =>
  new RegExp(`^\`\`\`yaml${tag}\\n(.*?)^\`\`\`$`, "msu").exec(PAGE)?.[1] ?? "";

interface Job {
  readonly variables?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly steps?: readonly { readonly run?: string }[];
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly after_script?: readonly string[];
}

/** The environment of a job, and its lines in the parts that have a shell of their own. */
function partsOf({ env, variables, steps, before_script = [], script = [], after_script }: Job) {
  const shells = steps?.map(({ run = "" }) => run) ?? [
    [...before_script, ...script].join("\n"),
    (after_script ?? []).join("\n"),
  ];
  return { env: { ...env, ...variables }, shells };
}

const createTime = "2026-01-01T00:00:00.000Z";
const SUITES = join(ROOT, "test/e2e/suites");
/** In place of the user's: suites of 50 tests at once. */
const PYTHON = `python3 ${SUITES}/sandbox.py`;
const BOTH = `${NODE} --test ${SUITES}/sandbox.mjs && amp sandbox reset && ${PYTHON}`;

describe.each([
  ["github", (file: { jobs: { test: Job } }) => file.jobs.test, BOTH],
  ["gitlab", (file: { test: Job }) => file.test, PYTHON],
] as const)("the job for %s of docs/sandbox.md", (name, jobOf, tests) => {
  it("starts the sandbox, runs tests against it and stops it", async () => {
    const home = createHome();
    const projects = Array.from({ length: 50 }, (_, number) => ({
      ...{ id: `prj_${number}`, name: `p${number}`, appName: "Shop", orgId: "org_1", createTime },
    }));
    writeFileSync(join(home.folder, "world.json"), JSON.stringify({ projects }));
    const port = await freePort();
    const { env, shells } = partsOf(jobOf(parse(block(` ${name}`)) as never));
    const here = (text: string) => text.replaceAll("4747", port);
    const jobEnv = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, here(value)]),
    );
    let output = "";
    for (const lines of shells) {
      const line = here(lines)
        .replaceAll(/^curl .*install\.sh.*$/gmu, "")
        .replace("amp sandbox start", `amp sandbox start --world world.json --port ${port}`)
        .replace(/^npm test$/mu, tests);
      const ran = await runShell(`set -e\n${line}`, { home, env: jobEnv });
      output += ran.stdout + ran.stderr;
      expect(ran.code, `${line}\n${output}`).toBe(0);
    }
    expect(output).toMatch(/^Ran 50 tests/mu);
    const isBoth = tests === BOTH;
    expect(output.includes("pass 50\n")).toBe(isBoth);
    const pid = readFileSync(join(home.folder, "sandbox.pid"), "utf8").trim();
    await expect.poll(() => existsSync(`/proc/${pid}`)).toBe(false);
    const log = readFileSync(join(home.folder, "sandbox.log"), "utf8");
    expect(log).toContain(`#${jobEnv.AMP_SANDBOX_TOKEN}\n`);
    expect(log.match(/ delivered 20[04] /gu)).toHaveLength(isBoth ? 100 : 50);
  });
});

it("the image of docs/sandbox.md is a service of both", () => {
  const [github, gitlab] = parseAllDocuments(block("")).map((one) => one.toJS());
  expect(github.services.sandbox.ports).toEqual(["4747:4747"]);
  expect(gitlab.services[0]).toMatchObject({ alias: "sandbox" });
  expect(gitlab.services[0].name).toBe(github.services.sandbox.image);
});
