import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Outcome, type RunInput, run } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

/** Runs the sandbox until it has said where it listens; `use` may ask it before the signal comes. */
async function start(
  args: readonly string[],
  use: (url: string) => Promise<void> = async () => {},
  world: RunInput = {},
) {
  const controller = new AbortController();
  const argv = ["sandbox", "start", "--port", "0", ...args];
  return run(argv, {
    ...world,
    signal: controller.signal,
    onOutput: (text) => {
      const url = /http:\/\/[\w.:[\]]+\/v1/u.exec(text)?.[0] ?? "";
      void use(url).finally(() => controller.abort("SIGINT"));
    },
  });
}

/** The token file of a sandbox, and its commands, by the same user. */
function commandsAt(cwd: string, url: string) {
  const { port } = new URL(url);
  const token = join(cwd, ".local/state/amp-admin/sandbox", port);
  const amp = (...words: string[]) =>
    run(["sandbox", ...words, "--profile", "sandbox", "--base-url", url], {
      cwd,
      fetch,
      env: {
        ...{ AMP_BASE_URL: undefined, AMP_API_KEY: undefined, AMP_PROJECT: undefined },
        // They write to no project.
        AMP_EXPECT_PROJECT: "acme",
      },
    });
  return { token, amp };
}

describe("the commands that control a sandbox", () => {
  it("find its token, which is in no log and goes with it", async () => {
    const cwd = temporaryFolder();
    const codes: number[] = [];
    let [secret, path, mode, shown] = ["", "", 0, ""];
    const { stderr, stdout } = await start(
      ["--json", "--time-scale", "1000"],
      async (url) => {
        const { token, amp } = commandsAt(cwd, url);
        [secret, path, mode] = [readFileSync(token, "utf8"), token, statSync(token).mode & 0o777];
        for (const words of [
          ["fail", "staging-webhook", "--next", "2", "--with", "timeout"],
          ["pause", "staging-webhook"],
          ["resume", "staging-webhook"],
          ["forward", "1h"],
          ["export", "--save", "world.json"],
          ["reset"],
        ]) {
          const outcome = await amp(...words, "--debug");
          codes.push(outcome.code);
          shown += outcome.stdout + outcome.stderr;
        }
      },
      { cwd },
    );
    expect(codes).toEqual([0, 0, 0, 0, 0, 0]);
    expect(shown).toContain("2 to staging-webhook: timeout");
    expect(shown).toMatch(/^Destination\tstaging-webhook\nID\tdst_\w+$/mu);
    expect(mode).toBe(0o600);
    expect(existsSync(path)).toBe(false);
    expect(JSON.parse(stdout).page).toBe(
      `${new URL("/_sandbox/", JSON.parse(stdout).url)}#${secret}`,
    );
    expect(stderr.split(secret)).toHaveLength(1);
    expect(shown).not.toContain(secret);
    expect(statSync(join(cwd, "world.json")).mode & 0o777).toBe(0o600);
  });

  it("start another sandbox with the same IDs and secrets from what export wrote", async () => {
    const cwd = temporaryFolder();
    const worlds: { destinations: object[]; activity: { present: string } }[] = [];
    const save = async (url: string) => {
      const { stdout } = await commandsAt(cwd, url).amp("export");
      writeFileSync(join(cwd, "world.json"), stdout);
      worlds.push(JSON.parse(stdout));
    };
    await start([], save, { cwd });
    await start(["--world", "world.json"], save, { cwd });
    expect(worlds[1]).toEqual(worlds[0]);
    expect(worlds[0]?.destinations).toContainEqual(
      expect.objectContaining({ secrets: expect.anything() }),
    );
    const schema = readFileSync(new URL("../../docs/world.schema.json", import.meta.url), "utf8");
    const { Ajv2020: Ajv } = await import("ajv/dist/2020.js");
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(JSON.parse(schema));
    expect([isValid(worlds[0]), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...worlds[0], topics: 5 })).toBe(false);
  });

  it("say that nobody runs a sandbox there", async () => {
    const outcome = await commandsAt(temporaryFolder(), "http://127.0.0.1:9/v1").amp("reset");
    expect(outcome).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("You run no sandbox"),
    });
    const foreign = await run(["sandbox", "reset"], {});
    expect(foreign.stderr).toContain("You run no sandbox at https://api.example.test");
  });

  it("use the token of the environment, which no host of a public name gets", async () => {
    const outcomes: Outcome[] = [];
    const reset = (token: string, ...words: string[]) =>
      run(["sandbox", "reset", ...words], { fetch, env: { AMP_SANDBOX_TOKEN: token } });
    const use = async (url: string) => {
      outcomes.push(await reset("ours", "--base-url", url));
      outcomes.push(await reset("theirs", "--base-url", url));
      outcomes.push(await reset("", "--base-url", url));
    };
    await start([], use, { env: { AMP_SANDBOX_TOKEN: "ours" } });
    expect(outcomes.map(({ code }) => code)).toEqual([0, 4, 2]);
    expect((await reset("ours")).stderr).toContain("You run no sandbox at https://api");
    expect(outcomes[2]?.stderr).toContain("AMP_SANDBOX_TOKEN is empty");
  });

  it.each(["200", "600", "rain"])("refuse a fault that is none: %s", async (typed) => {
    const outcome = await run(["sandbox", "fail", "--with", typed]);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining("timeout or reset") });
  });
});

