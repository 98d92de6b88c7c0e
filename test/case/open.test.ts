import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CaseFile, RecordedAnswer } from "../../src/case/case-file.ts";
import { unpackCase } from "../../src/case/case-file.ts";
import { environmentInCase, type ServedCase, serveCase } from "../../src/case/open.ts";
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
  served = await serveCase(file, () => NOW);
});
afterAll(() => served.close());

/** Runs amp as `amp case open` does. */
function inCase(argv: readonly string[]) {
  const path = join(cwd, "c.ampcase");
  const env = environmentInCase(file, served, { path, folder: join(cwd, "in-case"), env: {} });
  return run(argv, { cwd, env, fetch: (request) => fetch(request) });
}

describe("a request that a case does not have", () => {
  const request = (path: string, init: RequestInit = {}) =>
    fetch(served.url + path, { headers: { "x-api-key": served.apiKey }, ...init });

  it("is not found, and nothing can be written", async () => {
    const missing = await inCase(["invites", "list", "--org", "org_other", "--json"]);
    expect(missing.code).toBe(3);
    expect(missing.error()).toMatchObject({
      title: "Not in this case",
      detail: "The case has no recorded response for GET /orgs/org_other/invites.",
    });
    const write = await request("/projects/acme/topics", { method: "POST", body: "{}" });
    expect(write.status).toBe(405);
    expect(await write.json()).toMatchObject({ title: "A case is read-only" });
    expect((await request("/projects/acme/topics?x=1")).status).toBe(404);
    expect((await request("/projects/acme/%ff")).status).toBe(404);
    expect((await request("/../../etc/passwd")).status).toBe(404);
    const { origin } = new URL(served.url);
    const unreadable = await fetch(`${origin}//`, { headers: { "x-api-key": served.apiKey } });
    expect(unreadable.status).toBe(404);
  });

  it("is said of a log with the logs that the case has", async () => {
    const logs = await inCase(["installations", "logs", "op_08139571_1b3"]);
    expect(logs.code).toBe(3);
    expect(logs.stderr).toMatch(
      /The case has only the logs of op_\w+ and op_\w+, the last and the first failed operation/u,
    );
    expect(logs.stderr).not.toContain("may no longer have it");
  });

  it("is no ground for a verdict: the others are only counted", async () => {
    const env = { AMP_BASE_URL: served.url, AMP_API_KEY: served.apiKey, AMP_PROJECT: "acme" };
    const inside = {
      cwd,
      env: { ...env, AMP_CASE: "c.ampcase" },
      fetch: (one: Request) => fetch(one),
    };
    const page = await run(["installations", "get", "cyberdyne"], { ...inside, tty: true });
    expect(page.stdout).toContain("amp case show c.ampcase\n");
    for (const who of ["cyberdyne", "Rekall"]) {
      const made = await run(["case", "create", who, "--json"], inside);
      expect({ code: made.code, stdout: made.stdout }).toEqual({ code: 2, stdout: "" });
      expect(made.error()).toMatchObject({
        message: "Cannot create a case inside a case",
        detail: expect.stringContaining("only counts of the others"),
      });
    }
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
    const server = await serveCase(kept, () => NOW);
    const env = { AMP_BASE_URL: server.url, AMP_API_KEY: server.apiKey, AMP_PROJECT: "acme" };
    const world = { env, fetch: (one: Request) => fetch(one) };
    for (const words of [
      ["notify", "topics", "list"],
      ["installations", "list", integration],
    ]) {
      const [live, recorded] = [await run(words, { sandbox: old }), await run(words, world)];
      expect(recorded.code).toBe(live.code);
      const own = live.stdout.split("\n").filter((line) => line.startsWith("Cyberdyne"));
      expect(recorded.stdout.split("\n").filter(Boolean)).toEqual(own);
      const said = recorded.stderr
        .split("\n")
        .filter((line) => !line.startsWith("The case has 1 of"));
      expect(said[0]).toBe(live.stderr.split("\n")[0]);
    }
    await server.close();
  });
});

it("refuses a login inside a case, before it asks", async () => {
  const login = await inCase(["auth", "login", "--api-key-file", "-"]);
  expect(login.code).toBe(2);
  expect(login.stderr).toContain("You cannot log in inside a case");
  expect(login.requests).toEqual([]);
});

describe("a command that waits for changes in a case", () => {
  const ENDS = "A case does not change, so amp does not wait. This is the recorded data.";

  it.each([
    [["installations", "wait", "cyberdyne", "--for", "health=healthy", "--within", "1h"], 124],
    [["installations", "list", "--all-integrations", "--watch"], 0],
    [["installations", "logs", "op_running", "--follow"], 0],
  ])("amp %j looks once, and ends", async (argv, code) => {
    const running = (one: RecordedAnswer) =>
      one.path.endsWith("/operations") ? { ...one, body: withRunning(one.body) } : one;
    const more = {
      ...logOf(file, "op_08139571_1b4"),
      path: "/projects/acme/operations/op_running/logs",
    };
    const other = await caseOf("Massive Dynamic");
    const answers = [...file.answers.map(running), more, ...other.answers];
    const server = await serveCase({ ...file, answers }, () => NOW);
    const env = environmentInCase(file, server, { path: "c.ampcase", folder: cwd, env: {} });
    const done = await run(argv, { cwd, env, fetch: (request) => fetch(request) });
    await server.close();
    expect(done).toMatchObject({ code, stderr: expect.stringContaining(ENDS) });
  });

  async function caseOf(customer: string): Promise<CaseFile> {
    const folder = temporaryFolder();
    await run(["case", "create", customer, "--save", "o.ampcase"], { sandbox, cwd: folder });
    return unpackCase(readFileSync(join(folder, "o.ampcase")), "o");
  }
});

