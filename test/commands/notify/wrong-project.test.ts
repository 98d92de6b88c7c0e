import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { run } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
destinations:
  hook: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
`;

/** A folder with a routing that was applied with a state of its own. */
async function applied() {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "r.yaml"), ROUTING);
  const sandbox = createSandbox();
  const amp = (words: string, env: Record<string, string> = {}) =>
    run(words.split(" "), { cwd, sandbox, env: { AMP_PROJECT: "acme", ...env } });
  expect(await amp(APPLY)).toMatchObject({ code: 0 });
  return amp;
}

const APPLY = "notify apply -f r.yaml --yes --state s.json";

it.each([
  APPLY,
  "notify plan -f r.yaml --state s.json",
  "notify plan -f r.yaml",
  "integrations list",
])("names the nearest project in place of a mistyped one: amp %s", async (words) => {
  const amp = await applied();
  const { code, stderr } = await amp(words, { AMP_PROJECT: "acmee" });
  expect(code).toBe(3);
  expect(stderr).toContain('project "acmee" not found');
  expect(stderr).toContain('Did you mean "acme"?');
  expect(stderr).not.toContain("The state belongs to");
});

it("names the only project that has a word like a mistyped one", async () => {
  const amp = await applied();
  const { stderr } = await amp("integrations list", { AMP_PROJECT: "globx" });
  expect(stderr).toContain('Did you mean "globex-staging"?');
});

it("refuses the state of another project that exists", async () => {
  const amp = await applied();
  const { code, stderr } = await amp(APPLY, { AMP_PROJECT: "globex-staging" });
  expect(code).toBe(5);
  expect(stderr).toContain("The state belongs to project prj_acme0a1b");
});
