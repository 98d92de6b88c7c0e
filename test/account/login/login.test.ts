import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { operator } from "../../scripted-prompter.ts";
import { KEY, machine, piped, TOKEN, URL } from "./machine.ts";

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
      storedIn: "file",
      checked: true,
      project: "acme",
      org: "org_1",
    });
    expect(outcome.requests.map(({ path }) => path)).toEqual(["/projects"]);
    expect(profiles()).toMatchObject({ active: "prod", profiles: { prod: { project: "acme" } } });
    // From here on nothing has to be said any more.
    expect(await amp(["apps", "list"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("saves the secret separately, private, and out of every output", async () => {
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
    const args = ["--base-url", URL, "--access-token-file", "token.txt"];
    expect(await login(args)).toMatchObject({ code: 0 });
    expect((await amp(["auth", "token"])).stdout).toBe(`${TOKEN}\n`);
    const { requests } = await amp(["apps", "list", "-p", "acme"]);
    expect(requests[0]?.headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
    expect(requests[0]?.headers.has("x-api-key")).toBe(false);
  });

  it("names all missing options without a prompt", async () => {
    const { login, file } = machine();
    const outcome = await login([]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(
      "Missing options --base-url, --api-key-file (or --access-token-file)",
    );
    expect((await login(["--base-url", URL])).stderr).toContain("Missing option --api-key-file");
    expect(existsSync(file("config.json"))).toBe(false);
  });

  it("saves nothing where the key is wrong", async () => {
    const { login, file, amp } = machine();
    const outcome = await login([...piped, "--json"], { stdin: "wrong-key-of-mine" });
    expect(outcome).toMatchObject({ code: 4, stdout: "" });
    expect(outcome.error()).toMatchObject({ status: 401, done: "Nothing was saved." });
    // The same command would read the same key.
    expect(outcome.error()).not.toHaveProperty("suggestion");
    const told = (await login(piped, { stdin: "wrong-key-of-mine" })).stderr;
    expect(told).not.toContain("Try:");
    expect(told).toContain("Check the API key");
    expect(outcome.stderr).not.toContain("wrong-key-of-mine");
    expect(existsSync(file("config.json"))).toBe(false);
    expect(existsSync(file("credentials.json"))).toBe(false);
    expect(await amp(["auth", "status"])).toMatchObject({ code: 4 });
  });

  it("saves nothing if the service cannot be reached, and keeps earlier profiles", async () => {
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
      ["--base-url", URL, "--api-key-file", "sk-live-4711"],
      ["--base-url", URL, "--access-token-file", "sk-live-4711"],
      ["--base-url", URL, "sk-live-4711"],
      ["--base-url", URL, "--api-key=sk-live-4711"],
      ["--base-url", "https://sk-live-4711@api.example.test/v1", "--api-key-file", "-"],
    ]) {
      const outcome = await login(args, { stdin: KEY });
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).not.toContain("4711");
    }
    const { stderr } = await login(["--base-url", URL, "--api-key-file", "sk-live-4711"]);
    expect(stderr).toContain("or - for standard input");
  });

  it("refuses two kinds of credential together", async () => {
    const { login } = machine();
    const outcome = await login([...piped, "--access-token-file", "token.txt"], { stdin: KEY });
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.stderr).toContain("conflict");
  });

  it.each([
    ["", "is empty"],
    ["two\nlines", "line break"],
    ["sgamp_1234", "key of another tool"],
    ["curly “quotes”", "a character that HTTP headers"],
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
      const asked = await login(["--profile", name], { ...operator([]) });
      expect(asked).toMatchObject({ code: 2, stdout: "", requests: [] });
    }
    const longest = "aZ0._-".padEnd(64, "x");
    expect(await login([...piped, "--profile", longest], { stdin: KEY })).toMatchObject({
      code: 0,
    });
  });
});