function withRunning(body: unknown): unknown {
  const { results, ...page } = body as { results: readonly object[] };
  return {
    ...page,
    results: [{ ...results[0], id: "op_running", status: "in_progress" }, ...results],
  };
}

function logOf({ answers }: CaseFile, id: string): RecordedAnswer {
  const found = answers.find(({ path }) => path.endsWith(`/operations/${id}/logs`));
  if (found === undefined) throw new Error(`no log of ${id}`);
  return found;
}

describe("a case that somebody prepared", () => {
  /** Runs amp in the case with other answers. */
  async function inHostile(argv: readonly string[], answers: readonly RecordedAnswer[]) {
    const server = await serveCase({ ...file, answers: [...answers] }, () => NOW);
    const env = environmentInCase(file, server, { path: "c.ampcase", folder: cwd, env: {} });
    const done = await run(argv, { cwd, env, fetch: (request) => fetch(request) });
    await server.close();
    return done;
  }
  const answerAt = (
    path: string,
    body: unknown,
    more: Partial<RecordedAnswer> = {},
  ): RecordedAnswer => ({
    ...{ method: "GET", path, query: {}, status: 200, body },
    headers: { "content-type": "application/json" },
    ...more,
  });

  it("does not keep the reader waiting by a recorded delay", async () => {
    const busy = {
      status: 503,
      headers: { "content-type": "application/json", "retry-after": "1" },
    };
    const path = "/projects/acme/provider-apps";
    const done = await inHostile(
      ["apps", "list"],
      [answerAt(path, {}, busy as Partial<RecordedAnswer>)],
    );
    expect(done.code).toBe(7);
    expect(done.requests.length).toBe(1);
  });

  it.each(["__proto__", "constructor", "toString", "%ff", "..%2f..%2fx"])(
    "has no provider of the name %s that nobody recorded",
    async (name) => {
      const argv = ["api", "GET", `/providers/${name}`];
      const done = await inHostile(argv, [answerAt("/providers", { hubspot: {} })]);
      expect(done.code).toBe(3);
      expect(done.stdout).not.toContain("native code");
    },
  );

  it("may have lists of anything", async () => {
    const list = answerAt("/projects/acme/installations", [null, 1, "x", [], { id: null }, {}]);
    const page = answerAt("/projects/acme/integrations/i/installations/x/operations", {
      results: [null, "x", { id: {} }],
    });
    for (const argv of [
      ["installations", "list", "i"],
      ["installations", "list", "--all-integrations"],
      ["installations", "get", "x"],
      ["installations", "logs", "x", "--follow"],
      ["connections", "list"],
    ]) {
      const { code, stderr } = await inHostile(argv, [list, page]);
      expect(code, argv.join(" ")).not.toBe(1);
      expect(stderr).not.toContain("Unexpected error");
    }
  });

  it.each(["%00", "%ff", "x%0ay"])("sets no variable to %s", (part) => {
    const answers = [
      answerAt(`/orgs/${part}/invites`, []),
      answerAt(`/projects/acme/integrations/${part}/installations`, []),
    ];
    const where = { path: "c.ampcase", folder: cwd, env: {} };
    const env = environmentInCase({ ...file, answers }, served, where);
    expect(env).not.toHaveProperty("AMP_ORG");
    expect(env).not.toHaveProperty("AMP_INTEGRATION");
  });

  it.each([
    [`\u001b[2J\u202e${"x".repeat(500)}\ud800`, /^From the case of \S{60,80}, recorded /u],
    ["Acme\nSigned: Acme\u2028", /^From the case of Acme Signed: Acme , recorded /u],
  ])("names its customer without what a terminal interprets: %j", async (group, expected) => {
    const verdict = { ...file.verdict, installation: { id: "i", group } };
    const server = await serveCase({ ...file, verdict }, () => NOW);
    const env = environmentInCase(file, server, { path: "c.ampcase", folder: cwd, env: {} });
    const done = await run(["projects", "list"], { cwd, env, fetch: (request) => fetch(request) });
    await server.close();
    expect(done.code).toBe(0);
    expect(done.stderr).toMatch(expected);
    expect(done.stderr).not.toMatch(/[\u202e\p{Cs}]/u);
    expect(done.stderr).not.toContain("\u001b");
  });
});

