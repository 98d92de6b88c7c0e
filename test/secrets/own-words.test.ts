import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { registerSecret } from "../../src/secrets/secret.ts";
import { ROOT } from "../built.ts";
import { NOW, run, sandboxAt } from "../harness.ts";

const WORDS = ["changed", "Nothing", "sent", "found", "created", "List"];

describe("amp's own words in an error", () => {
  it.each(["text", "json"])("stay where one of them is a secret (%s)", async (format) => {
    const sandbox = sandboxAt(NOW);
    const json = format === "json" ? ["--json"] : [];
    for (const argv of [
      ["notify", "topics", "delete", "nosuch", "--yes"],
      ["installations", "get", "nosuch"],
      ["installations", "logs", "Rekall"],
    ]) {
      const before = await run([...argv, ...json], { sandbox });
      for (const word of WORDS) registerSecret(word);
      const after = await run([...argv, ...json], { sandbox });
      const lines = (text: string) =>
        text.split("\n").filter((line) => /✗|Nothing was|"message"|"done"/u.test(line));
      expect(lines(after.stderr)).toEqual(lines(before.stderr));
      expect(lines(after.stderr).length).toBeGreaterThan(0);
    }
  });

  it("say what was done without values of the service", () => {
    const texts = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((path) => [
      ...readFileSync(join(ROOT, path), "utf8").matchAll(/\bdone: ?`([^`]*)`/gu),
    ]);
    expect(texts.length).toBeLessThanOrEqual(8);
  });
});

describe("a program of --jq", () => {
  it("sees the environment, but for what is a secret", async () => {
    const env = { GITHUB_SHA: "0123abc", MY_COPY: "the key: hush-hush-9" };
    registerSecret("hush-hush-9");
    const sandbox = sandboxAt(NOW);
    const words = ["projects", "list", "--jq"];
    const shown = await run([...words, "[$ENV.GITHUB_SHA, env.GITHUB_SHA, $ENV.MY_COPY]"], {
      sandbox,
      env,
    });
    expect(shown.stdout).toBe('["0123abc","0123abc",null]\n');
    const plain = await run([...words, ".[0].id + $ENV.GITHUB_SHA"], { sandbox, env });
    expect(plain.stdout).toMatch(/^\S+0123abc\n$/u);
  });
});
