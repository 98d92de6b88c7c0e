import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { redactLine, registerSecret } from "../../src/secrets/secret.ts";
import { ROOT } from "../built.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

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

describe("amp's own words in a page, a notice, a table and a question", () => {
  const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://ops.example.com/changed } }
topics:
  alerts: { events: [connection.error], destinations: [ops] }
`;

  it.each([false, true])("stay where one of them is a secret (terminal: %s)", async (tty) => {
    const said = async () => {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, "routing.yaml"), ROUTING);
      const sandbox = sandboxAt(NOW);
      const texts: string[] = [];
      for (const line of [
        "notify plan -f routing.yaml",
        "notify apply -f routing.yaml --yes",
        "notify topics update alerts --name alarms --yes",
        "notify destinations delete ops --yes --accept references",
        "installations check --filter health=unhealthy",
        "installations wait ins_80c1cca5 --for health=healthy --within 1s",
      ]) {
        const { stdout, stderr } = await run(line.split(" "), {
          sandbox,
          cwd,
          tty,
          env: { NO_COLOR: "1", TERM: "dumb", AMP_PARALLEL: "1" },
        });
        texts.push(
          `${stdout}${stderr}`.replaceAll(
            /(?<=\b(?:dst|top|evr|dsr|ins)_)\w+| *[\d.]+(?= s$)| +(?=waited \d)|\d+/gmu,
            "",
          ),
        );
      }
      return texts;
    };
    const before = await said();
    for (const word of [...WORDS, "create", "topic", "Saved", "project", "delete"])
      registerSecret(word);
    const after = await said();
    expect(after).toEqual(before.map((text) => text.replaceAll("com/changed", "com/[redacted]")));
    // A value is not one of its words.
    expect(after.join("")).not.toContain("example.com/changed");
  });

  it("are told from values by what is beside them", () => {
    registerSecret("changed");
    expect(
      redactLine(
        'changed, unchanged (changed). Nothing was changed: "changed" a=changed /changed/ changed@x changed.example',
      ),
    ).toBe(
      'changed, unchanged (changed). Nothing was changed: "[redacted]" a=[redacted] /[redacted]/ [redacted]@x [redacted].example',
    );
    registerSecret("hunter22");
    expect(redactLine("It is hunter22.")).toBe("It is [redacted].");
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