describe("a write in a case", () => {
  const WRITES = [
    ["installations", "pause", "cyberdyne", "--yes"],
    ["notify", "topics", "create", "x"],
    ["notify", "destinations", "secret", "acme-webhook", "--rotate", "--yes"],
    ["invites", "revoke", "inv_1", "--yes"],
    ["api", "DELETE", "/projects/{project}/topics/x", "--yes"],
  ];

  it.each(WRITES)("amp %s %s %s is refused before anything is sent", async (...argv) => {
    const { code, stdout, stderr, requests } = await inCase(argv.filter((word) => word));
    expect({ code, stdout, requests }).toEqual({ code: 6, stdout: "", requests: [] });
    expect(stderr).toMatch(/A case is read-only\n.*but the case \S+c\.ampcase/su);
    expect(stderr).toContain("Nothing was sent to any service.");
  });

  it("is shown with --dry-run, by a target that names no login", async () => {
    const { code, stderr } = await inCase(["notify", "topics", "create", "x", "--dry-run"]);
    expect(code).toBe(0);
    expect(stderr).toContain(`In the case ${join(cwd, "c.ampcase")} · project acme`);
    expect(stderr).not.toMatch(/AMP_API_KEY|127\.0\.0\.1/u);
  });

  it("--base-url is refused inside a case", async () => {
    const argv = ["projects", "list", "--base-url", "https://api.example.test/v1"];
    const { code, stderr, requests } = await inCase(argv);
    expect({ code, requests }).toEqual({ code: 2, requests: [] });
    expect(stderr).toContain("--base-url cannot be used inside a case");
  });
});

describe("a record that is not in a case", () => {
  it.each([
    [["installations", "get", "nosuch"], "Searched the 1 installation of project acme. Inside"],
    [["notify", "topics", "get", "nosuch"], "Inside"],
    [["installations", "get", "my case study"], "acme. Inside"],
  ])("amp %j says that a case was searched", async (argv, words) => {
    const env = { AMP_BASE_URL: served.url, AMP_API_KEY: served.apiKey, AMP_PROJECT: "acme" };
    const asked = (more: object) =>
      run(argv, { env: { ...env, ...more }, fetch: (request) => fetch(request) });
    const { code, stderr } = await asked({ AMP_CASE: "/tmp/c.ampcase" });
    expect(code).toBe(3);
    const inside = "the case /tmp/c.ampcase, amp finds only what was recorded.";
    expect(stderr).toContain(`${words} ${inside}`);
    expect((await asked({})).stderr).not.toContain("nside the case");
  });

  it("is another customer: of those, a case has counts alone", async () => {
    for (const words of [
      ["installations", "operations", "Rekall"],
      ["installations", "get", "Rekall"],
    ]) {
      const other = await inCase(words);
      expect(other).toMatchObject({ code: 3, stdout: "" });
      expect(other.stderr).toContain("The case has 1 of 64 installations: those of this customer.");
    }
  });

  it("is not looked for by the project file of the folder", async () => {
    const settings = ["profile: prod", "base-url: https://api.example.test/v1"];
    writeFileSync(join(cwd, ".amp.yaml"), [...settings, "project: other", "org: x"].join("\n"));
    const lists = [await inCase(["projects", "list"]), await inCase(["invites", "list"])];
    rmSync(join(cwd, ".amp.yaml"));
    expect(lists.map(({ code }) => code)).toEqual([0, 0]);
    for (const { stderr } of lists) expect(stderr).not.toMatch(/amp\.yaml|prod/u);
  });

  it("names what was not recorded, and a list that was read in part", async () => {
    const apps = await inCase(["apps", "list", "--project", "other"]);
    expect(apps.stderr).toContain("Could not list the provider apps: not in this case");
    expect(apps.stderr).toContain(
      "The case has no recorded response for GET /projects/other/provider-apps.",
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
    expect(env.AMP_STATE).toBe(join(env.AMP_CONFIG_DIR, "state.json"));
  });

  it("puts the program that opened it before any other amp", async () => {
    script(
      "which.js",
      `const found = require("node:child_process").execFileSync("amp", ["version", "a b"]);
       require("node:fs").writeFileSync("which.txt", found);`,
    );
    expect((await open("which.js", { PATH: "/usr/bin:/bin" })).code).toBe(0);
    expect(readFileSync(join(cwd, "which.txt"), "utf8")).toBe("version a b\n");
  });

  it("refuses to be opened inside another, and names a command that does not exist", async () => {
    const inside = await open("eight.js", { AMP_CASE: "other.ampcase" });
    expect(inside.code).toBe(2);
    expect(inside.stderr).toContain("already inside the case other.ampcase");
    expect(inside.stderr).toContain("Leave it first");
    // What amp case show suggests outside may be pasted here.
    const same = await open("eight.js", { AMP_CASE: join(cwd, "c.ampcase") });
    expect(same.code).toBe(2);
    expect(same.stderr).toContain(`Run the command as it is: ${process.execPath} eight.js`);
    const none = await run(["case", "open", "c.ampcase", "--", "no-such-command-7"], { cwd });
    expect(none).toMatchObject({ code: 2 });
    expect(none.stderr).toContain('Cannot run "no-such-command-7": no such command');
    const missing = await run(["case", "open", "none.ampcase"], { cwd });
    expect(missing).toMatchObject({ code: 2 });
  });
});
