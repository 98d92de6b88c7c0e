import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { LoginStatus } from "../../src/documents/account.ts";
import { NOW, type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { operator } from "../scripted-prompter.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { logIn } from "./invocations.ts";

const TERMINAL: RunInput = { tty: true, env: { NO_COLOR: "1" } };

/** A machine with these profiles, the last one active. */
async function machine(...names: readonly string[]) {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  for (const name of names) await logIn(cwd, sandbox, name);
  const amp = (args: readonly string[], world: RunInput = {}): Promise<Outcome> =>
    run(args, { cwd, sandbox, ...world, env: { AMP_PROFILE: undefined, ...world.env } });
  const read = (name: string) => readFileSync(join(cwd, "config", name), "utf8");
  return { cwd, amp, read, auth: (...args: readonly string[]) => amp(["auth", ...args]) };
}

describe("amp auth list", () => {
  it("knows the sandbox without any login", async () => {
    const { auth } = await machine();
    expect((await auth("list")).stdout).toBe(
      "sandbox\t\thttp://127.0.0.1:4747/v1\tbuilt in\tacme\t\n",
    );
  });

  it("marks the active profile", async () => {
    const { amp } = await machine("prod", "staging");
    const { stdout, stderr } = await amp(["auth", "list"], TERMINAL);
    await expect(stdout + stderr).toMatchFileSnapshot("./golden/auth-list.txt");
    const { stdout: json } = await amp(["auth", "list", "--json"]);
    expect(JSON.parse(json)).toMatchObject([
      { name: "prod", active: false },
      { name: "staging", active: true, credential: "api-key" },
      { name: "sandbox", active: false, builtIn: true },
    ]);
    expect(json).not.toContain("sandbox-api-key");
  });
});

describe("amp auth switch", () => {
  it("chooses the active profile, by name or from the list", async () => {
    const { amp, auth } = await machine("prod", "staging");
    expect((await auth("switch", "prod")).stdout).toBe("Profile prod is now active\n");
    const script = operator([["Profile", "staging"]]);
    const picked = await amp(["auth", "switch"], script);
    expect(picked).toMatchObject({ code: 0, stdout: "Profile staging is now active\n" });
    expect(script.prompter.offered.Profile?.map(({ label }) => label)).toEqual([
      "prod",
      "staging",
      "sandbox",
    ]);
    expect(await auth("switch", "sandbox")).toMatchObject({ code: 0 });
    expect(await amp(["apps", "list"])).toMatchObject({ code: 0 });
  });

  it("names what is missing and what does not exist", async () => {
    const { auth } = await machine("prod");
    const missing = await auth("switch");
    expect(missing).toMatchObject({ code: 2, stdout: "" });
    expect(missing.stderr).toContain("✗ Missing argument <profile>\n");
    const unknown = await auth("switch", "prdo");
    expect(unknown).toMatchObject({ code: 3, stdout: "" });
    expect(unknown.stderr).toContain("Did you mean prod?");
  });
});

describe("amp auth rename", () => {
  it("takes the secret and the activity along", async () => {
    const { auth, amp } = await machine("prod");
    expect((await auth("rename", "prod", "live")).stdout).toBe("Renamed profile prod to live\n");
    expect((await auth("token")).stdout).toBe("sandbox-api-key\n");
    expect(await amp(["apps", "list", "-p", "acme"])).toMatchObject({ code: 0 });
    expect(await auth("token", "prod")).toMatchObject({ code: 3 });
  });

  it("refuses a taken, bad, built-in or unknown name", async () => {
    const { auth, read } = await machine("prod", "staging");
    const before = read("config.json");
    expect(await auth("rename", "prod", "staging")).toMatchObject({ code: 5 });
    expect(await auth("rename", "prod", "a b")).toMatchObject({ code: 2 });
    expect(await auth("rename", "prod", "sandbox")).toMatchObject({ code: 2 });
    expect(await auth("rename", "sandbox", "x")).toMatchObject({ code: 2 });
    expect(await auth("rename", "nope", "x")).toMatchObject({ code: 3 });
    expect(read("config.json")).toBe(before);
  });
});

describe("amp auth logout", () => {
  it("forgets the profile in use, with its secret", async () => {
    const { auth, amp, read } = await machine("prod", "staging");
    expect(await auth("logout")).toMatchObject({ code: 0, stdout: "Deleted profile staging\n" });
    expect(read("config.json") + read("credentials.json")).not.toContain("staging");
    expect(await amp(["apps", "list", "-p", "acme"])).toMatchObject({ code: 4, requests: [] });
    expect(await auth("logout")).toMatchObject({ code: 4 });
    expect(await auth("logout", "prod")).toMatchObject({ code: 0 });
    expect(read("credentials.json")).not.toContain("sandbox-api-key");
  });

  it("refuses the built-in one and one that is not there", async () => {
    const { auth } = await machine();
    expect(await auth("logout", "sandbox")).toMatchObject({ code: 2 });
    expect(await auth("logout", "nope")).toMatchObject({ code: 3 });
  });
});

describe("amp auth token", () => {
  it("prints the secret and nothing else", async () => {
    const { auth } = await machine("prod");
    expect(await auth("token")).toMatchObject({ code: 0, stdout: "sandbox-api-key\n", stderr: "" });
    expect((await auth("token", "prod", "--json")).json()).toEqual({
      profile: "prod",
      kind: "api-key",
      token: "sandbox-api-key",
    });
    expect((await auth("token", "sandbox")).stdout).toBe("sandbox-api-key\n");
  });

  it("has nothing to print or delete where nobody is logged in, or the secret is gone", async () => {
    const none = await machine();
    const env = { AMP_BASE_URL: undefined, AMP_API_KEY: undefined };
    for (const word of ["token", "logout"]) {
      const { code, stdout, stderr } = await none.amp(["auth", word], { env });
      expect([word, code, stdout]).toEqual([word, 4, ""]);
      expect(stderr).toContain("✗ Not logged in\n");
    }
    // With a key of the environment only the name of a profile is missing.
    const given = await none.amp(["auth", "token"], {
      env: { ...env, AMP_API_KEY: "key", AMP_BASE_URL: "https://api.example.test/v1" },
    });
    expect(given).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("No profile is in use"),
    });
    const { auth, cwd } = await machine("prod");
    writeFileSync(join(cwd, "config", "credentials.json"), '{"version":1,"credentials":{}}');
    expect(await auth("token")).toMatchObject({ code: 4, stdout: "" });
  });
});

