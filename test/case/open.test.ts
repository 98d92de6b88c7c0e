import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackCase } from "../../src/case/case-file.ts";
import type { CaseFile } from "../../src/case/case-schema.ts";
import { type ServedCase, serveCase } from "../../src/case/replay.ts";
import { largeWorld } from "../../src/sandbox/seed/large-world.ts";
import { NOW, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const sandbox = sandboxAt(NOW, { state: largeWorld(64) });
const cwd = temporaryFolder();
let file: CaseFile;
let served: ServedCase;

beforeAll(async () => {
  await run(["case", "create", "cyberdyne", "--save", "c.ampcase"], { sandbox, cwd });
  file = unpackCase(readFileSync(join(cwd, "c.ampcase")), "c.ampcase");
  served = await serveCase(file);
});
afterAll(() => served.close());

/** Runs amp against the recorded answers. */
function inCase(argv: readonly string[]) {
  const env = { AMP_BASE_URL: served.url, AMP_API_KEY: served.apiKey, AMP_PROJECT: file.project };
  return run(argv, { env, fetch: (request) => fetch(request) });
}

const READS = [
  ["installations", "list", "--all-integrations"],
  ["installations", "list", "crm-sync"],
  ["installations", "list", "crm-sync", "--group-ref", "cyberdyne"],
  ["installations", "get", "cyberdyne"],
  ["installations", "operations", "cyberdyne", "--limit", "300"],
  ["installations", "logs", "op_08139571_1b4"],
  ["integrations", "list"],
  ["notify", "destinations", "list"],
  ["notify", "topics", "list"],
  ["notify", "event-routes", "list"],
  ["notify", "destination-routes", "list"],
  ["notify", "trace", "connection.error"],
  ["notify", "trace", "read.schedule.paused"],
  ["notify", "graph"],
  ["notify", "check"],
].flatMap((argv) => [argv, [...argv, "--json"]]);

describe("the commands in a case", () => {
  // Its JSON has the time when it was made.
  it.each([...READS, ["case", "create", "cyberdyne"]])(
    "amp %s %s %s %s answers as it did, but for what was redacted",
    async (...argv) => {
      const words = argv.filter((word) => word !== undefined);
      const [live, recorded] = [await run(words, { sandbox }), await inCase(words)];
      expect(recorded.code).toBe(live.code);
      expect(recorded.stderr).toBe(live.stderr);
      if (!words.includes("--json")) {
        expect(recorded.stdout).toBe(redactedLike(live.stdout, recorded.stdout));
        return;
      }
      const differing = differences(live.json(), recorded.json());
      const named = file.redactions.map(({ where }) => generic(where.split(" ").at(-1) ?? ""));
      for (const place of differing) expect(named).toContain(generic(place));
      expect(JSON.stringify(recorded.json())).not.toContain("undefined");
    },
  );

  it("has something redacted to compare", async () => {
    const recorded = await inCase(["installations", "get", "cyberdyne", "--json"]);
    expect(recorded.json()).toMatchObject({
      connection: { consumer: { consumerName: "[redacted]" } },
    });
  });
});

/** The places of the texts that differ; anything else that differs is an error. */
function differences(one: unknown, other: unknown, path = ""): string[] {
  if (typeof one !== "object" || one === null) {
    if (one === other) return [];
    expect(other, path).toContain("[redacted]");
    return [path];
  }
  expect(Object.keys(other as object), path).toEqual(Object.keys(one));
  return Object.entries(one).flatMap(([key, item]) =>
    differences(
      item,
      (other as Record<string, unknown>)[key],
      Array.isArray(one) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`,
    ),
  );
}

/** A place without its positions: a list and a record alone have the same fields. */
function generic(place: string): string {
  return place.replace(/^\[\d+\]\.?/u, "").replaceAll(/\[\d+\]/gu, "[*]");
}

/** The live text with each cell redacted that is redacted in the other. */
function redactedLike(live: string, recorded: string): string {
  const rows = recorded.split("\n").map((line) => line.split("\t"));
  return live
    .split("\n")
    .map((line, at) =>
      line
        .split("\t")
        .map((cell, column) =>
          rows[at]?.[column]?.includes("[redacted]") ? rows[at][column] : cell,
        )
        .join("\t"),
    )
    .join("\n");
}

describe("what a case does not have", () => {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(served.url + path, { headers: { "x-api-key": served.apiKey }, ...init });

  it("is not found, and nothing can be written", async () => {
    const missing = await inCase(["connections", "list", "--json"]);
    expect(missing.code).toBe(3);
    expect(missing.error()).toMatchObject({
      title: "Not in this case",
      detail: "The case has no recorded response for GET /projects/acme/connections.",
    });
    const paused = await inCase(["installations", "pause", "cyberdyne", "--yes"]);
    expect(paused).toMatchObject({ code: 3 });
    expect(paused.stderr).toContain("This case does not update installations");
    expect(paused.stderr).toContain("A case is read-only");
    const write = await request("/projects/acme/topics", { method: "POST", body: "{}" });
    expect(write.status).toBe(405);
    expect(await write.json()).toMatchObject({ title: "A case is read-only" });
    expect((await request("/projects/acme/topics?x=1")).status).toBe(404);
    expect((await request("/projects/acme/%ff")).status).toBe(404);
    expect((await request("/../../etc/passwd")).status).toBe(404);
  });

  it("is no ground for a verdict on another installation", async () => {
    const env = { AMP_BASE_URL: served.url, AMP_API_KEY: served.apiKey, AMP_PROJECT: "acme" };
    const create = (who: string) =>
      run(["case", "create", who, "--json"], {
        cwd,
        env: { ...env, AMP_CASE: join(cwd, "c.ampcase") },
        fetch: (one) => fetch(one),
      });
    expect((await create("cyberdyne")).json()).toMatchObject({ rule: "permission-or-field" });
    const page = await run(["installations", "get", "cyberdyne"], {
      cwd,
      env: { ...env, AMP_CASE: "c.ampcase" },
      fetch: (one) => fetch(one),
      tty: true,
    });
    expect(page.stdout).toContain("amp case show c.ampcase\n");
    const other = await create("Rekall");
    expect({ code: other.code, stdout: other.stdout }).toEqual({ code: 2, stdout: "" });
    expect(other.error()).toMatchObject({
      message: "Cannot create a case inside this case",
      detail: expect.stringMatching(/^It has no operations of ins_\w+, so that nobody can say/u),
    });
  });

  it("is read with its own key alone", async () => {
    expect((await request("/projects/acme/topics", { headers: {} })).status).toBe(401);
    expect((await request("/projects/acme/topics")).status).toBe(200);
  });

  it("keeps that a service has no lists", async () => {
    const folder = temporaryFolder();
    const old = sandboxAt(NOW, { state: largeWorld(64), specOnly: true });
    const integration = "113e9685-9a51-42cc-8662-9d9725b17f14";
    const argv = ["case", "create", "cyberdyne", "--integration", integration];
    await run([...argv, "--save", "old.ampcase"], { sandbox: old, cwd: folder });
    const kept = unpackCase(readFileSync(join(folder, "old.ampcase")), "old");
    const server = await serveCase(kept);
    const env = { AMP_BASE_URL: server.url, AMP_API_KEY: server.apiKey, AMP_PROJECT: "acme" };
    const world = { env, fetch: (one: Request) => fetch(one) };
    for (const words of [
      ["notify", "topics", "list"],
      ["installations", "list", integration],
    ]) {
      const [live, recorded] = [await run(words, { sandbox: old }), await run(words, world)];
      expect(recorded.code).toBe(live.code);
      expect(recorded.stdout).toBe(redactedLike(live.stdout, recorded.stdout));
      expect(recorded.stderr.split("\n")[0]).toBe(live.stderr.split("\n")[0]);
    }
    await server.close();
  });
});

describe("what is not found in a case", () => {
  it.each([
    [["installations", "get", "nosuch"], "Searched the 64 installations of project acme. This is"],
    [["notify", "topics", "get", "nosuch"], "This is"],
  ])("amp %j says that a case was searched", async (argv, words) => {
    const env = { AMP_BASE_URL: served.url, AMP_API_KEY: served.apiKey, AMP_PROJECT: "acme" };
    const asked = (more: object) =>
      run(argv, { env: { ...env, ...more }, fetch: (request) => fetch(request) });
    const { code, stderr } = await asked({ AMP_CASE: "/tmp/c.ampcase" });
    expect(code).toBe(3);
    const inside = "inside the case /tmp/c.ampcase, which has only what was recorded.";
    expect(stderr).toContain(`${words} ${inside}`);
    expect((await asked({})).stderr).not.toContain("inside the case");
  });

  it("names what was not recorded, and a list that was read in part", async () => {
    const apps = await inCase(["apps", "list"]);
    expect(apps.stderr).toContain("Could not list the provider apps: not in this case");
    expect(apps.stderr).toContain(
      "The case has no recorded response for GET /projects/acme/provider-apps.",
    );
    const older = await inCase(["installations", "operations", "cyberdyne", "--failed"]);
    expect(older).toMatchObject({ code: 3 });
    expect(older.stderr).toContain("The case has only a part of GET ");
  });
});

describe("amp case open", () => {
  const script = (name: string, text: string) => writeFileSync(join(cwd, name), text);
  const open = (name: string, env: Record<string, string> = {}) =>
    run(["case", "open", "c.ampcase", "--", process.execPath, name], { cwd, env });

  it("passes on the exit code", async () => {
    script("eight.js", "process.exit(8)");
    expect(await open("eight.js")).toMatchObject({ code: 8, stdout: "", stderr: "" });
    script("killed.js", "process.kill(process.pid, 'SIGKILL')");
    expect((await open("killed.js")).code).toBe(137);
  });

  it("gives the command the case in place of any login, and leaves nothing behind", async () => {
    script(
      "env.js",
      `const { AMP_BASE_URL: url, AMP_API_KEY: key, ...env } = process.env;
       require("node:fs").writeFileSync("env.json", JSON.stringify(env));
       fetch(url + "/projects/acme/topics", { headers: { "x-api-key": key } })
         .then((answer) => process.exit(answer.status === 200 ? 0 : 1));`,
    );
    const outside = {
      AMP_PROFILE: "mine",
      AMP_ACCESS_TOKEN: "a.b.c",
      AMP_STATE: "s3://x/y",
      FOO: "1",
    };
    expect((await open("env.js", { ...outside, NO_PROXY: "x.example" })).code).toBe(0);
    const env = JSON.parse(readFileSync(join(cwd, "env.json"), "utf8"));
    expect(env).toMatchObject({
      ...{ AMP_PROJECT: "acme", AMP_CASE: join(cwd, "c.ampcase"), FOO: "1" },
      NO_PROXY: "x.example,127.0.0.1",
      AMP_CONFIG_DIR: expect.stringContaining("amp-case-"),
    });
    expect(existsSync(env.AMP_CONFIG_DIR)).toBe(false);
    expect(Object.keys(env)).not.toContain("AMP_PROFILE");
    expect(Object.keys(env)).not.toContain("AMP_ACCESS_TOKEN");
    expect(Object.keys(env)).not.toContain("AMP_STATE");
  });

  it("refuses to be opened inside another, and names a command that does not exist", async () => {
    const inside = await open("eight.js", { AMP_CASE: "other.ampcase" });
    expect(inside.code).toBe(2);
    expect(inside.stderr).toContain("already inside the case other.ampcase");
    const none = await run(["case", "open", "c.ampcase", "--", "no-such-command-7"], { cwd });
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('Cannot run "no-such-command-7": no such command');
    const missing = await run(["case", "open", "none.ampcase"], { cwd });
    expect(missing).toMatchObject({ code: 2 });
  });
});
