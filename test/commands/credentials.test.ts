import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Outcome, type RunInput, run, sandboxAt } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import { logIn } from "./invocations.ts";

const NOBODY = {
  AMP_PROFILE: undefined,
  AMP_BASE_URL: undefined,
  AMP_API_KEY: undefined,
  AMP_PROJECT: "acme",
};

it.each(["AMP_API_KEY", "AMP_ACCESS_TOKEN"])(
  "exits with 4 where %s is empty, also without a base URL",
  async (name) => {
    const missing = await run(["apps", "list", "--json"], { env: { ...NOBODY, [name]: "" } });
    expect([missing.code, missing.requests]).toEqual([4, []]);
    expect(missing.error()).toMatchObject({
      message: `${name} is empty`,
      remedy: "Set it. In CI, check that the secret exists and is available to this job.",
    });
  },
);

/** A machine with the active profile `mine` at the sandbox's address, and what a call sends. */
async function machine() {
  const cwd = temporaryFolder();
  await logIn(cwd, sandboxAt());
  const amp = (args: readonly string[], world: RunInput = {}): Promise<Outcome> =>
    run(args, {
      cwd,
      fetch: async () => Response.json([]),
      ...world,
      env: { ...NOBODY, ...world.env },
    });
  const sent = async (args: readonly string[] = [], world: RunInput = {}) => {
    const outcome = await amp(["apps", "list", ...args], world);
    const [request] = outcome.requests;
    return {
      code: outcome.code,
      stderr: outcome.stderr,
      key: request?.headers.get("x-api-key") ?? undefined,
      bearer: request?.headers.get("authorization") ?? undefined,
      path: request?.path,
    };
  };
  return {
    cwd,
    amp,
    sent,
    write: (name: string, text: string) => writeFileSync(join(cwd, name), text),
  };
}

