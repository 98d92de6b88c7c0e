import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp, headers: { X-Key: env:NOT_SET } } }
  old: { type: slack, metadata: { url: env:SLACK_URL } }
topics:
  lifecycle: { events: [installation.created, connection.*], destinations: [ops] }
  unheard: { events: [write.async.done] }
`;

function folderWith(text = ROUTING): string {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), text);
  return cwd;
}

const FROM_FILE = ["notify", "graph", "-f", "routing.yaml"];
/** No login, no project: everything that a call of the service would need. */
const NOTHING = {
  NO_COLOR: "1",
  AMP_BASE_URL: undefined,
  AMP_API_KEY: undefined,
  AMP_PROJECT: undefined,
};

describe("amp notify graph -f", () => {
  it("draws the file for the width of the terminal, without login, project and secrets", async () => {
    const cwd = folderWith();
    for (const columns of [60, 80, 140]) {
      const { code, stdout, stderr, requests } = await run(FROM_FILE, {
        cwd,
        env: NOTHING,
        tty: true,
        columns,
      });
      expect({ code, stderr, requests }).toEqual({ code: 0, stderr: "", requests: [] });
      expect(stdout).toMatchSnapshot(`${columns} columns`);
    }
  });

  it("names each edge, and what is not connected, in a pipe", async () => {
    const { stdout, stderr } = await run(FROM_FILE, { cwd: folderWith(), env: NOTHING });
    const rows = stdout.trimEnd().split("\n");
    expect(rows[0]).toBe("event-route\tinstallation.created\tlifecycle");
    expect(rows).toContain("event-route\tconnection.error\tlifecycle");
    expect(rows).toContain("destination-route\tlifecycle\tops");
    expect(rows).toContain("topic\tunheard\tno destination");
    expect(rows).toContain("destination\told\tno topic is routed to it");
    expect(rows).toContain("event\tread.backfill.done\tnot routed");
    expect(stderr).toBe("");
  });

  it("asks for no trust in a project file, and is not stopped by a broken one", async () => {
    const cwd = folderWith();
    for (const text of ["base-url: https://evil.example\n", "base-url: [\n"]) {
      writeFileSync(join(cwd, ".amp.yaml"), text);
      // The prompter of the test answers nothing: any question fails the run.
      const { code, stderr } = await run(FROM_FILE, { cwd, env: NOTHING, tty: true });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    }
  });

  it("writes Mermaid", async () => {
    const { code, stdout } = await run([...FROM_FILE, "--format", "mermaid"], {
      cwd: folderWith(),
      env: NOTHING,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^flowchart LR\n/u);
    expect(stdout).toContain("lifecycle");
  });

  it("refuses a format of a drawing beside another of the output", async () => {
    const outcome = await run([...FROM_FILE, "--format", "mermaid", "--json"], {
      cwd: folderWith(),
    });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.error()).toMatchObject({
      message: "--format mermaid and the output format json conflict",
    });
  });

  it("names the mistakes of the file as apply does", async () => {
    const cwd = folderWith("version: 1\ntopics: { a: { destinations: [nosuch] } }\n");
    const { code, stdout, stderr } = await run(FROM_FILE, { cwd, env: NOTHING });
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain('routing.yaml:2:31: topic "a": no destination "nosuch"');
  });
});

describe("amp notify graph", () => {
  it("draws the routing that the service lists", async () => {
    const argv = ["notify", "graph", "--project", "globex-staging"];
    const { code, stdout } = await run(argv, {
      sandbox: sandboxAt(),
      tty: true,
      columns: 80,
      env: { NO_COLOR: "1" },
    });
    expect(code).toBe(0);
    expect(stdout).toMatchSnapshot();
  });

  it("says that there is no routing", async () => {
    const { code, stdout } = await run(["notify", "graph"], { sandbox: sandboxAt(), tty: true });
    expect(code).toBe(0);
    expect(stdout).toContain("No topics or destinations.");
  });

  it("suggests a file where the service has no lists", async () => {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const { code, stdout, stderr } = await run(["notify", "graph"], { sandbox });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain("Add -f FILE to read a routing file instead.");
  });

  it("needs a project", async () => {
    const env = { AMP_PROJECT: undefined };
    const { code, stderr } = await run(["notify", "graph"], { env });
    expect(code).toBe(2);
    expect(stderr).toContain("This command needs a project");
  });
});