describe("amp auth status", () => {
  const untimed = (text: string) =>
    text
      .replace(/\/\S*(?=\/config\/)/u, "…")
      .replace(/answered in \d+ ms/u, "answered in <time>")
      .replace(/(?<= )\S+ \((?:node|bun) .*\)$/mu, "<version>");
  const check = (outcome: { json(): unknown }, name: string) =>
    (outcome.json() as LoginStatus).checks.find((one) => one.check === name);

  it("says first that amp is ready, and who it acts as", async () => {
    const { amp } = await machine("prod");
    // Wide enough for the path of any temporary folder.
    const terminal = { ...TERMINAL, columns: 200 };
    const { code, stdout, stderr } = await amp(["auth", "status"], terminal);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    await expect(untimed(stdout)).toMatchFileSnapshot("./golden/auth-status.txt");
    const alias = await amp(["doctor"], terminal);
    expect(untimed(alias.stdout)).toBe(untimed(stdout));
  });

  it("tells each setting with its source, and the sources that it overrides", async () => {
    const { amp, cwd } = await machine("prod");
    writeFileSync(join(cwd, ".amp.yaml"), "project: acme\nbase-url: https://ada:pw@x.test/v1\n");
    const env = {
      AMP_API_KEY: "sandbox-api-key",
      AMP_PROJECT: "globex-staging",
      AMP_BASE_URL: "http://127.0.0.1:4747/v1",
      HTTPS_PROXY: "http://ada:secret@proxy.test:3128",
      AMP_SANDBOX_TOKEN: "token-of-sandbox",
    };
    const status = await amp(["auth", "status", "--json"], { env });
    const file = join(cwd, ".amp.yaml");
    expect(status).toMatchObject({ code: 0, stderr: "" });
    expect(status.json()).toMatchObject({
      ready: true,
      credentialSource: "AMP_API_KEY",
      notes: expect.arrayContaining([
        `Using AMP_BASE_URL (base-url in ${file} is ignored).`,
        `Using AMP_PROJECT (project in ${file} is ignored).`,
        "Using AMP_API_KEY (the API key of profile prod is ignored).",
      ]),
      settings: expect.arrayContaining([
        { setting: "project", value: "globex-staging", source: "AMP_PROJECT", shadows: [file] },
        { setting: "profile", value: "prod", source: "active profile" },
        { setting: "api-key", value: "[redacted]", source: "AMP_API_KEY" },
      ]),
    });
    const page = await amp(["auth", "status"], { ...TERMINAL, columns: 200, env });
    expect(page.stdout).toContain(`AMP_PROJECT (overrides ${file})`);
    expect(page.stdout + status.stdout).not.toMatch(
      /ada:|secret@|sandbox-api-key|token-of-sandbox/u,
    );
  });

  it("exits 4 where there is no credential, or it is refused, and leads to the login", async () => {
    const none = await machine();
    const nobody = await none.amp(["doctor"], TERMINAL);
    expect(nobody).toMatchObject({ code: 4, requests: [], stderr: "" });
    expect(nobody.stdout).toMatch(/^Credential: Not logged in\. /u);
    expect(nobody.stdout).toContain("\n  amp auth login\n");

    const { amp } = await machine("prod");
    const refusing = async () => Response.json({ status: 401 }, { status: 401 });
    const refused = await amp(["auth", "status"], { ...TERMINAL, fetch: refusing });
    expect(refused.code).toBe(4);
    expect(refused.stdout).toMatch(/^Credential: .*401/su);
    expect(refused.stdout).toContain("\n  amp auth login --profile prod\n");
    // A login would change nothing while the variable outranks it.
    const env = { AMP_API_KEY: "wrong" };
    const shadowed = await amp(["doctor"], { ...TERMINAL, env, fetch: refusing });
    expect(shadowed.stdout).toContain("Correct AMP_API_KEY, or unset it to use a saved login.");
    expect(shadowed.stdout).not.toContain("auth login");
    const json = await amp(["auth", "status", "--json"], { fetch: refusing });
    expect(json.error()).toMatchObject({ code: "auth", status: 401 });
    expect(check(json, "credential")).toMatchObject({
      outcome: "problem",
      code: "auth",
      next: "amp auth login --profile prod",
    });
  });

  it("finds every problem at once, and says each once", async () => {
    const { amp, cwd } = await machine("prod");
    const state = join(cwd, "state.json");
    writeFileSync(state, "{}");
    const env = { AMP_STATE: state, NODE_EXTRA_CA_CERTS: join(cwd, "no.pem") };
    const fetch = async () => {
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error(), { code: "CERT_HAS_EXPIRED" }),
      });
    };
    const outcome = await amp(["doctor", "--json"], { env, fetch });
    expect(outcome.code).toBe(7);
    expect(check(outcome, "service")?.text).toContain("its TLS certificate has expired");
    expect(check(outcome, "state")).toMatchObject({ outcome: "problem" });
    expect(check(outcome, "certificates")).toMatchObject({
      outcome: "warning",
      text: `${env.NODE_EXTRA_CA_CERTS} cannot be read: file not found`,
    });
    const { stdout } = await amp(["doctor"], {
      ...TERMINAL,
      columns: 200,
      env: { ...env, NO_COLOR: "1" },
      fetch,
    });
    expect(stdout).toMatch(/^2 problems: service, state\n/u);
    for (const line of new Set(stdout.split("\n"))) {
      if (line.length > 40) expect(stdout.split(line)).toHaveLength(2);
    }
  });

  it("says what to correct where the host is not found, or the profiles cannot be read", async () => {
    const { amp, cwd } = await machine("prod");
    const fetch = async () => {
      throw new TypeError("fetch failed", {
        cause: Object.assign(new Error(), { code: "ENOTFOUND" }),
      });
    };
    const env = { AMP_BASE_URL: "https://x.test/v1", AMP_API_KEY: "key" };
    const lost = await amp(["doctor"], {
      ...TERMINAL,
      columns: 200,
      env: { ...env, NO_COLOR: "1" },
      fetch,
    });
    expect(lost.stdout).toMatch(/^Service: .*host not found\. Check the host in the URL\.$/mu);

    writeFileSync(join(cwd, "config", "config.json"), "{");
    // A state whose service is not known is not looked for.
    const named = { AMP_STATE: join(cwd, "none", "state.json") };
    const broken = await amp(["doctor", "--json"], { env: named });
    expect(check(broken, "settings")?.text).toContain("config.json is not valid JSON");
    expect(broken.json()).toMatchObject({ notes: [] });
    expect(check(broken, "state")).toBeUndefined();
  });

  it("reads a configured state, and makes nothing for that", async () => {
    const { amp, cwd } = await machine("prod");
    const env = { AMP_STATE: join(cwd, "state.json") };
    const text = async () => check(await amp(["doctor", "--json"], { env }), "state")?.text;
    expect(await text()).toBe(`${env.AMP_STATE}, nothing saved yet`);
    expect(readdirSync(cwd)).not.toContain(".amp-admin");
  });

  it("says how far the clock is off, and which proxy is used", async () => {
    const { amp } = await machine("prod");
    const answer = (date: Date) => async () =>
      Response.json([], { headers: { date: date.toUTCString() } });
    const off = new Date(Date.now() + 3_600_000);
    const ahead = await amp(["doctor", "--json"], { fetch: answer(off), now: new Date() });
    expect(check(ahead, "clock")).toMatchObject({
      outcome: "warning",
      text: expect.stringMatching(/^The clock of this machine is (?:59|60) min|1 h behind that/u),
    });
    const inStep = await amp(["doctor", "--json"], { fetch: answer(new Date()), now: new Date() });
    expect(check(inStep, "clock")).toMatchObject({ outcome: "ok" });
    const env = { HTTP_PROXY: "http://proxy.test:3128", NO_PROXY: undefined };
    const proxied = await amp(["doctor", "--json"], { env, fetch: answer(new Date()) });
    expect(check(proxied, "proxy")?.text).toBe("proxy.test:3128 (HTTP_PROXY)");
    const not = { ...env, NO_PROXY: "127.0.0.1" };
    const direct = await amp(["doctor", "--json"], { env: not, fetch: answer(new Date()) });
    expect(check(direct, "proxy")?.text).toBe("not for 127.0.0.1 (NO_PROXY)");
  });

  it("finds another amp on PATH, and a shell without completion", async () => {
    const { amp, cwd } = await machine("prod");
    writeFileSync(join(cwd, "amp"), "#!/bin/sh\n", { mode: 0o755 });
    const env = { PATH: `/nowhere:${cwd}`, SHELL: "/bin/bash", HOME: cwd };
    const before = await amp(["doctor", "--json"], { env });
    expect(before.code).toBe(0);
    expect(check(before, "path")?.text).toBe(`amp on PATH is another program: ${join(cwd, "amp")}`);
    expect(check(before, "completion")).toMatchObject({
      outcome: "warning",
      remedy: "Add source <(amp completion bash) to ~/.bashrc.",
    });
    writeFileSync(join(cwd, ".bashrc"), "source <(amp completion bash)\n");
    const after = await amp(["doctor", "--json"], { env });
    expect(check(after, "completion")).toMatchObject({ outcome: "ok", text: join(cwd, ".bashrc") });
  });

  it("says whether the keyring answers", async () => {
    const { amp } = await machine("prod");
    const keyring = { read: async () => undefined, write: async () => {}, remove: async () => {} };
    expect(check(await amp(["doctor", "--json"], { keyring }), "keyring")?.text).toBe("reachable");
    expect(check(await amp(["doctor", "--json"]), "keyring")?.text).toContain("saved in a file");
  });

  it("says where the service cannot be asked", async () => {
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const { amp } = await machine("prod");
    const outcome = await amp(["auth", "status", "--json"], { sandbox });
    expect(outcome).toMatchObject({ code: 3 });
    expect(outcome.json()).toMatchObject({ ready: false, checked: false });
    expect(check(outcome, "service")).toMatchObject({ outcome: "problem", code: "not-found" });
  });

  it("is not ready for a project that the credential does not see", async () => {
    const { amp } = await machine("prod");
    const outcome = await amp(["doctor", "-p", "nope", "--json"]);
    expect(outcome).toMatchObject({ code: 3 });
    expect(check(outcome, "service")?.text).toContain("no access to project nope");
  });

  it("names each setting whose value is not valid, and no other check for it", async () => {
    const { amp } = await machine("prod");
    const env = { AMP_TIMEOUT: "abc", AMP_PARALLEL: "900", ACCESSIBLE: "1" };
    const outcome = await amp(["doctor", "--json"], { env });
    expect(outcome).toMatchObject({ code: 2 });
    const { checks } = outcome.json() as {
      checks: { check: string; outcome: string; text: string }[];
    };
    const problems = checks.filter(({ outcome }) => outcome === "problem");
    expect(problems.map(({ check }) => check)).toEqual(["settings", "settings"]);
    expect(problems.map(({ text }) => text.split(":")[0])).toEqual(["AMP_PARALLEL", "AMP_TIMEOUT"]);
  });

  it("reports a broken project file among the other checks", async () => {
    const { amp, cwd } = await machine("prod");
    writeFileSync(join(cwd, ".amp.yaml"), "timeout: abc\n");
    const outcome = await amp(["doctor", "--json"]);
    expect(outcome).toMatchObject({ code: 2 });
    expect(check(outcome, "settings")?.text).toContain('.amp.yaml:1: timeout: "abc"');
    expect(check(outcome, "credential")).toMatchObject({ outcome: "ok" });
  });

  it("tells when a token ends, and of one that has", async () => {
    const { amp } = await machine();
    const jwt = (exp: number) =>
      ["e30", Buffer.from(JSON.stringify({ exp })).toString("base64url"), "x"].join(".");
    const status = (exp: Date, format = "--json") =>
      amp(["auth", "status", format], {
        env: { AMP_ACCESS_TOKEN: jwt(exp.getTime() / 1000), AMP_BASE_URL: "https://x.test/v1" },
        fetch: async () => Response.json([]),
      });
    const later = await status(new Date(NOW.getTime() + 60_000));
    expect(later).toMatchObject({ code: 0, stderr: "" });
    expect(later.json()).toMatchObject({ expires: "2026-09-02T08:31:00.000Z" });
    const past = await status(new Date(NOW.getTime() - 60_000), "--output=yaml");
    expect(past.stdout).toContain("expired at 2026-09-02T08:29:00.000Z");
  });
});
