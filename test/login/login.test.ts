import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NOW, type Outcome, run, sandboxAt, temporaryFolder, type World } from "../harness.ts";
import { CTRL_C, ENTER, type Key, scriptedPrompter } from "../notify/scripted-prompter.ts";

const URL = "http://127.0.0.1:4747/v1";
const KEY = "sandbox-api-key";
const TOKEN = "sandbox-access-token";
/** Nothing of the environment says who amp acts as. */
const NOBODY = {
  AMP_PROFILE: undefined,
  AMP_BASE_URL: undefined,
  AMP_API_KEY: undefined,
  AMP_PROJECT: undefined,
};

/** A machine on which one command follows another. */
function machine() {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  const amp = (args: readonly string[], world: World = {}): Promise<Outcome> =>
    run(args, { cwd, sandbox, ...world, env: { ...NOBODY, ...world.env } });
  const login = (args: readonly string[], world: World = {}) =>
    amp(["auth", "login", ...args], world);
  const file = (name: string) => join(cwd, "config", name);
  const read = (name: string) => readFileSync(file(name), "utf8");
  const profiles = () => JSON.parse(read("config.json"));
  return { cwd, sandbox, amp, login, file, read, profiles };
}

/** Somebody at the keyboard who follows a script. */
function person(script: readonly (readonly [string, Key])[]): World & { verify: () => void } {
  const prompter = scriptedPrompter(script);
  return { tty: true, prompter, env: { NO_COLOR: "1" }, verify: prompter.verify };
}

const piped = ["--base-url", URL, "--with-api-key", "-"];