describe("afterwards", () => {
  it("says where a variable goes before the profile", async () => {
    const { login } = machine();
    const env = { AMP_API_KEY: "key-of-the-shell" };
    const { code, stderr } = await login(piped, { stdin: KEY, env });
    expect(code).toBe(0);
    expect(stderr).toContain("AMP_API_KEY is set and takes precedence over the profile");
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

describe("files that cannot be understood", () => {
  const broken = (name: string, text: string) => {
    const world = machine();
    mkdirSync(join(world.cwd, "config"), { mode: 0o700 });
    writeFileSync(world.file(name), text, { mode: 0o600 });
    return world;
  };
  const cases = [
    ["config.json", "{ half"],
    ["credentials.json", "{ half"],
    ["credentials.json", '{"version":2,"credentials":{}}'],
    ["credentials.json", '{"somebody":"else"}'],
  ] as const;

  it.each(cases)("stop a login before anything is sent: %s %s", async (name, text) => {
    const { login, read } = broken(name, text);
    const outcome = await login(piped, { stdin: KEY });
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("amp auth login --reset");
    expect(outcome.stderr).toContain("Nothing was sent or saved");
    expect(read(name)).toBe(text);
  });

  it.each(cases)("are set aside by --reset, and kept: %s %s", async (name, text) => {
    const { login, read, file, amp } = broken(name, text);
    const outcome = await login([...piped, "--reset"], { stdin: KEY });
    const kept = `${name}.2026-09-02T08-30-00.000Z.bak`;
    expect(outcome.code).toBe(0);
    expect(outcome.stderr).toContain(`Moved ${file(name)} to ${file(kept)}.`);
    expect(read(kept)).toBe(text);
    expect((await amp(["auth", "token"])).stdout).toBe(`${KEY}\n`);
  });

  it("are not set aside over an earlier one, and --debug shows the name of the error", async () => {
    const { login, file, read } = broken("config.json", "{ half");
    writeFileSync(file("config.json.2026-09-02T08-30-00.000Z.bak"), "earlier");
    const outcome = await login([...piped, "--reset", "--debug"], { stdin: KEY });
    expect(outcome.stderr).toContain("Error name: backup_exists");
    expect(read("config.json")).toBe("{ half");
  });

  it("take the secrets of their profiles along, so that both can be brought back", async () => {
    const { login, amp, read, file } = machine();
    await login([...piped, "--profile", "first"], { stdin: KEY });
    const before = read("config.json");
    writeFileSync(file("config.json"), "{ half");
    const outcome = await login([...piped, "--profile", "second", "--reset"], { stdin: KEY });
    expect(outcome.code).toBe(0);
    writeFileSync(file("config.json"), before);
    const kept = "credentials.json.2026-09-02T08-30-00.000Z.bak";
    writeFileSync(file("credentials.json"), read(kept));
    expect((await amp(["auth", "token", "first"])).stdout).toBe(`${KEY}\n`);
  });

  it("that can be understood are not touched by --reset", async () => {
    const { login, profiles } = machine();
    await login([...piped, "--profile", "first"], { stdin: KEY });
    const outcome = await login([...piped, "--profile", "second", "--reset"], { stdin: KEY });
    expect(outcome.stderr).toContain("nothing was moved");
    expect(Object.keys(profiles().profiles)).toEqual(["first", "second"]);
  });

  it.each(["credentials.json", "config.json"] as const)(
    "leave a credential of the environment its work: %s",
    async (name) => {
      const { amp, read } = broken(name, "{ half");
      const env = { AMP_API_KEY: KEY, AMP_BASE_URL: URL, AMP_PROJECT: "acme" };
      expect(await amp(["apps", "list"], { env })).toMatchObject({ code: 0 });
      const list = await amp(["installations", "list"], { env });
      expect(list).toMatchObject({ code: 0 });
      if (name === "config.json") expect(list.stderr).toContain("Profiles are ignored");
      const write = ["notify", "topics", "create", "made"];
      expect(await amp(write, { env })).toMatchObject({ code: 0 });
      expect(read(name)).toBe("{ half");
    },
  );
});

describe("under GitHub Actions", () => {
  const env = { GITHUB_ACTIONS: "true" };

  it("a secret is masked on stderr, once for each run, and stdout is data alone", async () => {
    const { login, amp } = machine();
    const masks = (text: string) => text.split("\n").filter((line) => line.startsWith("::"));
    const first = await login(piped, { stdin: KEY, env });
    expect(masks(first.stderr)).toEqual([`::add-mask::${KEY}`]);
    const list = await amp(["apps", "list", "--json"], { env: { ...env, AMP_PROJECT: "acme" } });
    expect(masks(list.stderr)).toEqual([`::add-mask::${KEY}`]);
    expect(() => list.json()).not.toThrow();
    const token = await amp(["auth", "token"], { env });
    expect(masks(token.stderr)).toEqual([`::add-mask::${KEY}`]);
    expect(token.stdout).toBe(`${KEY}\n`);
  });

  it("but neither in a file nor for what the workflow has in the environment", async () => {
    const { login, amp } = machine();
    const inFile = await login(piped, { stdin: KEY, env, toFiles: true });
    expect(inFile).toMatchObject({ code: 0 });
    expect(inFile.stderr).not.toContain(KEY);
    const variables = { AMP_API_KEY: KEY, AMP_BASE_URL: URL, AMP_PROJECT: "acme" };
    const list = await amp(["apps", "list"], { env: { ...env, ...variables } });
    expect(list).toMatchObject({ code: 0 });
    expect(list.stderr).not.toContain(KEY);
    const piping = await login(piped, { stdin: KEY, env: { ...env, SERVICE_KEY: `${KEY}\n` } });
    expect(piping.stderr).not.toContain(KEY);
  });

  it("secrets are not masked outside GitHub Actions", async () => {
    const { login } = machine();
    expect((await login(piped, { stdin: KEY })).stderr).not.toContain(KEY);
  });
});
