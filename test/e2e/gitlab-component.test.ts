import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { MAIN_PROJECT } from "../platform.ts";
import { ROOT } from "./program.ts";
import { routingAt, startSandbox } from "./sandbox.ts";
import { stockMachine } from "./stock-image.ts";

interface Input {
  readonly description?: string;
  readonly default?: string;
  readonly options?: readonly string[];
}

interface Job {
  readonly extends?: string;
  readonly stage?: string;
  readonly image?: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly before_script?: readonly string[];
  readonly script?: readonly string[];
  readonly needs?: readonly string[];
  readonly rules?: readonly Readonly<Record<string, unknown>>[];
}

const [spec, jobs] = parseAllDocuments(readFileSync(join(ROOT, "templates/amp.yml"), "utf8")).map(
  (document) => document.toJS(),
) as [{ spec: { inputs: Readonly<Record<string, Input>> } }, unknown];
const { inputs } = spec.spec;

/** The jobs as GitLab includes them with these inputs. */
function included(given: Readonly<Record<string, string>>): Record<string, Job> {
  for (const name of Object.keys(given)) expect(inputs, "unknown input").toHaveProperty(name);
  const inputOf = (name: string): string => {
    const value = given[name] ?? inputs[name]?.default;
    if (value === undefined) throw new Error(`${name} is required`);
    const { options = [value] } = inputs[name] ?? {};
    if (!options.includes(value)) throw new Error(`${name} cannot be ${value}`);
    return value;
  };
  const filled = JSON.parse(JSON.stringify(jobs), (_, value) =>
    typeof value === "string"
      ? value.replaceAll(/\$\[\[ inputs\.([\w-]+) \]\]/gu, (_text, name: string) => inputOf(name))
      : value,
  ) as Record<string, Job>;
  const withBase = Object.entries(filled).map(([name, { extends: base, ...job }]) => [
    name,
    { ...(base && filled[base]), ...job },
  ]);
  return Object.fromEntries(withBase);
}

/** The keywords of https://docs.gitlab.com/ci/yaml/ that a job may have, and those of its parts. */
const KEYWORDS: Readonly<Record<string, string>> = {
  job: "after_script allow_failure artifacts before_script cache coverage dast_configuration dependencies environment extends hooks id_tokens identity image inherit interruptible manual_confirmation needs pages parallel publish release resource_group retry rules run script secrets services stage tags timeout trigger variables when",
  rules: "if changes exists when allow_failure needs variables interruptible start_in",
  artifacts: "paths exclude expire_in expose_as name public access reports untracked when",
  reports: "junit codequality dotenv sast terraform coverage_report metrics accessibility",
  retry: "max when exit_codes",
  input: "default description options regex type rules",
};
const WHEN = ["on_success", "on_failure", "always", "manual", "delayed", "never"];

function strangers(kind: string, part: unknown): string[] {
  const known = KEYWORDS[kind]?.split(" ") ?? [];
  return [part].flat().flatMap((one) =>
    Object.entries((one ?? {}) as object).flatMap(([name, value]) => {
      const odd = known.includes(name) ? [] : [`${kind}: ${name}`];
      if (name === "when" && !WHEN.includes(String(value))) odd.push(`when: ${value}`);
      return name in KEYWORDS ? [...odd, ...strangers(name, value)] : odd;
    }),
  );
}

const REQUIRED = { "base-url": "https://api.example.com/v1", project: "acme" };
const OTHERS = {
  ...REQUIRED,
  file: "routes/ops.yaml",
  state: "s3://bucket/routing.json",
  "allow-env": "HOOK_*",
  downloads: "https://downloads.example.com/amp/0.1.0",
  image: "debian:stable",
  "test-stage": "verify",
  "deploy-stage": "release",
  apply: "on_success",
};

describe("templates/amp.yml", () => {
  it("has inputs of the form of GitLab, each used, with a description or a plain name", () => {
    expect(Object.keys(spec)).toEqual(["spec"]);
    expect(Object.values(inputs).flatMap((one) => strangers("input", one))).toEqual([]);
    const used = JSON.stringify(jobs).matchAll(/\$\[\[ inputs\.([\w-]+) \]\]/gu);
    expect([...new Set([...used].map(([, name]) => name))].sort()).toEqual(
      Object.keys(inputs).sort(),
    );
    const required = Object.keys(inputs).filter((name) => inputs[name]?.default === undefined);
    expect(required.sort()).toEqual(Object.keys(REQUIRED).sort());
    expect(Object.keys(OTHERS).sort()).toEqual(Object.keys(inputs).sort());
    expect(() => included({})).toThrow("is required");
    expect(() => included({ ...REQUIRED, apply: "sometimes" })).toThrow("cannot be sometimes");
  });

  it.each([
    REQUIRED,
    OTHERS,
    ...(inputs.apply?.options ?? []).map((apply) => ({ ...REQUIRED, apply })),
  ])("has jobs of known keywords with %o", (given) => {
    const all = included(given);
    expect(JSON.stringify(all)).not.toContain("$[[");
    expect(Object.values(all).flatMap((job) => strangers("job", job))).toEqual([]);
    for (const [name, { needs = [], script, stage }] of Object.entries(all)) {
      if (name.startsWith(".")) continue;
      expect(script?.length).toBeGreaterThan(0);
      expect([".pre", "test", "deploy", "verify", "release"]).toContain(stage);
      for (const one of needs) expect(all).toHaveProperty([one]);
    }
  });

  it("is refused with a keyword that GitLab does not have", () => {
    const typo = {
      script: [],
      rule: [],
      rules: [{ if: "x", whenn: "manual" }],
      retry: { when: 1 },
    };
    expect(strangers("job", typo)).toEqual(["job: rule", "rules: whenn", "when: 1"]);
  });

  it("has the jobs of docs/cookbook-gitlab.md", () => {
    const page = readFileSync(join(ROOT, "docs/cookbook-gitlab.md"), "utf8");
    const all = included(REQUIRED);
    const lines = Object.values(all).flatMap(({ script = [] }) => script);
    expect(lines).toHaveLength(4);
    for (const line of lines) {
      const plain = line.replaceAll('"routing.yaml"', "routing.yaml");
      expect(page).toContain(plain.replace(/ --report junit.*/u, ""));
    }
  });

  it.each(["routing.yaml", "my routes.yaml"])("checks, plans and applies %s", async (file) => {
    const { url } = await startSandbox();
    const machine = stockMachine(url);
    const { folder } = machine;
    const routing =
      "version: 1\nname: ops\ntopics:\n  lifecycle: { events: [installation.created] }\n";
    writeFileSync(join(folder, file), routing);
    const state = join(folder, "state.json");
    const all = included({ "base-url": url, project: MAIN_PROJECT, state, file });
    for (const name of ["amp-check", "amp-plan", "amp-apply"]) {
      const { variables, before_script = [], script = [] } = all[name] as Job;
      const lines = [...before_script, ...script].join("\n");
      const env = { CI: "true", GITLAB_CI: "true", AMP_COMMIT_HORIZON: "1s", ...variables };
      const { status, stdout, stderr } = machine.run(lines, env);
      expect(status, `${name}: ${stdout}${stderr}`).toBe(0);
    }
    expect((await routingAt(url)).eventRoutes).toEqual(["installation.created > lifecycle"]);
    expect(readFileSync(join(folder, "receipt.json"), "utf8")).toContain('"topic/lifecycle"');
  });
});