describe("without questions", () => {
  it("checks the key, saves it and makes the profile active", async () => {
    const { login, amp, profiles } = machine();
    const args = [...piped, "--profile", "prod", "--project", "acme", "--org", "org_1", "--json"];
    const outcome = await login(args, { stdin: `${KEY}\n` });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.json()).toEqual({
      profile: "prod",
      baseUrl: URL,
      credential: "api-key",
      checked: true,
      project: "acme",
      org: "org_1",
    });
    expect(outcome.requests.map(({ path }) => path)).toEqual(["/projects"]);
    expect(profiles()).toMatchObject({ active: "prod", profiles: { prod: { project: "acme" } } });
    // From here on nothing has to be said any more.
    expect(await amp(["apps", "list"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("keeps the secret apart, private, and out of every output", async () => {
    const { login, cwd, file, read } = machine();
    const outcome = await login([...piped, "--debug"], { stdin: KEY });
    expect(outcome.code).toBe(0);
    expect(outcome.stdout + outcome.stderr).not.toContain(KEY);
    expect(read("config.json")).not.toContain(KEY);
    expect(read("credentials.json")).toContain(KEY);
    const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
    expect(mode(join(cwd, "config"))).toBe("700");
    expect(mode(file("config.json"))).toBe("600");
    expect(mode(file("credentials.json"))).toBe("600");
  });

  it("reads the secret from a file, a token too", async () => {
    const { login, cwd, amp } = machine();
    writeFileSync(join(cwd, "token.txt"), `  ${TOKEN}\r\n`);
    const args = ["--base-url", URL, "--with-access-token", "token.txt"];
    expect(await login(args)).toMatchObject({ code: 0 });
    expect((await amp(["auth", "token"])).stdout).toBe(`${TOKEN}\n`);
    const { requests } = await amp(["apps", "list", "-p", "acme"]);
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
    expect(requests[0]?.headers.has("x-api-key")).toBe(false);
  });

  it("names everything that is missing, and asks nobody", async () => {
    const { login, file } = machine();
    const outcome = await login([]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(
      "missing options --base-url, --with-api-key (or --with-access-token)",
    );
    expect((await login(["--base-url", URL])).stderr).toContain("missing option --with-api-key");
    expect(existsSync(file("config.json"))).toBe(false);
  });

  it("saves nothing where the key is wrong", async () => {
    const { login, file, amp } = machine();
    const outcome = await login([...piped, "--json"], { stdin: "wrong-key-of-mine" });
    expect(outcome).toMatchObject({ code: 4, stdout: "" });
    expect(outcome.error()).toMatchObject({ status: 401, done: "Nothing was saved." });
    expect(outcome.stderr).not.toContain("wrong-key-of-mine");
    expect(existsSync(file("config.json"))).toBe(false);
    expect(existsSync(file("credentials.json"))).toBe(false);
    expect(await amp(["auth", "status"])).toMatchObject({ code: 4 });
  });

  it("saves nothing where nobody answers, and leaves what there was", async () => {
    const { login, read } = machine();
    await login([...piped, "--profile", "prod"], { stdin: KEY });
    const before = read("config.json") + read("credentials.json");
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: { code: "ENOTFOUND", syscall: "getaddrinfo" } });
    };
    const outcome = await login([...piped, "--profile", "prod"], { stdin: TOKEN, fetch });
    expect(outcome).toMatchObject({ code: 7, stdout: "" });
    expect(outcome.stderr).toContain("Nothing was saved.");
    expect(read("config.json") + read("credentials.json")).toBe(before);
  });

  it("never repeats a key that was given where a file belongs", async () => {
    const { login } = machine();
    for (const args of [
      ["--base-url", URL, "--with-api-key", "sk-live-4711"],
      ["--base-url", URL, "--with-access-token", "sk-live-4711"],
      ["--base-url", URL, "sk-live-4711"],
      ["--base-url", URL, "--api-key=sk-live-4711"],
      ["--base-url", "https://sk-live-4711@api.example.test/v1", "--with-api-key", "-"],
    ]) {
      const outcome = await login(args, { stdin: KEY });
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).not.toContain("4711");
    }
    const { stderr } = await login(["--base-url", URL, "--with-api-key", "sk-live-4711"]);
    expect(stderr).toContain("never the secret itself");
  });

  it("takes one kind of credential", async () => {
    const { login } = machine();
    const outcome = await login([...piped, "--with-access-token", "-"], { stdin: KEY });
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.stderr).toContain("contradict each other");
  });

  it.each([
    ["", "is empty"],
    ["two\nlines", "line break"],
    ["sgamp_1234", "key of another tool"],
    ["curly “quotes”", "no header can carry"],
  ])("refuses what cannot be a key: %j", async (stdin, problem) => {
    const { login } = machine();
    const outcome = await login(piped, { stdin });
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(problem);
  });

  it("refuses a name that no profile may have, before it asks or sends anything", async () => {
    const { login } = machine();
    for (const name of ["a b", "a/b", "", "x".repeat(65), "sandbox", "ü"]) {
      const outcome = await login([...piped, "--profile", name], { stdin: KEY });
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      const asked = await login(["--profile", name], { ...person([]) });
      expect(asked).toMatchObject({ code: 2, stdout: "", requests: [] });
    }
    const longest = "aZ0._-".padEnd(64, "x");
    expect(await login([...piped, "--profile", longest], { stdin: KEY })).toMatchObject({
      code: 0,
    });
  });
});

describe("the base URL", () => {
  it("may end in a slash or not", async () => {
    const { login, profiles } = machine();
    const args = ["--base-url", `${URL}//`, "--with-api-key", "-"];
    expect(await login(args, { stdin: KEY })).toMatchObject({
      code: 0,
      requests: [{ path: "/projects" }],
    });
    expect(profiles().profiles.default.baseUrl).toBe(URL);
  });

  it("without a version is questioned", async () => {
    const { login, profiles } = machine();
    const args = ["--base-url", "http://127.0.0.1:4747", "--with-api-key", "-"];
    const refused = await login(args, { stdin: KEY });
    expect(refused).toMatchObject({ code: 2, requests: [] });
    expect(refused.stderr).toContain(`Give ${URL}, or add --yes`);

    const meant = await login([...args, "--yes"], {
      stdin: KEY,
      fetch: async () => Response.json([]),
    });
    expect(meant).toMatchObject({ code: 0 });
    expect(meant.stderr).toContain("names no version");
    expect(profiles().profiles.default.baseUrl).toBe("http://127.0.0.1:4747");
  });

  it("must be safe to send a key to", async () => {
    const { login } = machine();
    for (const [url, problem] of [
      ["http://api.example.test/v1", "is not encrypted"],
      ["ftp://api.example.test/v1", "is no address"],
      ["api.example.test/v1", "is no address"],
      ["https://api.example.test/v1?key=1", "holds a query"],
    ] as const) {
      const outcome = await login(["--base-url", url, "--with-api-key", "-"], { stdin: KEY });
      expect(outcome).toMatchObject({ code: 2, requests: [] });
      expect(outcome.stderr).toContain(problem);
    }
  });
});

