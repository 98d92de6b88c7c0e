import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Outcome, REQUEST_ID, type RunInput, run } from "../harness.ts";
import { temporaryFolder } from "../temporary-folder.ts";

beforeEach(() => {
  // The random part of a wait: none at all here.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const busy = (headers: Record<string, string> = {}) =>
  Response.json({ status: 503 }, { status: 503, headers });

const list = (args: readonly string[], world: RunInput) => run(["apps", "list", ...args], world);

/** Fails so many times before it answers. */
function failing(times: number, failure: () => Response = busy): NonNullable<RunInput["fetch"]> {
  let asked = 0;
  return async () => {
    asked += 1;
    return asked <= times ? failure() : Response.json([]);
  };
}

describe("how often a request is sent again", () => {
  it.each<[NonNullable<RunInput["env"]>, number]>([
    [{}, 3],
    [{ AMP_RETRIES: "0" }, 1],
    [{ AMP_RETRIES: "4" }, 5],
  ])("is as said: %j", async (env, sent) => {
    const { code, requests } = await list([], { fetch: async () => busy(), env });
    expect(code).toBe(7);
    expect(requests).toHaveLength(sent);
  });

  it.each(["retries: 0", "max-wait: 1s", "max-body: 1KB", "auth: api-key"])(
    "is not for .amp.yaml to say: %s",
    async (line) => {
      const cwd = temporaryFolder();
      writeFileSync(join(cwd, ".amp.yaml"), `${line}\n`);
      const { code, stderr } = await list([], { fetch: async () => busy(), cwd });
      expect(code).toBe(2);
      expect(stderr).toContain("is not a project setting");
    },
  );

  it.each([
    ["AMP_RETRIES", "11"],
    ["AMP_RETRIES", "-1"],
    ["AMP_RETRIES", "two"],
    ["AMP_MAX_WAIT", "60"],
    ["AMP_MAX_BODY", "1TB"],
    ["AMP_MAX_BODY", "600MB"],
  ])("%s=%s is a usage error that names it", async (variable, value) => {
    const { code, stderr, requests } = await list(["--json"], { env: { [variable]: value } });
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error.message).toContain(`${variable}: `);
    expect(requests).toEqual([]);
  });
});

describe("an error of the service", () => {
  it.each<[string, readonly string[], string]>([
    ["a variable", [], "AMP_API_KEY"],
    ["a file", ["--api-key-file", "-"], "the API key of --api-key-file"],
  ])("names the credential that it refuses, from %s", async (_, more, name) => {
    const fetch = async () => Response.json({ status: 401 }, { status: 401 });
    const { code, stderr } = await list(more, { fetch, stdin: "key-of-a-file\n" });
    expect(code).toBe(4);
    expect(stderr).toContain(`✗ The service did not accept ${name} (401)\n`);
  });

  it("says that nothing was changed, before a command that writes has sent a write", async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, "routing.yaml"), "version: 1\ntopics: { a: { events: [] } }\n");
    const argv = ["notify", "apply", "-f", "routing.yaml", "--yes"];
    const { code, stderr } = await run(argv, { cwd, fetch: async () => busy() });
    expect(code).toBe(7);
    expect(stderr).toContain("\n  Nothing was changed.\n");
    expect((await list([], { fetch: async () => busy() })).stderr).not.toContain("changed");
  });
});

