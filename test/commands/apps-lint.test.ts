import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ProviderApp } from "../../src/api/schemas/project.ts";
import type { Provider } from "../../src/api/schemas/provider.ts";
import { APP_RULE_IDS, type AppRuleId, appRule } from "../../src/inspect/apps.ts";
import { displayWidth } from "../../src/ui/text.ts";
import { NOW, type RunInput, run, sandboxAt } from "../harness.ts";
import { catalogueText } from "../provider-catalogue.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const APP: ProviderApp = {
  id: "app_1",
  projectId: "prj_1",
  provider: "shop",
  clientId: "client-1",
  createTime: "2026-09-01T00:00:00Z",
};
const PROVIDER: Provider = {
  name: "shop",
  authType: "oauth2",
  baseURL: "https://shop.example",
  defaultModule: "",
  support: {},
  oauth2Opts: {},
};
const asking = (...providerParams: object[]) => ({
  ...PROVIDER,
  providerAppMetadata: { providerParams },
});
const module = { moduleDependencies: { crm: {} } };

/** What each rule says of an app and its provider: the paths of its breaches. */
const CASES: readonly (readonly [AppRuleId, object, Provider | undefined, readonly string[]])[] = [
  ["unknown-provider", {}, undefined, ["provider"]],
  ["unknown-provider", {}, PROVIDER, []],
  [
    "provider-without-oauth",
    {},
    { ...PROVIDER, authType: "apiKey", oauth2Opts: null },
    ["provider"],
  ],
  ["provider-without-oauth", {}, { ...PROVIDER, authType: "custom" }, []],
  ["provider-without-oauth", {}, { ...PROVIDER, oauth2Opts: undefined }, []],
  ["provider-without-oauth", {}, undefined, []],
  ["missing-scopes", {}, { ...PROVIDER, oauth2Opts: { explicitScopesRequired: true } }, ["scopes"]],
  [
    "missing-scopes",
    { scopes: [] },
    { ...PROVIDER, oauth2Opts: { explicitScopesRequired: true } },
    ["scopes"],
  ],
  [
    "missing-scopes",
    { scopes: ["a"] },
    { ...PROVIDER, oauth2Opts: { explicitScopesRequired: true } },
    [],
  ],
  ["missing-scopes", {}, { ...PROVIDER, oauth2Opts: { explicitScopesRequired: false } }, []],
  ["missing-scopes", {}, PROVIDER, []],
  ["missing-setting", {}, asking({ name: "pkg" }), ["metadata.providerParams.pkg"]],
  [
    "missing-setting",
    { metadata: { providerParams: { pkg: "" } } },
    asking({ name: "pkg" }),
    ["metadata.providerParams.pkg"],
  ],
  ["missing-setting", { metadata: { providerParams: { pkg: "x" } } }, asking({ name: "pkg" }), []],
  ["missing-setting", {}, asking({ name: "pkg", defaultValue: "x" }), []],
  ["missing-setting", {}, asking({ name: "pkg", ...module }, {}), ["metadata.providerParams.pkg"]],
  [
    "missing-setting",
    {},
    { ...PROVIDER, providerAppMetadata: { authQueryParams: [{ name: "q" }] } },
    ["metadata.authQueryParams.q"],
  ],
  [
    "missing-setting",
    { metadata: { authQueryParams: { q: [] } } },
    { ...PROVIDER, providerAppMetadata: { authQueryParams: [{ name: "q" }] } },
    ["metadata.authQueryParams.q"],
  ],
  ["missing-setting", {}, asking({ name: "toString" }), ["metadata.providerParams.toString"]],
  [
    "unknown-setting",
    { metadata: { providerParams: { pgk: "x" } } },
    asking({ name: "pkg" }),
    ["metadata.providerParams.pgk"],
  ],
  ["unknown-setting", { metadata: { providerParams: { pkg: "x" } } }, asking({ name: "pkg" }), []],
  [
    "unknown-setting",
    { metadata: { authQueryParams: { prompt: ["x"] } } },
    PROVIDER,
    ["metadata.authQueryParams.prompt"],
  ],
  ["unknown-setting", { metadata: { authQueryParams: { prompt: ["x"] } } }, undefined, []],
];

describe("the rules of apps lint", () => {
  it.each(CASES)("%s for %j at %j", (rule, more, provider, paths) => {
    const found = appRule(rule).breaches({ app: { ...APP, ...more }, provider });
    expect(found.map(({ path }) => path)).toEqual(paths);
  });

  it("are each tried with and without a breach", () => {
    for (const rule of APP_RULE_IDS) {
      const own = CASES.filter(([id]) => id === rule);
      expect(new Set(own.map(([, , , paths]) => paths.length > 0))).toEqual(new Set([true, false]));
    }
  });

  it("are all in docs/checks.md, as they are", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/checks.md"), "utf8");
    for (const id of APP_RULE_IDS) {
      const { severity, title } = appRule(id);
      expect(page).toContain(`| \`${id}\` | ${severity} | ${title} |`);
    }
  });

  it("suggest the name that was probably meant", () => {
    const app = { ...APP, metadata: { providerParams: { packageIdd: "x" } } };
    const [found] = appRule("unknown-setting").breaches({
      app,
      provider: asking({ name: "packageId" }),
    });
    expect(found?.message).toBe("shop has no setting packageIdd. Did you mean packageId?");
  });
});