describe("a service without the operation to check with", () => {
  const spec = { sandbox: sandboxAt(NOW, { specOnly: true }) };

  it("is asked for the apps of the project instead", async () => {
    const { login } = machine();
    const good = await login([...piped, "-p", "acme", "--json"], { ...spec, stdin: KEY });
    expect(good.json()).toMatchObject({ checked: true });
    expect(good.requests.map(({ path }) => path)).toEqual([
      "/projects",
      "/projects/acme/provider-apps",
    ]);
    const bad = await login([...piped, "-p", "acme"], { ...spec, stdin: "wrong" });
    expect(bad).toMatchObject({ code: 4, stdout: "" });
  });

  it("is accepted with a notice", async () => {
    const { login, profiles } = machine();
    const { code, stderr, stdout } = await login([...piped, "--json"], { ...spec, stdin: KEY });
    expect(code).toBe(0);
    expect(stderr).toContain("it is saved unchecked");
    expect(JSON.parse(stdout)).toMatchObject({ checked: false });
    expect(profiles().active).toBe("default");
  });

  it("warns of a project that the credential does not see", async () => {
    const { login } = machine();
    const { code, stderr } = await login([...piped, "-p", "nope"], { stdin: KEY });
    expect(code).toBe(0);
    expect(stderr).toContain("sees no project nope");
  });
});

describe("a profile that exists", () => {
  it("keeps its defaults when its key is renewed", async () => {
    const { login, profiles } = machine();
    const integration = "113e9685-9a51-42cc-8662-9d9725b17f14";
    await login([...piped, "-p", "acme", "--org", "o", "--integration", integration], {
      stdin: KEY,
    });
    const renewed = await login(["--with-access-token", "-"], { stdin: TOKEN });
    expect(renewed).toMatchObject({ code: 0, stderr: "" });
    expect(profiles().profiles.default).toEqual({
      baseUrl: URL,
      credential: "access-token",
      project: "acme",
      org: "o",
      integration,
    });
  });

  it("is not overwritten by a login to another service that names none", async () => {
    const { login, read } = machine();
    await login([...piped, "--profile", "prod"], { stdin: KEY });
    const before = read("credentials.json");
    const elsewhere = ["--base-url", "http://127.0.0.1:5000/v1", "--with-api-key", "-"];
    const outcome = await login(elsewhere, { stdin: KEY });
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("missing option --profile");
    expect(read("credentials.json")).toBe(before);

    const named = await login([...elsewhere, "--profile", "prod"], { stdin: KEY });
    expect(named.code).toBe(0);
    expect(named.stderr).toContain(`Profile prod was for ${URL} until now.`);
  });

  it("gives none of its defaults to another service", async () => {
    const { login, profiles } = machine();
    await login([...piped, "--profile", "prod", "-p", "acme", "--org", "o"], { stdin: KEY });
    const elsewhere = ["--base-url", "http://127.0.0.1:5000/v1", "--with-api-key", "-"];
    await login([...elsewhere, "--profile", "prod"], { stdin: KEY });
    expect(profiles().profiles.prod).toEqual({
      baseUrl: "http://127.0.0.1:5000/v1",
      credential: "api-key",
    });
  });
});

