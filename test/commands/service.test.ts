import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type RunInput, run } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const PROVIDER = {
  name: "bare",
  authType: "none",
  baseURL: "https://x.example",
  defaultModule: "",
  support: {},
};

describe("a request that needs no credential", () => {
  const COMMANDS = [
    [["providers", "get", "bare"], PROVIDER],
    [["providers", "list"], { bare: PROVIDER }],
  ] as const;

  it.each(COMMANDS)("sends none: amp %s", async (argv, body) => {
    for (const env of [
      {},
      { AMP_ACCESS_TOKEN: "token-of-the-test" },
      { AMP_API_KEY: "a\nb" },
      { AMP_API_KEY: undefined },
    ]) {
      const { code, stderr, requests } = await run(argv, { env, replies: [{ body }] });
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(requests[0]?.headers.has("x-api-key")).toBe(false);
      expect(requests[0]?.headers.has("authorization")).toBe(false);
    }
  });

  it.each(COMMANDS)("is sent with it where the service asks: amp %s", async (argv, body) => {
    const asking = { status: 401, body: { detail: "who are you?" } };
    const { code, requests } = await run(argv, { replies: [asking, { body }] });
    expect(code).toBe(0);
    expect(requests.map(({ headers }) => headers.get("x-api-key"))).toEqual([
      null,
      "key-of-the-test",
    ]);
    const without = await run(argv, { env: { AMP_API_KEY: undefined }, replies: [asking] });
    expect(without).toMatchObject({ code: 4, stdout: "" });
    expect(without.stderr).toContain("Try: amp auth login");
  });
});

describe("a base URL without a version", () => {
  const world = (base: string): RunInput => ({
    env: { AMP_BASE_URL: base },
    fetch: async () => Response.json({ title: "Not found" }, { status: 404 }),
  });

  it.each([
    ["apps", "list"],
    ["providers", "get", "hubspot"],
    ["invites", "list", "--org", "o"],
    ["installations", "list", "113e9685-9a51-42cc-8662-9d9725b17f14"],
    ["installations", "get", "acme"],
    ["invites", "revoke", "i", "--org", "o", "--yes"],
    ["invites", "revoke", "i", "j", "--org", "o", "--yes"],
    ["notify", "topics", "create", "a"],
    ["notify", "graph"],
    ["notify", "export"],
    ["notify", "topics", "list"],
    ["api", "GET", "/x"],
  ])("is named as the likely reason of a 404: amp %s %s", async (...argv) => {
    const bare = await run(argv, world("https://api.example.test"));
    expect(bare.code).toBe(3);
    expect(bare.stderr.replace(/\s+/gu, " ")).toContain(
      "The base URL https://api.example.test has no version such as /v1, which may be why.",
    );
    // The command that follows asks the URL with the version.
    expect(bare.stderr.replace(/\s+/gu, " ")).toContain(
      "Try: amp projects list --base-url https://api.example.test/v1",
    );
    const usual = await run(argv, world("https://api.example.test/v1"));
    expect(usual.code).toBe(3);
    expect(usual.stderr).not.toContain("has no version");
  });

  // A service that answers for the project alone, and lacks the operation.
  it("is named where the service lists installations only by integration", async () => {
    const fetch: RunInput["fetch"] = async ({ url }) =>
      url.endsWith("/provider-apps") ? Response.json([]) : Response.json({}, { status: 404 });
    for (const argv of [["list"], ["get", "acme"]]) {
      const outcome = await run(["installations", ...argv], {
        ...world("https://api.example.test"),
        fetch,
      });
      expect(outcome.code).toBe(2);
      expect(outcome.stderr.replace(/\s+/gu, " ")).toMatch(
        /Pass \S+, or set AMP_INTEGRATION\. .*as integrationId\. The base URL https:\/\/api\.example\.test has no version/u,
      );
    }
  });

  it("is named where the credential could not be checked", async () => {
    const bare = await run(["auth", "status", "--json"], world("https://api.example.test"));
    expect(bare).toMatchObject({ code: 3 });
    expect(bare.json()).toMatchObject({ ready: false, checked: false });
    const said = await run(["auth", "status"], {
      ...world("https://api.example.test"),
      tty: { out: true, err: true },
    });
    expect(`${said.stdout}${said.stderr}`.replace(/\s+/gu, " ")).toContain(
      "The base URL https://api.example.test has no version",
    );
    expect(said.stdout).toContain("amp projects list --base-url https://api.example.test/v1");
    const usual = await run(["auth", "status"], world("https://api.example.test/v1"));
    expect(`${usual.stdout}${usual.stderr}`).not.toContain("has no version");
  });
});

describe("a request that fails", () => {
  const OWN: RunInput = {
    env: { AMP_BASE_URL: "https://api.example.test/v1", AMP_PROJECT: "acme" },
  };
  const failing = (isFailing: (path: string) => boolean, other = 404): RunInput["fetch"] => {
    return async ({ url }) => {
      const status = isFailing(new URL(url).pathname) ? 503 : other;
      return Response.json({}, { status });
    };
  };

  it("is named by what it is for, where the project is asked for", async () => {
    const apps = failing((path) => path.endsWith("/provider-apps"));
    for (const [argv, does] of [
      [["notify", "export"], "list the destinations"],
      [["installations", "list"], "list the installations of the project"],
      [["installations", "summary"], "list the installations of the project"],
    ] as const) {
      const { code, stderr } = await run(argv, { ...OWN, fetch: apps });
      expect(code).toBe(7);
      expect(stderr).not.toContain("provider apps");
      // That it does not exist was not said by anything.
      expect(stderr).not.toContain("not found");
      expect(stderr).toContain(`Could not ${does} yet: the service answered 503.`);
      expect(stderr).toContain(`The service failed to ${does} (503)`);
    }
  });

  it("is named before one that only helps", async () => {
    const all = failing(() => true);
    for (const argv of [
      ["installations", "summary"],
      ["installations", "get", "acme"],
      ["case", "create", "acme"],
    ]) {
      const { stderr } = await run(argv, { ...OWN, fetch: all });
      expect(stderr.match(/^Could not (.*) yet/gmu)).toEqual([
        "Could not list the installations of the project yet",
      ]);
    }
  });

  it("names the project that a plan looks up", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "version: 1\ntopics: { a: {} }\n");
    const { code, stderr } = await run(["notify", "plan", "-f", "routing.yaml"], {
      ...OWN,
      cwd,
      fetch: failing((path) => path.endsWith("/projects")),
    });
    expect(code).toBe(7);
    expect(stderr).toContain("Could not look up the project yet: the service answered 503.");
  });
});
