import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
    expect(missing.stderr).toContain("✗ missing argument <profile>\n");
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
  it("tells who amp acts as and what the service says of it", async () => {
    const { amp } = await machine("prod");
    // Wide enough for the path of any temporary folder.
    const terminal = { ...TERMINAL, columns: 200 };
    const { code, stdout, stderr } = await amp(["auth", "status"], terminal);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const shown = stdout.replace(/\/\S*(?=\/config\/)/u, "…");
    await expect(shown).toMatchFileSnapshot("./golden/auth-status.txt");
  });

  it("tells where each value comes from", async () => {
    const { amp } = await machine("prod");
    const env = { AMP_API_KEY: "sandbox-api-key", AMP_PROJECT: "globex-staging" };
    const { code, stdout, stderr } = await amp(["auth", "status", "--json"], { env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: "prod",
      profileSource: "active profile",
      credentialSource: "AMP_API_KEY",
      project: "globex-staging",
      checked: true,
    });
    expect(stderr).toBe("");
    const text = await amp(["auth", "status"], { env });
    expect(text.stderr).toBe("Using AMP_API_KEY (the API key of profile prod is ignored).\n");
  });

  it("tells which values a setting hides, and of a URL never the value", async () => {
    const { amp, cwd } = await machine("prod");
    writeFileSync(join(cwd, ".amp.yaml"), "project: acme\nbase-url: https://ada:pw@x.test/v1\n");
    const env = { AMP_PROJECT: "globex-staging", AMP_BASE_URL: "http://127.0.0.1:4747/v1" };
    const status = await amp(["auth", "status", "--json"], { env });
    const file = join(cwd, ".amp.yaml");
    expect((status.json() as { settings: unknown }).settings).toEqual([
      { setting: "profile", source: "active profile" },
      { setting: "base-url", source: "AMP_BASE_URL" },
      { setting: "project", source: "AMP_PROJECT", shadows: [file] },
    ]);
    const page = await amp(["auth", "status"], { ...TERMINAL, columns: 200, env });
    expect(page.stdout).toContain(`globex-staging (AMP_PROJECT; ignored: ${file})`);
    expect(page.stdout + status.stdout).not.toContain("ada:pw");
  });

  it("exits 4 where there is no credential, or it is refused, and leads to the login", async () => {
    const none = await machine();
    const nobody = await none.auth("status");
    expect(nobody).toMatchObject({ code: 4, requests: [] });
    expect(nobody.stderr).toContain("Try: amp auth login");

    const { amp } = await machine("prod");
    const refusing = async () => Response.json({ status: 401 }, { status: 401 });
    const refused = await amp(["auth", "status"], { fetch: refusing });
    expect(refused).toMatchObject({ code: 4, stdout: "" });
    expect(refused.stderr).toContain("Try: amp auth login --profile prod");
  });

  it("says where the service cannot be asked", async () => {
    const sandbox = sandboxAt(NOW, { specOnly: true });
    const { amp } = await machine("prod");
    const outcome = await amp(["auth", "status", "--json"], { sandbox });
    expect(outcome.json()).toMatchObject({ checked: false });
  });

  it("tells when a token ends, and warns of one that has", async () => {
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
    expect(past.stderr).toContain("expired at 2026-09-02T08:29:00.000Z");
  });
});