describe("with questions", () => {
  const QUESTION = {
    name: "Profile name",
    url: "Base URL, for example https://api.example.com/v1",
    kind: "Credential",
    key: "The API key",
    token: "The access token",
    project: "Default project (Enter for none)",
    org: "Default organisation ID (Enter for none)",
  };

  it("asks for what is not given, and only that", async () => {
    const { login, profiles } = machine();
    const all = person([
      [QUESTION.name, "a b"],
      [QUESTION.name, "prod"],
      [QUESTION.url, "example"],
      [QUESTION.url, URL],
      [QUESTION.kind, "Access token"],
      [QUESTION.token, TOKEN],
      [QUESTION.project, "acme"],
      [QUESTION.org, ENTER],
    ]);
    const outcome = await login([], all);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout + outcome.stderr).not.toContain(TOKEN);
    all.verify();
    expect(profiles().profiles.prod).toEqual({
      baseUrl: URL,
      credential: "access-token",
      project: "acme",
    });
    await expect(outcome.stdout).toMatchFileSnapshot("./golden/logged-in.txt");

    const options = ["--profile", "p", "--base-url", URL, "--project", "acme", "--org", "o"];
    const rest = person([
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
    ]);
    expect(await login(options, rest)).toMatchObject({ code: 0 });
    rest.verify();
    expect(profiles().profiles.p).toMatchObject({ project: "acme", org: "o" });
  });

  it("offers what the active profile says", async () => {
    const { login, profiles } = machine();
    await login([...piped, "--profile", "prod", "-p", "acme", "--org", "o"], { stdin: KEY });
    const script = person([
      [QUESTION.name, ENTER],
      [QUESTION.url, ENTER],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
    ]);
    expect(await login([], script)).toMatchObject({ code: 0 });
    script.verify();
    expect(profiles()).toMatchObject({
      active: "prod",
      profiles: { prod: { baseUrl: URL, project: "acme", org: "o" } },
    });
  });

  it("questions an address without a version", async () => {
    const { login, profiles } = machine();
    const script = person([
      ["The address names no version. Which one is meant?", URL],
      [QUESTION.kind, ENTER],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
    ]);
    const args = ["--profile", "p", "--base-url", "http://127.0.0.1:4747/"];
    expect(await login(args, script)).toMatchObject({ code: 0 });
    script.verify();
    expect(profiles().profiles.p.baseUrl).toBe(URL);
  });

  it("saves nothing where it is broken off at any question", async () => {
    const answers: [string, Key][] = [
      [QUESTION.name, "p"],
      [QUESTION.url, URL],
      [QUESTION.kind, "API key"],
      [QUESTION.key, KEY],
      [QUESTION.project, ENTER],
      [QUESTION.org, ENTER],
    ];
    for (const [at, [question]] of answers.entries()) {
      const { login, file } = machine();
      const script = person([...answers.slice(0, at), [question, CTRL_C]]);
      expect(await login([], script)).toMatchObject({ code: 130, stdout: "", requests: [] });
      expect(existsSync(file("config.json"))).toBe(false);
      script.verify();
    }
  });
});

describe("afterwards", () => {
  it("says where a variable goes before the profile", async () => {
    const { login } = machine();
    const env = { AMP_API_KEY: "key-of-the-shell" };
    const { code, stderr } = await login(piped, { stdin: KEY, env });
    expect(code).toBe(0);
    expect(stderr).toContain("AMP_API_KEY is set: it is used in place of the profile's");
    expect(stderr).not.toContain("key-of-the-shell");
  });

  it("leaves a file that cannot be understood alone", async () => {
    const { login, cwd, file } = machine();
    mkdirSync(join(cwd, "config"), { mode: 0o700 });
    writeFileSync(file("config.json"), '{"profiles": {', { mode: 0o600 });
    const outcome = await login(piped, { stdin: KEY });
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain("config.json");
    expect(readFileSync(file("config.json"), "utf8")).toBe('{"profiles": {');
  });
});
