import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { commandEntries } from "../command-tree.ts";
import { SANDBOX_API_KEY } from "../platform.ts";
import { ROOT } from "./program.ts";
import { ask, routingAt, startSandbox } from "./sandbox.ts";
import { stockMachine } from "./stock-image.ts";

interface Block {
  readonly tag: string;
  readonly text: string;
}

/** The fenced blocks of a page that carry a tag after their language. */
function blocksOf(page: string): Block[] {
  const markdown = readFileSync(join(ROOT, "docs", page), "utf8");
  return [...markdown.matchAll(/^```yaml (\S+)\n([\s\S]*?)^```$/gmu)].map(([, tag, text]) => ({
    tag: tag ?? "",
    text: text ?? "",
  }));
}

interface Job {
  readonly needs?: string | readonly string[];
  readonly when?: string;
  readonly environment?: string;
  readonly steps?: readonly { readonly run?: string }[];
  readonly script?: readonly string[];
}

interface Page {
  readonly jobs: Readonly<Record<string, Job>>;
  /** The shell lines of a job: each script is a step. */
  readonly scripts: (job: string) => string[];
}

/** The jobs of a page, which runs as it is there. */
function pageOf(page: string): Page {
  const workflows = blocksOf(page)
    .filter(({ tag }) => tag === "workflow")
    .map(({ text }) => parse(text) as { jobs?: Record<string, Job>; default?: Before });
  const before = workflows.flatMap((one) => one.default?.before_script ?? []);
  const jobs = Object.assign({}, ...workflows.map(({ jobs, ...rest }) => jobs ?? rest));
  const scripts = (name: string) => {
    const { steps, script } = jobs[name] as Job;
    // GitLab runs all lines of a job in one shell.
    if (steps === undefined) return [[...before, ...(script ?? [])].join("\n")];
    return steps.flatMap(({ run }) => run ?? []);
  };
  return { jobs, scripts };
}

interface Before {
  readonly before_script?: readonly string[];
}

it("explains the exit codes of its commands in docs/cookbook-github.md", async () => {
  const page = readFileSync(join(ROOT, "docs/cookbook-github.md"), "utf8");
  const explained = [...page.matchAll(/^\| (\d+) \|/gmu)].map(([, code]) => Number(code));
  const paths = ["notify plan", "notify apply", "notify check"];
  const nodes = (await commandEntries()).filter(({ command }) =>
    paths.some((path) => command === `amp ${path}`),
  );
  expect(nodes).toHaveLength(paths.length);
  const codes = nodes.flatMap(({ exitCodes }) => exitCodes.map(({ code }) => code));
  expect(explained).toEqual([...new Set([...codes, 124])].sort((a, b) => a - b));
});

describe.each(["cookbook-github.md", "cookbook-gitlab.md"])("docs/%s", (page) => {
  const isGithub = page.includes("github");

  it("plans, waits for an approval and applies the plan, installation included", {
    timeout: 600_000,
  }, async () => {
    const { jobs, scripts } = pageOf(page);
    expect([jobs.apply?.needs].flat()).toEqual(["plan"]);
    expect(jobs.apply?.environment).toBe("notification-routing");
    const { url } = await startSandbox();
    const machine = stockMachine(url);
    const { folder } = machine;
    const file = blocksOf(page).find(({ tag }) => tag === "routing.yaml");
    writeFileSync(join(folder, "routing.yaml"), file?.text ?? "");
    const env = {
      CI: "true",
      ...(isGithub ? { GITHUB_ACTIONS: "true" } : { GITLAB_CI: "true" }),
      AMP_STATE: join(folder, "state.json"),
      AMP_ALLOW_ENV: "HOOK_TOKEN,CLICKHOUSE_PASSWORD",
      HOOK_TOKEN: "Bearer token-of-the-hook",
      CLICKHOUSE_PASSWORD: "password-of-the-warehouse",
      // Otherwise the list of somebody else's change would be waited for.
      AMP_COMMIT_HORIZON: "1s",
      PULL_REQUEST: "12",
      CI_API_V4_URL: "https://gitlab.example.com/api/v4",
      CI_PROJECT_ID: "7",
      ISSUES_TOKEN: "token-of-issues",
    };
    const runJob = (job: string) => {
      for (const script of scripts(job)) {
        const { status, stdout, stderr } = machine.run(script, env);
        expect({ job, script, status, stdout, stderr }).toMatchObject({ status: 0 });
        expect(stdout + stderr).not.toMatch(/token-of-the-hook|password-of-the-warehouse/u);
      }
    };
    for (const job of ["check", "plan", "apply", "drift", "plan", "apply"]) runJob(job);
    const { topics, eventRoutes, destinations } = await routingAt(url);
    expect(topics).toContain("lifecycle");
    expect(destinations.map(({ name }) => name).sort()).toEqual(["ops-webhook", "warehouse"]);
    expect(eventRoutes).toEqual([
      "installation.created > lifecycle",
      "installation.deleted > lifecycle",
    ]);
    // What somebody changes outside the file is one issue until it is put back.
    const [hook] = await ask<{ id: string }[]>(url, "destinations");
    const changed = await fetch(`${url}/projects/acme/destinations/${hook?.id}`, {
      method: "PATCH",
      headers: { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" },
      body: JSON.stringify({
        updateMask: ["metadata.url"],
        destination: { metadata: { url: "https://hooks.acme.com/other" } },
      }),
    });
    expect(changed.status).toBe(200);
    for (const job of ["drift", "drift", "plan", "apply", "drift", "drift"]) runJob(job);
    const asked = machine.asked().map((line) => line.split(" ")[0]);
    expect(asked.filter((what) => what !== "comment")).toEqual(["open", "edit", "close"]);
    expect(asked.includes("comment")).toBe(isGithub);
    expect(readFileSync(join(folder, "drift.md"), "utf8")).toMatch(/In sync: 7 resources/u);
  });
});