describe("the credential", () => {
  it("comes from file, named profile, environment and active profile, in this order", async () => {
    const { sent, write } = await machine();
    write("key.txt", "key-of-the-file\n");
    const env = { AMP_API_KEY: "key-of-the-shell" };
    expect(await sent()).toMatchObject({ code: 0, key: "sandbox-api-key", stderr: "" });
    expect(await sent([], { env })).toMatchObject({
      key: "key-of-the-shell",
      stderr: "Using AMP_API_KEY (the API key of profile mine is ignored).\n",
    });
    expect(await sent(["--profile", "mine"], { env })).toMatchObject({
      key: "sandbox-api-key",
      stderr: "Using the API key of profile mine (AMP_API_KEY is ignored).\n",
    });
    expect(await sent([], { env: { ...env, AMP_PROFILE: "mine" } })).toMatchObject({
      key: "key-of-the-shell",
      stderr: "Using AMP_API_KEY (the API key of profile mine is ignored).\n",
    });
    expect(await sent(["--profile", "mine", "--api-key-file", "key.txt"], { env })).toMatchObject({
      key: "key-of-the-file",
      stderr: "Using --api-key-file (AMP_API_KEY is ignored).\n",
    });
    expect(await sent(["--api-key-file", "-"], { stdin: " piped-key \n" })).toMatchObject({
      key: "piped-key",
    });
  });

  it("is reported in no notice where it is to be quiet", async () => {
    const { sent } = await machine();
    expect(await sent(["-q"], { env: { AMP_API_KEY: "key-of-the-shell" } })).toMatchObject({
      code: 0,
      stderr: "",
    });
  });

  it("is either an API key or an access token", async () => {
    const { sent, amp } = await machine();
    const token = { AMP_ACCESS_TOKEN: "token-of-the-shell" };
    expect(await sent([], { env: token })).toMatchObject({
      bearer: "Bearer token-of-the-shell",
      key: undefined,
    });
    const both = await amp(["apps", "list"], { env: { ...token, AMP_API_KEY: "k" } });
    expect(both).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(both.stderr).toContain("Both AMP_API_KEY and AMP_ACCESS_TOKEN are set");
  });

  it("is not sent to another origin than it was saved for", async () => {
    const { amp, write } = await machine();
    const elsewhere = "https://evil.example/v1";
    write(".amp.yaml", `base-url: ${elsewhere}\n`);
    expect((await amp(["trust"])).code).toBe(0);
    for (const [args, env] of [
      [[], {}],
      [["--base-url", elsewhere], {}],
      [[], { AMP_BASE_URL: elsewhere }],
      [["--profile", "mine"], {}],
      [["--base-url", "http://127.0.0.1:4748/v1"], {}],
    ] as const) {
      const outcome = await amp(["apps", "list", ...args], { env });
      expect(outcome).toMatchObject({ code: 4, stdout: "", requests: [] });
      expect(outcome.stderr).toContain("The API key of profile mine cannot be used for");
    }
  });

  it("of another profile that is for the service is named", async () => {
    const { amp, write } = await machine();
    const login = ["auth", "login", "--profile", "other", "--base-url", "http://127.0.0.1:4748/v1"];
    expect((await amp([...login, "--api-key-file", "-"], { stdin: "k-1234" })).code).toBe(0);
    write(".amp.yaml", "base-url: http://127.0.0.1:4748/v1\n");
    expect((await amp(["trust"])).code).toBe(0);
    const { code, stderr, requests } = await amp(["apps", "list", "--profile", "mine"]);
    expect({ code, requests }).toEqual({ code: 4, requests: [] });
    expect(stderr).toContain("Profile other is for this service: add --profile other.");
    expect(stderr).toContain("amp auth status --profile other");
    expect(stderr).not.toContain("auth login");
    expect((await amp(["apps", "list", "--profile", "other"])).code).toBe(0);
  });

  it("of the environment follows a trusted file, and that is said", async () => {
    const { amp, sent, write } = await machine();
    write(".amp.yaml", "base-url: https://other.example/v1\n");
    expect((await amp(["trust"])).code).toBe(0);
    const { code, stderr } = await sent([], { env: { AMP_API_KEY: "k-1234" } });
    expect(code).toBe(0);
    expect(stderr).toContain("Sending AMP_API_KEY to https://other.example");
    expect(stderr).toContain(".amp.yaml");
  });

  it("of another tool is refused with a plain message", async () => {
    const { amp } = await machine();
    const outcome = await amp(["apps", "list"], { env: { AMP_API_KEY: "sgamp_4711" } });
    expect(outcome).toMatchObject({ code: 2, requests: [] });
    expect(outcome.stderr).toContain("key of another tool");
    expect(outcome.stderr).not.toContain("4711");
  });

  it("missing is an error that leads to the login, and nothing is sent", async () => {
    const world: RunInput = {
      env: { AMP_API_KEY: undefined, AMP_BASE_URL: "https://x.test/v1" },
      fetch: async () => Response.json([]),
    };
    const outcome = await run(["apps", "list"], world);
    expect(outcome).toMatchObject({ code: 4, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("Try: amp auth login");
  });

  it("whose file others can read is mended, and that is said", async () => {
    const { sent, cwd } = await machine();
    const path = join(cwd, "config", "credentials.json");
    chmodSync(path, 0o644);
    const { code, stderr } = await sent();
    expect(code).toBe(0);
    expect(stderr).toContain("credentials.json");
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("in the environment goes on working where the saved ones are broken", async () => {
    const { sent, write } = await machine();
    write("config/credentials.json", "{");
    write("config/config.json", "{");
    const env = { AMP_API_KEY: "k-1234", AMP_BASE_URL: "https://x.test/v1" };
    expect(await sent([], { env })).toMatchObject({ code: 0, key: "k-1234" });
    expect(await sent()).toMatchObject({ code: 2 });
  });
});

describe("an empty value", () => {
  it.each([
    // A secret that is not set for a CI job arrives as an empty variable.
    ...[
      { name: "AMP_API_KEY", code: 4 },
      { name: "AMP_ACCESS_TOKEN", code: 4 },
    ],
    ...[
      "AMP_BASE_URL",
      "AMP_PROJECT",
      "AMP_PROFILE",
      "AMP_OUTPUT",
      "AMP_TIMEOUT",
      "AMP_CONFIG_DIR",
    ].map((name) => ({ name, code: 2 })),
  ])("$name: an error that names it, exit $code", async ({ name, code }) => {
    const { amp } = await machine();
    const outcome = await amp(["apps", "list"], { env: { [name]: "" } });
    expect(outcome).toMatchObject({ code, stdout: "", requests: [] });
    expect(outcome.stderr).toContain(name);
  });

  it.each([
    ...["--project", "--profile", "--base-url", "--api-key-file", "--output"],
    ...["--fields", "--timeout"],
  ])("%s: an error that names it", async (name) => {
    const { amp } = await machine();
    const outcome = await amp(["apps", "list", name, ""]);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain(name);
    expect(outcome.requests).toEqual([]);
  });
});

describe("the project file", () => {
  it("supplies settings that neither options nor variables set", async () => {
    const { sent, write } = await machine();
    write(".amp.yaml", "project: from file\n");
    expect(await sent([], { env: { AMP_PROJECT: undefined } })).toMatchObject({
      path: "/projects/from%20file/provider-apps",
      stderr: "",
    });
    const shadowed = await sent();
    expect(shadowed).toMatchObject({ path: "/projects/acme/provider-apps" });
    expect(shadowed.stderr).toMatch(
      /^Using AMP_PROJECT \(project in .+\.amp\.yaml is ignored\)\.\n$/u,
    );
    expect(await sent(["-p", "typed"])).toMatchObject({ path: "/projects/typed/provider-apps" });
  });

  it("chooses the profile, and how errors and results are written", async () => {
    const { amp, write } = await machine();
    write(".amp.yaml", "profile: sandbox\noutput: json\n");
    expect((await amp(["trust"])).code).toBe(0);
    const fine = await amp(["apps", "list"]);
    expect(fine).toMatchObject({ code: 0, stdout: "[]\n" });
    const failed = await amp(["apps", "get", "x"]);
    expect(failed.code).toBe(3);
    expect(failed.error()).toMatchObject({ code: "not-found" });
  });

  it("never holds a secret, nor what it does not know", async () => {
    const { amp, write } = await machine();
    write(".amp.yaml", "project: a\napi-key: sk-4711\n");
    const secret = await amp(["apps", "list"]);
    expect(secret).toMatchObject({ code: 2, requests: [] });
    expect(secret.stderr).toContain(".amp.yaml:2");
    expect(secret.stderr).not.toContain("4711");
    write(".amp.yaml", "projct: a\n");
    expect((await amp(["apps", "list"])).stderr).toContain("Did you mean project?");
  });
});

describe("the sandbox's profile", () => {
  it("needs no login and no file", async () => {
    const world = { sandbox: sandboxAt(), env: { ...NOBODY, AMP_PROJECT: undefined } };
    const outcome = await run(["--profile", "sandbox", "installations", "list"], world);
    expect(outcome.code).toBe(0);
    expect(outcome.requests[0]?.headers.get("x-api-key")).toBe("sandbox-api-key");
  });

  it("follows the sandbox to another port of this machine, and to no other machine", async () => {
    const world: RunInput = { fetch: async () => Response.json([]), env: NOBODY };
    const args = ["--profile", "sandbox", "apps", "list", "--base-url"];
    const here = await run([...args, "http://127.0.0.1:5000/v1"], world);
    expect(here.requests[0]?.headers.get("x-api-key")).toBe("sandbox-api-key");
    const there = await run([...args, "https://api.example.test/v1"], world);
    expect(there).toMatchObject({ code: 4, requests: [] });
  });

  it("leads to the sandbox where it does not run", async () => {
    const fetch = async () => {
      throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED", syscall: "connect" } });
    };
    const { code, stderr } = await run(
      ["--profile", "sandbox", "notify", "topics", "create", "a"],
      {
        fetch,
        env: NOBODY,
      },
    );
    expect(code).toBe(7);
    expect(stderr).toContain("Try: amp sandbox start");
    expect(stderr).toContain("Nothing was changed.");
  });
});
