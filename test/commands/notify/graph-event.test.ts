import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { run, sandboxAt } from "../../harness.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const ROUTING = `version: 1
destinations:
  ops: { type: webhook, metadata: { url: https://hooks.acme.com/amp } }
  chat: { id: dst_1 }
topics:
  lifecycle: { events: [installation.created, connection.*], destinations: [ops, chat] }
  trouble: { events: [connection.error, my.event], destinations: [ops] }
  unheard: { events: [write.async.done, connection.error] }
`;
const NOTHING = {
  NO_COLOR: "1",
  AMP_BASE_URL: undefined,
  AMP_API_KEY: undefined,
  AMP_PROJECT: undefined,
};

function trace(event: string, ...more: string[]) {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, "routing.yaml"), ROUTING);
  const argv = ["notify", "graph", event, "-f", "routing.yaml", ...more];
  return run(argv, { cwd, env: NOTHING, tty: more.length === 0, columns: 80 });
}

describe("amp notify graph -f", () => {
  it.each([
    ["connection.error", 0],
    ["my.event", 0],
    ["write.async.done", 8],
    ["read.backfill.done", 8],
    ["conection.error", 8],
    ["read.message", 0],
  ])("shows where %s goes", async (event, expected) => {
    const { code, stdout, stderr, requests } = await trace(event);
    expect({ code, stderr, requests }).toEqual({ code: expected, stderr: "", requests: [] });
    expect(stdout).toMatchSnapshot();
  });

  it("writes the paths as JSON, and says by the exit code that there are none", async () => {
    const { code, stdout, stderr } = await trace("connection.error", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toEqual({
      file: "routing.yaml",
      event: "connection.error",
      known: true,
      topics: [
        {
          name: "lifecycle",
          destinations: [
            { name: "chat", id: "dst_1" },
            { name: "ops", type: "webhook" },
          ],
        },
        { name: "trouble", destinations: [{ name: "ops", type: "webhook" }] },
        { name: "unheard", destinations: [] },
      ],
      destinations: ["chat", "ops"],
      reachesNoDestination: false,
    });
    const none = await trace("write.async.done", "--json");
    expect(none.json()).toMatchObject({ reachesNoDestination: true, reason: "no-destination" });
    expect(none.code).toBe(8);
    expect(none.error()).toEqual({
      code: "check",
      name: "result",
      exitCode: 8,
      message: "the event reaches no destination",
    });
  });

  it("lists the destinations with --output id", async () => {
    expect((await trace("connection.error", "-o", "id")).stdout).toBe("chat\nops\n");
    expect(await trace("write.async.done", "-o", "id")).toMatchObject({ code: 8, stdout: "" });
  });

  it("says once that it does not know an event type", async () => {
    const { stdout } = await trace("my.unknown");
    expect(stdout.match(/no destination/giu)).toHaveLength(1);
    expect(stdout).toMatch(/^Unknown event type my\.unknown in routing\.yaml/u);
    expect(stdout.match(/unknown event/giu)).toHaveLength(1);
  });

  it.each([
    ["conection.error", "unknown: did you mean connection.error? reaches no destination"],
    ["my.unknown", "unknown event type; reaches no destination"],
    ["write.async.done", "reaches no destination. Topic unheard has no destination. Add one."],
    ["my.event", "unknown event type; reaches 1 destination"],
  ])("answers %s in the first line of a pipe", async (event, answer) => {
    const { stdout, stderr } = await trace(event, "--no-color");
    expect(stdout.split("\n")[0]).toBe(`event\t${event}\t${answer}`);
    expect(stderr).not.toMatch(/^\n|destination/u);
  });

  it("refuses a pattern", async () => {
    const { code, stderr } = await trace("connection.*");
    expect(code).toBe(2);
    expect(stderr).toContain('"connection.*" means several event types');
  });
});

describe("amp notify graph", () => {
  it("follows the routing that the service lists", async () => {
    const argv = [
      "notify",
      "graph",
      "installation.created",
      "--project",
      "globex-staging",
      "--json",
    ];
    const { code, json } = await run(argv, { sandbox: sandboxAt() });
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      project: "globex-staging",
      destinations: ["staging-archive", "staging-webhook"],
    });
  });

  it("suggests the next command for the same project", async () => {
    const argv = ["notify", "graph", "my.event", "--project", "globex-staging"];
    const { code, stdout } = await run(argv, { sandbox: sandboxAt(), tty: true });
    expect(code).toBe(8);
    expect(stdout).toContain("amp notify events\n");
    const near = await run([...argv.slice(0, 2), "conection.error", ...argv.slice(3)], {
      sandbox: sandboxAt(),
      tty: true,
    });
    expect(near.stdout).toContain("amp notify graph connection.error --project globex-staging");
  });
});