describe("a wait", () => {
  const RETRY_LINE = "Could not list the provider apps yet: the service answered 503. Retrying in";

  it("is reported in a log, once for each request", async () => {
    const { code, stderr } = await list([], { fetch: failing(2), env: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    expect(stderr).toBe(`${RETRY_LINE} 0.1 s (attempt 2 of 3).\n`);
  });

  it("of a later attempt is reported in a log if it is long", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"], shouldAdvanceTime: true, advanceTimeDelta: 5000 });
    const fetch = failing(2, () => busy({ "retry-after": "6" }));
    const { stderr } = await list([], { fetch }).finally(() => vi.useRealTimers());
    expect(stderr).toBe(
      `${RETRY_LINE} 6 s (attempt 2 of 3).\n${RETRY_LINE} 6 s (attempt 3 of 3).\n`,
    );
  });

  it("is a line on a terminal that goes without a trace", async () => {
    const fetch = failing(2, () => busy({ "retry-after": "1" }));
    const { stderr } = await list([], { fetch, tty: true, env: { NO_COLOR: "1" } });
    expect(stderr).toContain("Retrying in 1 s (attempt 3 of 3): the service answered 503");
    expect(stderr).not.toContain("Could not list");
    expect(stderr.split("\r\u001b[2K").at(-1)).toBe("no provider apps\n");
  });

  it("is reported with its length, and data stays alone on stdout", async () => {
    const fetch = failing(1, () => busy({ "retry-after": "1" }));
    const { stdout, stderr } = await list(["-o", "yaml"], { fetch });
    expect(stdout).toBe("[]\n");
    expect(stderr).toBe(`${RETRY_LINE} 1 s (attempt 2 of 3).\n`);
  });

  it("is not reported with --quiet", async () => {
    expect((await list(["--quiet"], { fetch: failing(2) })).stderr).toBe("");
  });

  it.each<[string, NonNullable<RunInput["env"]>, string, string]>([
    ["an hour", {}, "3600", "60 s"],
    ["more than AMP_MAX_WAIT", { AMP_MAX_WAIT: "2s" }, "3", "2 s"],
  ])("of %s is not waited: it says when to come back", async (_, env, asked, most) => {
    const fetch = async () => busy({ "retry-after": asked });
    const { code, stderr, requests } = await list([], { fetch, env });
    expect(code).toBe(7);
    expect(requests).toHaveLength(1);
    expect(stderr).toContain(`amp waits at most ${most}; change that with AMP_MAX_WAIT.`);
    // The clock of the tests stands at 08:30.
    expect(stderr).toMatch(/Try again in \d+ [sh], after (?:08:30:0\d|09:30:00)\./u);
  });

  it("for ever has an error that a program can read", async () => {
    const fetch = async () =>
      Response.json({ status: 429 }, { status: 429, headers: { "retry-after": "3600" } });
    const outcome: Outcome = await list(["--json"], { fetch });
    expect(outcome.code).toBe(7);
    expect(outcome.error()).toMatchObject({
      code: "service",
      exitCode: 7,
      status: 429,
      retryAfter: "2026-09-02T09:30:00.000Z",
      clientRequestId: REQUEST_ID,
    });
  });
});

describe("a request names itself", () => {
  it("by amp, its version, the runtime and the machine", async () => {
    const { requests } = await list([], { fetch: async () => Response.json([]) });
    expect(requests[0]?.headers.get("user-agent")).toMatch(
      /^amp\/\d+\.\d+\.\d+\S* \(node 24; linux x64\)$/u,
    );
    expect(requests[0]?.headers.get("x-request-id")).toBe(REQUEST_ID);
  });

  it("by one ID for all its attempts, and beside the service's name in an error", async () => {
    const fetch = async () => busy({ "x-request-id": "srv#1" });
    const { requests, stderr } = await list([], { fetch });
    expect(requests.map(({ headers }) => headers.get("x-request-id"))).toEqual([
      REQUEST_ID,
      REQUEST_ID,
      REQUEST_ID,
    ]);
    expect(stderr).toContain("  Request ID: 'srv#1'\n");
    expect(stderr).not.toContain("Client request ID");
    expect((await list(["--debug"], { fetch })).stderr).toContain(
      `Client request ID: ${REQUEST_ID}`,
    );
    expect((await list(["--json", "--quiet"], { fetch })).error()).toMatchObject({
      requestId: "srv#1",
      clientRequestId: REQUEST_ID,
    });
  });
});

describe("an answer", () => {
  const large = async () => Response.json([{ id: "x".repeat(2_000) }]);

  it("larger than AMP_MAX_BODY is refused", async () => {
    const { code, stderr } = await list([], { fetch: large, env: { AMP_MAX_BODY: "1kb" } });
    expect(code).toBe(7);
    expect(stderr).toContain("Could not list the provider apps: the response is larger than 1 KB");
    expect(stderr).toContain("Raise the limit, for example with AMP_MAX_BODY=500MB.");
  });
});

describe("an answer that is nested beyond all reason", () => {
  const deep = `${'{"a":['.repeat(20_000)}1${"]}".repeat(20_000)}`;

  it.each([
    ["the value of an issue", 400, `{"title":"No","issues":[{"name":"n","value":${deep}}]}`],
    ["a whole refusal", 422, deep],
    ["a whole failure", 503, deep],
    ["an unforeseen field", 200, `[{"id":"app_1","more":${deep}}]`],
  ])("is not a bug in amp: %s", async (_, status, body) => {
    for (const more of [["--json"], []]) {
      const argv = ["api", "GET", "/x", ...more];
      const listed = ["apps", "list", ...more];
      for (const words of [argv, listed]) {
        const { code, stderr } = await run(words, {
          replies: [{ status, body }],
          env: { AMP_RETRIES: "0" },
        });
        expect({ words, code, stderr: stderr.slice(0, 300) }).not.toMatchObject({ code: 1 });
      }
    }
  });
});
