import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const BASE = "https://api.example.test/v1";
const READ = "https://read.example.test/v1";
const KEY = "sandbox-api-key";
const OPERATIONS = ["installations", "operations", "Northwind Traders", "--limit", "1"];
const OF_CRM = [...OPERATIONS, "--integration", "crm-sync"];

/** A machine, and which host got which requests with which key. */
function machine() {
  const cwd = temporaryFolder();
  const sandbox = sandboxAt();
  let sent: { host: string; path: string; key: string | null }[] = [];
  const fetch: RunInput["fetch"] = async (request) => {
    const { host, pathname } = new URL(request.url);
    const key = request.headers.get("x-api-key");
    sent.push({ host, path: pathname.split("/").at(-1) ?? "", key });
    return sandbox.fetch(request);
  };
  const amp = async (argv: readonly string[], env: RunInput["env"] = {}, stdin?: string) => {
    sent = [];
    const none = { AMP_BASE_URL: undefined, AMP_API_KEY: undefined, AMP_PROJECT: "acme" };
    const outcome = await run(argv, {
      ...{ cwd, fetch, env: { ...none, ...env } },
      ...(stdin === undefined ? {} : { stdin }),
    });
    return { ...outcome, sent };
  };
  const logIn = (...more: string[]) =>
    amp(
      ["auth", "login", "--profile", "prod", "--base-url", BASE, "--api-key-file", "-", ...more],
      {},
      KEY,
    );
  return { cwd, amp, logIn };
}

const hostOf = (sent: readonly { host: string; path: string }[], path: string) =>
  sent.filter((one) => one.path === path).map(({ host }) => host);

describe("the host of operations and logs", () => {
  it("gets them, and the credential that was given for it at login; nothing else goes there", async () => {
    const { amp, logIn } = machine();
    const login = await logIn("--read-base-url", `${READ}/`, "--json");
    expect(login.json()).toMatchObject({ profile: "prod", baseUrl: BASE, readBaseUrl: READ });
    const { code, sent } = await amp(OF_CRM);
    expect(code).toBe(0);
    expect(hostOf(sent, "operations")).toEqual(["read.example.test"]);
    expect(new Set(sent.map(({ key }) => key))).toEqual(new Set([KEY]));
    const others = sent.filter(({ path }) => path !== "operations");
    expect(new Set(others.map(({ host }) => host))).toEqual(new Set(["api.example.test"]));
    for (const [argv, path] of [
      [["installations", "logs", "op_80c1cca5_1b4"], "logs"],
      [["installations", "get", "Massive Dynamic"], "backfill-progress"],
    ] as const) {
      expect(hostOf((await amp(argv)).sent, path)).toContain("read.example.test");
      expect(hostOf((await amp(argv)).sent, path)).not.toContain("api.example.test");
    }
    expect((await amp(["auth", "status", "--json"])).json()).toMatchObject({ readBaseUrl: READ });
    expect((await amp(["auth", "list", "--json"])).stdout).toContain(READ);
  });

  it("is the service itself without a setting", async () => {
    const { amp, logIn } = machine();
    await logIn();
    expect(hostOf((await amp(OF_CRM)).sent, "operations")).toEqual(["api.example.test"]);
  });

  it("gets no saved credential that was not given for it", async () => {
    const { cwd, amp, logIn } = machine();
    await logIn();
    const byVariable = await amp([...OF_CRM, "--json"], { AMP_READ_BASE_URL: READ });
    expect(byVariable.code).toBe(4);
    expect(byVariable.error()).toMatchObject({
      message: "The API key of profile prod cannot be used for https://read.example.test",
      detail: "It was saved for https://api.example.test.",
    });
    expect(hostOf(byVariable.sent, "operations")).toEqual([]);
    // Nor does a profile that was edited by hand redirect it.
    const path = join(cwd, "config", "config.json");
    const edited = readFileSync(path, "utf8").replace(
      '"baseUrl"',
      '"readBaseUrl": "https://evil.example.test/v1", "baseUrl"',
    );
    writeFileSync(path, edited);
    const redirected = await amp(OF_CRM);
    expect(redirected.code).toBe(4);
    expect(redirected.sent.map(({ host }) => host)).not.toContain("evil.example.test");
  });

  it("gets a credential of the environment only where the environment names it", async () => {
    const { amp, logIn } = machine();
    const env = { AMP_API_KEY: KEY, AMP_BASE_URL: BASE };
    const both = await amp(OF_CRM, { ...env, AMP_READ_BASE_URL: READ });
    expect(hostOf(both.sent, "operations")).toEqual(["read.example.test"]);
    await logIn("--read-base-url", READ);
    const onlyKey = await amp([...OF_CRM, "--profile", "prod"], { AMP_API_KEY: KEY });
    expect(hostOf(onlyKey.sent, "operations")).toEqual(["read.example.test"]);
    const unnamed = await amp([...OF_CRM, "--json"], { AMP_API_KEY: KEY });
    expect(unnamed.code).toBe(4);
    expect(unnamed.error()).toMatchObject({ remedy: "Set AMP_READ_BASE_URL, too." });
    expect(hostOf(unnamed.sent, "operations")).toEqual([]);
  });

  it("is not used with another base URL than the profile's", async () => {
    const { amp, logIn } = machine();
    await logIn("--read-base-url", READ);
    const env = { AMP_API_KEY: KEY, AMP_BASE_URL: "https://other.example.test/v1" };
    for (const named of [{}, { AMP_PROFILE: "prod" }]) {
      const { code, sent } = await amp(OF_CRM, { ...env, ...named });
      expect(code).toBe(0);
      expect(new Set(sent.map(({ host }) => host))).toEqual(new Set(["other.example.test"]));
    }
  });

  it("cannot be named by a project file, trusted or not", async () => {
    const { cwd, amp, logIn } = machine();
    await logIn();
    writeFileSync(join(cwd, ".amp.yaml"), `read-base-url: ${READ}\n`);
    const { code, stderr, sent } = await amp(OF_CRM);
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/gu, " ")).toContain('"read-base-url" is not a project setting');
    expect(sent).toEqual([]);
  });

  it("is named anew at each login", async () => {
    const { amp, logIn } = machine();
    await logIn("--read-base-url", READ);
    const again = await logIn();
    expect(again.stderr.replaceAll(/\s+/gu, " ")).toContain(
      `Profile prod no longer has the read base URL ${READ}`,
    );
    expect(hostOf((await amp(OF_CRM)).sent, "operations")).toEqual(["api.example.test"]);
  });

  it.each([
    "http://read.example.test/v1",
    "read.example.test",
    "https://me:pw@read.example.test/v1",
  ])("%s is refused before anything is sent", async (url) => {
    const { logIn } = machine();
    const { code, sent } = await logIn("--read-base-url", url);
    expect(code).toBe(2);
    expect(sent).toEqual([]);
  });
});