describe("amp sandbox start", () => {
  it("prints where it listens, serves, tells each request, and ends with the signal", async () => {
    const answers: number[] = [];
    let base = "";
    let asSuggested: Outcome | undefined;
    const outcome = await start([], async (url) => {
      base = url;
      const env = { AMP_BASE_URL: undefined, AMP_API_KEY: undefined, AMP_PROJECT: undefined };
      const list = ["installations", "list", "--profile", "sandbox", "--base-url", url];
      asSuggested = await run(list, { env, fetch });
      answers.push((await fetch(`${url}/providers/hubspot`)).status);
      answers.push((await fetch(`${url}/projects/acme/topics`)).status);
      const headers = { "x-api-key": "sandbox-api-key" };
      for (const query of ["", "?after=7"]) {
        await fetch(`${url}/sandbox/projects/acme/deliveries${query}`, { headers });
      }
    });
    expect(outcome.code).toBe(0);
    expect(outcome.stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/v1\n$/u);
    expect(outcome.stderr).toMatch(/^Page: http:\/\/127\.0\.0\.1:\d+\/_sandbox\/#[\w-]{32}$/mu);
    expect(answers).toEqual([200, 401]);
    expect(outcome.stderr).toMatch(/GET \/v1\/providers\/hubspot 200 \d+ ms\n/u);
    expect(outcome.stderr).toMatch(/GET \S+\/deliveries 200/u);
    expect(outcome.stderr).not.toContain("after=7");
    // A terminal folds a command as a shell reads it, but only one that is not part of the text.
    expect(outcome.stderr.replaceAll(/[\s\\]+/gu, " ")).toContain(
      `In another terminal: amp installations list --profile sandbox --base-url ${base} `,
    );
    expect(asSuggested).toMatchObject({ code: 0 });
  });

  it("serves as many installations as are asked for, and what they did until now", async () => {
    const headers = { "x-api-key": "sandbox-api-key" };
    let installations: { id: string; integrationId: string; createTime: string }[] = [];
    let newest = "";
    const { code } = await start(["--installations", "100"], async (url) => {
      const list = await fetch(`${url}/projects/acme/installations`, { headers });
      installations = (await list.json()) as typeof installations;
      const [{ id, integrationId } = { id: "", integrationId: "" }] = installations;
      const path = `integrations/${integrationId}/installations/${id}/operations?pageSize=1`;
      const answer = await fetch(`${url}/projects/acme/${path}`, { headers });
      const page = (await answer.json()) as { results: { createTime: string }[] };
      newest = page.results[0]?.createTime ?? "";
    });
    expect(code).toBe(0);
    expect(installations).toHaveLength(100);
    expect(newest).toBe("2026-09-02T08:30:00.000Z");
  });

  it("changes the number of installations of a new state only", async () => {
    const cwd = temporaryFolder();
    expect((await start(["--state", "s.json"], undefined, { cwd })).code).toBe(0);
    const again = await start(["--state", "s.json", "--installations", "64"], undefined, { cwd });
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("already has data");
    const project = { name: "p", appName: "P", orgId: "o", createTime: "2026-01-01" };
    writeFileSync(join(cwd, "w.json"), JSON.stringify({ projects: [{ ...project, id: "p" }] }));
    const seeded = await start(["--state", "s.json", "--world", "w.json"], undefined, { cwd });
    expect([seeded.code, seeded.stderr]).toEqual([
      2,
      expect.stringContaining("--world has no effect"),
    ]);
    writeFileSync(join(cwd, "w.json"), "{}");
    const wrong = await start(["--world", "w.json"], undefined, { cwd });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("projects")]);
  });

  it("prints its URL, project and credentials as JSON", async () => {
    const { stdout } = await start(["--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/u),
      port: expect.any(Number),
      apiKey: "sandbox-api-key",
      accessToken: "sandbox-access-token",
      project: "acme",
    });
  });

  it.each([
    ["0.0.0.0", true],
    ["::", true],
    ["127.0.0.1", false],
    ["localhost", false],
    ["::1", false],
  ])("warns that a well-known key is open to the network: --host %s, %s", async (host, warns) => {
    const { code, stderr } = await start(["--host", host]);
    expect(code).toBe(0);
    expect(stderr.includes("The sandbox is open to the network: ")).toBe(warns);
  });

  it("does no more than the spec with --spec-only", async () => {
    const answers: number[] = [];
    const ask = async (url: string) => {
      const headers = { "x-api-key": "sandbox-api-key" };
      answers.push((await fetch(`${url}/projects`, { headers })).status);
      answers.push((await fetch(`${url}/projects/acme/provider-apps`, { headers })).status);
    };
    await start(["--spec-only"], ask);
    expect(answers).toEqual([404, 200]);
  });

  it("serves another catalogue, and says what is wrong with one", async () => {
    const cwd = temporaryFolder();
    const provider = {
      name: "x",
      authType: "none",
      baseURL: "https://x",
      defaultModule: "",
      support: {},
    };
    writeFileSync(join(cwd, "good.json"), JSON.stringify({ catalog: { x: provider } }));
    writeFileSync(join(cwd, "bad.json"), JSON.stringify({ catalog: { x: { name: "x" } } }));
    const names: string[] = [];
    const ask = async (url: string) => {
      names.push(...Object.keys((await (await fetch(`${url}/providers`)).json()) as object));
    };
    await start(["--providers", "good.json"], ask, { cwd });
    expect(names).toEqual(["x"]);
    const bad = await start(["--providers", "bad.json"], undefined, { cwd });
    expect(bad).toMatchObject({ code: 2, stdout: "" });
    expect(bad.stderr).toContain("not valid: x");
    expect(await start(["--providers", "nope.json"], undefined, { cwd })).toMatchObject({
      code: 2,
    });
  });

  it("remarks options that the specification requires of a provider, and serves it", async () => {
    const cwd = temporaryFolder();
    const facts = { baseURL: "https://x", defaultModule: "", support: {} };
    const catalogue = (authType: string, names: readonly string[]) => {
      const all = names.map((name) => [name, { name, authType, ...facts }]);
      writeFileSync(join(cwd, "providers.json"), JSON.stringify(Object.fromEntries(all)));
      return start(["--providers", "providers.json"], undefined, { cwd });
    };
    const remark = (name: string) =>
      `Provider ${name} has no oauth2Opts, which the specification requires for authType oauth2\n`;
    const one = await catalogue("oauth2", ["x"]);
    expect(one.code).toBe(0);
    expect(one.stderr).toContain(remark("x"));
    const many = await catalogue("oauth2", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]);
    expect(many.stderr).toContain(`${remark("j")}1 more provider lacks such options\n`);
    expect((await catalogue("basic", ["x"])).stderr).not.toContain("specification");
    expect((await start([])).stderr).not.toContain("specification");
  });

  it("keeps the world in a file of this folder", async () => {
    const cwd = temporaryFolder();
    const state = ["--state", "world.json"];
    const headers = { "x-api-key": "sandbox-api-key", "content-type": "application/json" };
    const create = async (url: string) => {
      const body = JSON.stringify({ name: "kept" });
      await fetch(`${url}/projects/acme/topics`, { method: "POST", headers, body });
    };
    await start(state, create, { cwd });
    expect(readFileSync(join(cwd, "world.json"), "utf8")).toContain('"kept"');
    const names: string[] = [];
    const list = async (url: string) => {
      const topics = await (await fetch(`${url}/projects/acme/topics`, { headers })).json();
      names.push(...(topics as { name: string }[]).map(({ name }) => name));
    };
    await start(state, list, { cwd });
    expect(names).toContain("kept");
  });

  it("leaves no temporary copy of the world that a killed sandbox was writing", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, ".world.json.0123456789abcdef.tmp"), "{");
    await start(["--state", "world.json"], undefined, { cwd });
    expect(readdirSync(cwd).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("is a new world with each start, but with --state the same one", async () => {
    const cwd = temporaryFolder();
    const worlds: (string | null)[] = [];
    const ask = async (url: string) => {
      for (const path of ["/providers/ghost", "/nothing"]) {
        worlds.push((await fetch(`${url}${path}`)).headers.get("amp-sandbox-world"));
      }
    };
    for (const args of [[], [], ["--state", "world.json"], ["--state", "world.json"]]) {
      await start(args, ask, { cwd });
    }
    const [first, alsoFirst, second, , kept, , same] = worlds;
    expect(first).toMatch(/^[\da-f-]{36}$/u);
    expect(alsoFirst).toBe(first);
    expect(new Set([first, second, kept]).size).toBe(3);
    expect(same).toBe(kept);
  });

  it("shares the file of its world with no other sandbox", async () => {
    const cwd = temporaryFolder();
    const second: Outcome[] = [];
    const first = await start(
      ["--state", "world.json"],
      async () => {
        second.push(await start(["--state", "world.json"], undefined, { cwd }));
      },
      { cwd },
    );
    expect(first.code).toBe(0);
    expect(second).toEqual([expect.objectContaining({ code: 5, stdout: "" })]);
    expect(second[0]?.stderr).toContain("world.json is locked by another run");
    expect((await start(["--state", "world.json"], undefined, { cwd })).code).toBe(0);
  });

  it("lets requests go wrong by a script, and tells of it", async () => {
    const cwd = temporaryFolder();
    const script = { lists: false, faults: [{ on: "POST topics", do: "status", status: 503 }] };
    writeFileSync(join(cwd, "faults.json"), JSON.stringify(script));
    writeFileSync(join(cwd, "bad.json"), JSON.stringify({ faults: [{ on: "POST topics" }] }));
    const answers: number[] = [];
    const headers = { "x-api-key": "sandbox-api-key", "content-type": "application/json" };
    const ask = async (url: string) => {
      const topics = `${url}/projects/acme/topics`;
      const body = JSON.stringify({ name: "made" });
      answers.push((await fetch(topics, { method: "POST", headers, body })).status);
      answers.push((await fetch(topics, { headers })).status);
    };
    const { stderr } = await start(["--faults", "faults.json"], ask, { cwd });
    expect(answers).toEqual([503, 404]);
    expect(stderr).toContain("POST /v1/projects/acme/topics: fault status\n");
    const bad = await start(["--faults", "bad.json"], undefined, { cwd });
    expect(bad).toMatchObject({ code: 2, stdout: "" });
    expect(bad.stderr).toContain("faults.0.do");
  });

  it("refuses a port that is none or taken", async () => {
    for (const port of ["65536", "-1", "http", "1.5"]) {
      const outcome = await run(["sandbox", "start", "--port", port]);
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toContain("--port");
    }
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const taken = await run(["sandbox", "start", "--port", String(port), "--spec-only"]);
    expect(taken).toMatchObject({ code: 5, stdout: "" });
    expect(taken.stderr).toContain("already in use");
    expect(taken.stderr).toContain("Try: amp sandbox start --port 0 --spec-only");
  });
});
