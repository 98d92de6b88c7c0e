import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { commandEntries } from "../command-tree.ts";
import { ROOT } from "./program.ts";
import { homeAt, routingAt, startSandbox } from "./sandbox.ts";

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
  readonly steps?: readonly { readonly name?: string; readonly run?: string }[];
  readonly script?: readonly string[];
}

/** The shell lines of the jobs of a page, in order; those that download amp are left out. */
function scriptsOf(page: string): { job: string; script: string }[] {
  return blocksOf(page)
    .filter(({ tag }) => tag === "workflow")
    .flatMap(({ text }) => {
      const { jobs, ...rest } = parse(text) as { jobs?: Record<string, Job> };
      const all = Object.entries((jobs ?? rest) as Record<string, Job>);
      return all.flatMap(([job, { steps, script }]) => {
        const lines = steps
          ? steps.filter(({ name }) => name !== "Install amp").map(({ run }) => run)
          : (script ?? []);
        return lines.flatMap((line) => (line === undefined ? [] : [{ job, script: line }]));
      });
    });
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
  it("has jobs whose shell lines work at the sandbox, in their order and again", async () => {
    const scripts = scriptsOf(page);
    expect(scripts.map(({ job }) => job)).toEqual(
      expect.arrayContaining(["plan", "apply", "drift"]),
    );
    const { url } = await startSandbox();
    const home = homeAt(url);
    const file = blocksOf(page).find(({ tag }) => tag === "routing.yaml");
    writeFileSync(join(home.folder, "routing.yaml"), file?.text ?? "");
    const env = {
      ...home.env,
      CI: "true",
      AMP_STATE: join(home.folder, "state.json"),
      GITHUB_STEP_SUMMARY: join(home.folder, "summary.md"),
    };
    for (const round of ["first", "second"]) {
      for (const { job, script } of scripts) {
        const { status, stderr } = spawnSync("bash", ["-euo", "pipefail", "-c", script], {
          cwd: home.folder,
          env,
          encoding: "utf8",
        });
        expect({ round, job, script, status, stderr }).toMatchObject({ status: 0 });
      }
    }
    const { topics, eventRoutes } = await routingAt(url);
    expect(topics).toContain("lifecycle");
    expect(eventRoutes.filter((route) => route.endsWith("> lifecycle"))).toEqual([
      "installation.created > lifecycle",
      "installation.deleted > lifecycle",
    ]);
  });
});