const lint = (args: readonly string[] = [], world: RunInput = {}) =>
  run(["apps", "lint", ...args], { sandbox: sandboxAt(), ...world });

describe("amp apps lint", () => {
  it.each([60, 80, 140])("shows each finding with what to do at %d columns", async (columns) => {
    const { code, stdout } = await lint([], { tty: true, columns, env: { NO_COLOR: "1" } });
    expect(code).toBe(8);
    for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
    await expect(stdout).toMatchFileSnapshot(`./golden/apps-lint-${columns}.txt`);
  });

  it("exits 8 for an error, and for a warning only with --strict", async () => {
    expect((await lint(["hubspot", "--skip", "missing-scopes"])).code).toBe(5);
    expect((await lint(["app_224bf652"])).code).toBe(0);
    expect((await lint(["ghost"])).code).toBe(0);
    expect((await lint(["ghost", "--strict"])).code).toBe(8);
    expect((await lint(["--skip", "missing-scopes"])).code).toBe(0);
    expect((await lint(["nobody"])).code).toBe(3);
    const failed = await lint(["--json"]);
    expect(failed.error()).toMatchObject({
      ...{ code: "check", exitCode: 8 },
      message: expect.stringMatching(/^1 error and 1 warning: [a-z-]+, [a-z-]+$/u),
    });
    expect(failed.json()).toMatchObject({ apps: 3, errors: 1, warnings: 1 });
  });

  it("asks for each provider once, and knows one that is not there", async () => {
    const apps = [APP, { ...APP, id: "app_2" }, { ...APP, id: "app_3", provider: "" }];
    const world = {
      sandbox: undefined,
      replies: [
        { path: "/projects/acme/provider-apps", body: apps },
        { path: "/providers/shop", status: 404, body: { title: "Not found" } },
      ],
    };
    const result = (await lint(["--json"], world)).json() as {
      findings: { rule: string; app: string }[];
    };
    expect(result.findings.map(({ rule, app }) => `${app} ${rule}`)).toEqual([
      "app_1 unknown-provider",
      "app_2 unknown-provider",
      "app_3 unknown-provider",
    ]);
  });

  it("fails where a provider cannot be looked up, instead of finding nothing", async () => {
    const forbidden = { path: "/providers/shop", status: 403, body: { title: "Forbidden" } };
    // The catalogue is asked without the credential first.
    const replies = [
      { path: "/projects/acme/provider-apps", body: [APP] },
      ...[forbidden, forbidden],
    ];
    expect(await lint([], { sandbox: undefined, replies })).toMatchObject({ code: 4, stdout: "" });
  });

  it("is fine where there are no apps", async () => {
    const replies = [{ path: "/projects/acme/provider-apps", body: [] }];
    const { code, stdout, stderr } = await lint([], { sandbox: undefined, replies });
    expect(code).toBe(0);
    expect(stdout).toBe("");
    expect(stderr).toContain("No problems in 0 provider apps of project acme");
  });

  it("writes reports", async () => {
    const cwd = temporaryFolder();
    const args = ["--report", "junit=apps.xml", "--report", "sarif=apps.sarif"];
    expect((await lint(args, { cwd })).code).toBe(8);
    const xml = readFileSync(join(cwd, "apps.xml"), "utf8");
    expect(xml.match(/<failure/gu)).toHaveLength(1);
    expect(xml).toContain("amp.apps.lint.missing-scopes");
    const sarif = JSON.parse(readFileSync(join(cwd, "apps.sarif"), "utf8"));
    expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual([
      "missing-scopes",
      "provider-without-oauth",
    ]);
  });
});

describe.skipIf(catalogueText === undefined)("the real catalogue", () => {
  it("is linted without an odd word, for an app of each provider", async () => {
    const { catalog: providers } = JSON.parse(catalogueText ?? "") as {
      catalog: Record<string, Provider>;
    };
    const sandbox = sandboxAt(NOW, { providers });
    const apps = Object.keys(providers).map((provider, at) => ({
      ...APP,
      id: `app_${at}`,
      provider,
    }));
    const fetch = async (request: Request) =>
      request.url.endsWith("/provider-apps") ? Response.json(apps) : sandbox.fetch(request);
    const { stdout } = await run(["apps", "lint", "--json"], { sandbox, fetch });
    expect(stdout).not.toMatch(/undefined|\[object|NaN/u);
    const { findings } = JSON.parse(stdout) as { findings: { rule: string; provider: string }[] };
    expect(findings.some(({ rule }) => rule === "unknown-provider")).toBe(false);
    for (const { rule, provider } of findings) {
      if (rule === "missing-scopes") {
        expect(providers[provider]?.oauth2Opts?.explicitScopesRequired).toBe(true);
      }
    }
  });
});
