import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** A checkout with a routing file that leads to another place. */
function checkout(target = "secret") {
  const root = temporaryFolder();
  writeFileSync(join(root, "secret"), "hush-key: 1\nhush-other: 2\n");
  mkdirSync(join(root, "repo/.git"), { recursive: true });
  mkdirSync(join(root, "repo/shared"));
  writeFileSync(join(root, "repo/shared/routing.yaml"), "version: 1\ntopics: { one: {} }\n");
  mkdirSync(join(root, "repo/team"));
  const cwd = join(root, "repo/team");
  symlinkSync(join(root, target), join(cwd, "routing.yaml"));
  const amp = (words: string, env: Record<string, string> = { CI: "true" }) =>
    run(words.split(" "), { cwd, sandbox: sandboxAt(), env });
  return { root, cwd, amp };
}

/** Ends a sandbox that starts in spite of what it was given. */
function stoppedWhenReady() {
  const stop = new AbortController();
  return { signal: stop.signal, onOutput: () => stop.abort("SIGINT") };
}

const COMMANDS = [
  "notify check -f routing.yaml --json",
  "notify check -f routing.yaml",
  "notify plan -f routing.yaml --json",
  "notify apply -f - --plan routing.yaml --yes --json",
  "notify test -f routing.yaml --cases routing.yaml --json",
];

describe("a link out of the checkout", () => {
  it.each(COMMANDS)("is not read in CI, and nothing of it is quoted: amp %s", async (words) => {
    const { code, stdout, stderr } = await checkout().amp(words);
    expect(code).toBe(2);
    expect(stdout + stderr).not.toContain("hush");
  });

  it.each(
    ["faults", "providers", "state"].flatMap((option) => ["", "true"].map((CI) => [option, CI])),
  )("is not quoted by amp sandbox start --%s, with CI=%s", async (option, CI = "") => {
    const { code, stderr } = await checkout().amp(
      `sandbox start --port 0 --${option} routing.yaml`,
      { CI },
    );
    expect(code).toBe(2);
    expect(stderr).toMatch(/is not valid JSON|is a link to a file outside/u);
    expect(stderr).not.toContain("hush");
  });

  it.each(
    [
      ["faults", { "hush-key": 1 }],
      ["providers", { "hush-key": 1 }],
      ["providers", { hush: { name: "hush", authType: "oauth2", baseURL: "https://a.example" } }],
      ["state", { format: "amp-sandbox-state", version: "hush" }],
    ].flatMap(([option, content]) => ["", "true"].map((CI) => [option, content, CI] as const)),
  )("is not quoted by --%s where it is JSON: %j, with CI=%j", async (option, content, CI) => {
    const { root, cwd } = checkout();
    writeFileSync(join(root, "secret"), JSON.stringify(content));
    symlinkSync(root, join(cwd, "way"));
    for (const path of ["routing.yaml", "way/secret"]) {
      const { stdout, stderr } = await run(
        ["sandbox", "start", "--port", "0", `--${option}`, path],
        { cwd, env: { CI }, ...stoppedWhenReady() },
      );
      expect(stdout + stderr).not.toContain("hush");
    }
    // By its own path it says what is wrong.
    const own = ["sandbox", "start", "--port", "0", `--${option}`, join(root, "secret")];
    const { stderr } = await run(own, { cwd: root, ...stoppedWhenReady() });
    expect(stderr).toContain("hush");
  });

  it("is not followed by a folder on the way, either", async () => {
    const { root, cwd, amp } = checkout();
    symlinkSync(root, join(cwd, "way"));
    const { code, stdout, stderr } = await amp("notify check -f way/secret --json");
    expect([code, stdout + stderr]).toEqual([
      2,
      expect.stringContaining("is a link to a file outside"),
    ]);
    expect(stdout + stderr).not.toContain("hush");
  });

  it("is read outside CI, and one within the repository everywhere", async () => {
    const outside = await checkout().amp("notify check -f routing.yaml", {});
    expect(outside.stderr).toContain("unknown key");
    const within = await checkout("repo/shared/routing.yaml").amp("notify check -f routing.yaml");
    expect(within.stderr).not.toContain("outside");
    expect(within.code).toBe(0);
  });

  it("is a file that was named outside the checkout, as it is", async () => {
    const { root, amp } = checkout();
    const { stderr } = await amp(`notify check -f ${root}/secret`);
    expect(stderr).toContain("unknown key");
  });

  it("is not a project file in CI", async () => {
    const { root, cwd, amp } = checkout();
    symlinkSync(join(root, "secret"), join(cwd, ".amp.yaml"));
    const { code, stdout, stderr } = await amp("apps list --json");
    expect([code, stdout + stderr]).toEqual([2, expect.stringContaining("outside its folder")]);
    expect(stdout + stderr).not.toContain("hush");
  });
});
