import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { logIn } from "./invocations.ts";

const sandbox = sandboxAt();
let cwd: string;
beforeEach(async () => {
  cwd = temporaryFolder();
  await logIn(cwd, sandbox, "prod");
});

const amp = (line: string, { env, ...input }: RunInput = {}) =>
  run(line.split(" "), { cwd, sandbox, ...input, env: { AMP_PROFILE: undefined, ...env } });

it("saves a default of the profile, which commands then use", async () => {
  const saved = await amp("auth default max-body 1KB --json");
  expect(saved.json()).toEqual([{ setting: "max-body", value: "1KB", source: "profile prod" }]);
  const fetch = async () => Response.json([{ id: "x".repeat(2_000) }]);
  expect((await amp("projects list", { fetch })).stderr).toContain("larger than 1 KB");
  const env = { AMP_MAX_BODY: "1MB" };
  expect(await amp("projects list", { fetch, env })).toMatchObject({ code: 0 });
  expect((await amp("auth default max-body --unset")).code).toBe(0);
  expect(await amp("projects list", { fetch })).toMatchObject({ code: 0 });
});

it("says who wins where something else sets the value", async () => {
  const env = { AMP_TIMEOUT: "3s" };
  const saved = await amp("auth default timeout 60s --json", { env });
  const used = { setting: "timeout", value: "3s", source: "AMP_TIMEOUT" };
  expect(saved.json()).toEqual([{ ...used, shadows: ["profile prod"] }]);
  const { stderr: said } = await amp("auth default timeout 60s", { env });
  expect(said).toContain("Saved in profile prod; AMP_TIMEOUT overrides it here.");
  expect((await amp("auth default timeout --unset --json", { env })).json()).toEqual([used]);
  writeFileSync(join(cwd, ".amp.yaml"), "project: acme\n");
  const { stderr } = await amp("auth default project globex-staging");
  expect(stderr).toContain(`${join(cwd, ".amp.yaml")} overrides it here.`);
  const elsewhere = await amp("auth default org org_1", {
    env: { AMP_BASE_URL: "https://other.test/v1" },
  });
  expect(elsewhere.stderr).toContain("this call is for another service");
});

it("shows the value that is used once a default is removed", async () => {
  await amp("auth default timeout 60s");
  expect((await amp("auth default timeout --unset --json")).json()).toEqual([
    { setting: "timeout", value: "30s", source: "default" },
  ]);
});

it("refuses a project that the credential does not see, with the nearest one", async () => {
  const refused = await amp("auth default project acm");
  expect(refused).toMatchObject({ code: 3, stdout: "" });
  expect(refused.stderr).toContain("no access to project acm");
  expect(refused.stderr).toContain("amp auth default project acme");
  expect((await amp("auth default project --json")).json()).not.toMatchObject([{ value: "acm" }]);
  const fetch = async () => new Response("", { status: 503 });
  const unchecked = await amp("auth default project acm", { fetch });
  expect(unchecked.code).toBe(0);
  expect(unchecked.stderr).toContain("Project acm was not checked");
});

it("says what is true of the built-in profile", async () => {
  const { stderr } = await amp("auth default timeout 5s --profile sandbox");
  expect(stderr).toContain("Its settings are fixed.");
  expect(stderr).not.toContain("another name");
});

it("says what was removed, and what is used now", async () => {
  await amp("auth default timeout 60s");
  const { stderr } = await amp("auth default timeout --unset");
  expect(stderr).toBe("Removed 60s from profile prod; 30s (default) is used now.\n");
  expect((await amp("auth default timeout --unset")).stderr).toContain("It was not set");
});

it("shows each setting with its source", async () => {
  writeFileSync(join(cwd, ".amp.yaml"), "timeout: 9s\n");
  await amp("auth default timeout 5s");
  await amp("auth default output json");
  const shown = await amp("auth default", { env: { AMP_RETRIES: "0" } });
  const rows = shown.json() as { setting: string; value?: string; source?: string }[];
  expect(rows.map(({ setting }) => setting)).toEqual(
    "project auth org integration output timeout retries max-wait max-body accessible".split(" "),
  );
  expect(rows).toContainEqual({ setting: "output", value: "json", source: "profile prod" });
  expect(rows).toContainEqual({ setting: "retries", value: "0", source: "AMP_RETRIES" });
  expect(rows).toContainEqual({
    setting: "timeout",
    value: "9s",
    source: join(cwd, ".amp.yaml"),
    shadows: ["profile prod"],
  });
  expect(rows).toContainEqual({ setting: "max-wait", value: "60s", source: "default" });
  expect(rows).toContainEqual({ setting: "org" });
  expect((await amp("auth default timeout -o tsv")).stdout).toMatch(/^timeout\t9s\t/u);
});

it.each([
  ["timeout soon", '"soon" is not a valid duration'],
  ["output xml", '"xml" is not a valid format'],
  ["maxBody 1MB", "Did you mean max-body?"],
  ["--unset", "--unset needs a setting"],
  ["timeout 5s --profile sandbox", "cannot be changed"],
])("refuses %s", async (words, message) => {
  const { code, stderr } = await amp(`auth default ${words}`);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

it("keeps the defaults of requests through another login", async () => {
  await amp("auth default retries 0");
  await logIn(cwd, sandbox, "prod");
  expect((await amp("auth default retries --json")).json()).toMatchObject([{ value: "0" }]);
});

it("goes on without the format of a profile that cannot be read", async () => {
  expect(await amp("version", { env: { AMP_PROFILE: "nosuch" } })).toMatchObject({ code: 0 });
});
