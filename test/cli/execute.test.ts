import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineCommand, table, text, toned } from "../../src/cli/define.ts";
import { run, sandboxAt, type World } from "../harness.ts";
import { scriptedPrompter } from "../notify/scripted-prompter.ts";
import { doing, only } from "./throwaway-routes.ts";

const ESCAPE = "\u001b[";

beforeEach(() => {
  // Retries wait a random time: none at all here.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A service that never answers; `asked` resolves with the first request. */
function silence() {
  const asked = Promise.withResolvers<void>();
  const fetch = (request: Request) =>
    new Promise<Response>((_, reject) => {
      asked.resolve();
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  return { fetch, asked: asked.promise };
}

describe("a signal", () => {
  it.each([
    ["SIGINT", 130, "Interrupted"],
    ["SIGTERM", 143, "Terminated"],
    ["SIGHUP", 143, "Terminated"],
  ])("%s in the middle of a read exits %i", async (signal, code, message) => {
    const controller = new AbortController();
    const { fetch, asked } = silence();
    const running = run(["apps", "list"], { fetch, signal: controller.signal });
    await asked;
    controller.abort(signal);
    expect(await running).toMatchObject({ code, stdout: "", stderr: `✗ ${message}\n` });
  });

  it("in the middle of a create says what may exist, and sends nothing again", async () => {
    const controller = new AbortController();
    const { fetch, asked } = silence();
    const argv = ["notify", "topics", "create", "--name", "a", "--json", "-q"];
    const running = run(argv, { fetch, signal: controller.signal });
    await asked;
    controller.abort("SIGINT");
    const outcome = await running;
    expect(outcome).toMatchObject({ code: 130, stdout: "", requests: [{ method: "POST" }] });
    expect(outcome.error()).toMatchObject({
      code: "interrupted",
      done: "The topic may exist. It was not sent again.",
    });
  });

  it("before the first request sends nothing", async () => {
    const signal = AbortSignal.abort("SIGTERM");
    const outcome = await run(["notify", "topics", "create", "--name", "a"], { signal });
    expect(outcome).toMatchObject({ code: 143, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("Nothing was created.");
  });

  it("ends the wait for a text that does not come", async () => {
    const controller = new AbortController();
    const stdin = new Readable({ read: () => setImmediate(() => controller.abort("SIGINT")) });
    const outcome = await run(["api", "POST", "/x", "--input", "-"], {
      stdin,
      signal: controller.signal,
    });
    expect(outcome).toMatchObject({ code: 130, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("✗ Interrupted\n");
  });

  it("at a question is told by the signal's own name and code", async () => {
    const controller = new AbortController();
    const interrupted = scriptedPrompter([["Revoke invite inv_1 of o?", true]]);
    const prompter = {
      confirm: async (question: { message: string; flag: string }) => {
        controller.abort("SIGTERM");
        const { InterruptedError } = await import("../../src/errors.ts");
        await interrupted.confirm(question);
        throw new InterruptedError("Interrupted");
      },
    };
    const outcome = await run(["invites", "revoke", "inv_1", "--org", "o"], {
      tty: true,
      env: { NO_COLOR: "1" },
      prompter,
      signal: controller.signal,
    });
    expect(outcome).toMatchObject({ code: 143, requests: [] });
    expect(outcome.stderr).toContain("✗ Terminated");
  });

  it("does not wait for ever for what will not end", async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const started = Promise.withResolvers<void>();
    const routes = doing(() => {
      started.resolve();
      return new Promise(() => {});
    });
    const running = run(["probe"], { routes, signal: controller.signal });
    await started.promise;
    controller.abort("SIGINT");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await running).toMatchObject({ code: 130, stderr: "✗ Interrupted\n" });
  });

  it("lets what ends by itself come to its own end", async () => {
    const controller = new AbortController();
    const routes = doing(async ({ signal, write }) => {
      controller.abort("SIGINT");
      await write(`${signal.aborted}\n`);
    });
    expect(await run(["probe"], { routes, signal: controller.signal })).toMatchObject({
      code: 0,
      stdout: "true\n",
    });
  });
});

describe("a wait that is too long", () => {
  it("exits 124 for a read and names the option", async () => {
    const { fetch } = silence();
    const outcome = await run(["apps", "list", "--timeout", "5ms"], { fetch });
    expect(outcome).toMatchObject({ code: 124, stdout: "" });
    expect(outcome.stderr).toContain("--timeout");
  });

  it("exits 9 for a create, of which nobody knows what it did", async () => {
    const { fetch } = silence();
    const outcome = await run(["notify", "topics", "create", "--name", "a", "--timeout", "5ms"], {
      fetch,
    });
    expect(outcome).toMatchObject({ code: 9, stdout: "", requests: [{ method: "POST" }] });
    expect(outcome.stderr).toContain("The topic may exist. It was not sent again.");
  });

  it.each(["abc", "-1s", "0", "1 fortnight"])("cannot be %j", async (timeout) => {
    const outcome = await run(["apps", "list", "--timeout", timeout]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("--timeout");
  });
});

describe("what amp says besides", () => {
  const talking = doing(({ talk }) => {
    talk.notice("a notice");
    talk.warn("a warning");
  });

  it("is on stderr; --quiet keeps warnings and errors", async () => {
    expect(await run(["probe"], { routes: talking })).toMatchObject({
      stdout: "",
      stderr: "a notice\na warning\n",
    });
    expect(await run(["probe", "--quiet"], { routes: talking })).toMatchObject({
      stderr: "a warning\n",
    });
    expect((await run(["apps", "get", "x", "-q"], { sandbox: sandboxAt() })).stderr).toContain("✗");
  });

  it("leaves the closing line of a list away with --quiet or in a pipe", async () => {
    const list = async (args: readonly string[], world: World) =>
      (await run(["apps", "list", ...args], { sandbox: sandboxAt(), ...world })).stderr;
    expect(await list([], { tty: true })).toContain("3 provider apps");
    expect(await list(["-q"], { tty: true })).toBe("");
    expect(await list(["--json"], { tty: true })).toBe("");
    expect(await list([], { tty: { err: true } })).toBe("");
    expect(await list(["-o", "table"], { tty: { err: true } })).toBe("");
  });
});

describe("--debug", () => {
  it("tells each request with its time, retries too, and never the key", async () => {
    const secret = "key-4711-of-the-test";
    let asked = 0;
    const fetch = async () => {
      asked += 1;
      return asked === 1
        ? Response.json({ status: 503 }, { status: 503 })
        : Response.json([], { headers: { "x-request-id": "req-7" } });
    };
    const env = { AMP_API_KEY: secret };
    const { code, stdout, stderr } = await run(["apps", "list", "--debug", "--json"], {
      fetch,
      env,
    });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "[]\n" });
    const url = "https://api.example.test/v1/projects/acme/provider-apps";
    expect(stderr.replaceAll(/\d+ ms/gu, "N ms").split("\n")).toEqual([
      `debug: GET ${url} 503 N ms`,
      "debug: attempt 2 follows in N ms",
      `debug: GET ${url} 200 N ms attempt 2 request req-7`,
      "",
    ]);
    expect(stdout + stderr).not.toContain(secret);
  });

  it("shows no key that the service echoes, in whatever form", async () => {
    const secret = "key/4711+of=test";
    const forms = [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")];
    const world: World = {
      env: { AMP_API_KEY: secret },
      replies: [
        { status: 400, body: { detail: forms.join(" "), causes: forms, context: { forms } } },
      ],
    };
    for (const format of [[], ["--json"]]) {
      const { code, stdout, stderr } = await run(["apps", "list", "--debug", ...format], world);
      expect(code).toBe(6);
      for (const form of forms) expect(stdout + stderr).not.toContain(form);
      expect(stderr).toContain("[redacted]");
    }
  });
});

describe("colour", () => {
  const routes = only(
    defineCommand({
      options: { fail: text("fail") },
      examples: ["amp probe"],
      run: ({ options, talk }) => {
        talk.notice("a notice");
        if (options.fail) throw new Error(options.fail);
        return [{ id: "x" }];
      },
      view: table<{ id: string }>(["thing", "things"], {
        State: () => toned("bad", "broken"),
        ID: "id",
      }),
    }),
  );
  const colours = async (args: readonly string[], world: World) => {
    const { stdout, stderr } = await run(["probe", ...args], { routes, ...world });
    return { out: stdout.includes(ESCAPE), err: stderr.includes(ESCAPE) };
  };

  it("is for each stream that is a terminal", async () => {
    expect(await colours([], { tty: true })).toEqual({ out: true, err: true });
    expect(await colours([], {})).toEqual({ out: false, err: false });
    expect(await colours([], { tty: { out: true } })).toEqual({ out: true, err: false });
    expect(await colours([], { tty: { err: true } })).toEqual({ out: false, err: true });
  });

  it.each([
    [["--no-color"], {}],
    [[], { NO_COLOR: "1" }],
    [[], { NO_COLOR: "1", FORCE_COLOR: "1" }],
    [[], { TERM: "dumb" }],
    [[], { FORCE_COLOR: "0" }],
  ])("is switched off by %j %j", async (args, env) => {
    const off = { out: false, err: false };
    expect(await colours(args, { tty: true, env })).toEqual(off);
    expect(await colours([...args, "--fail", "boom"], { tty: true, env })).toEqual(off);
  });

  it("is not switched off by an empty NO_COLOR", async () => {
    expect(await colours([], { tty: true, env: { NO_COLOR: "" } })).toEqual({
      out: true,
      err: true,
    });
  });

  it("is forced where there is no terminal, and never into data", async () => {
    const env = { FORCE_COLOR: "1" };
    expect(await colours([], { env })).toEqual({ out: false, err: true });
    for (const format of ["json", "ndjson", "yaml", "csv", "tsv", "id"]) {
      expect((await colours(["-o", format], { env, tty: true })).out).toBe(false);
    }
  });

  it("is in no help and no version", async () => {
    for (const argv of [
      ["--help"],
      ["apps", "list", "--help"],
      ["help", "options"],
      ["--version"],
    ]) {
      expect((await run(argv, { tty: true, env: { FORCE_COLOR: "1" } })).stdout).not.toContain(
        ESCAPE,
      );
    }
  });
});

describe("what the service says of an input", () => {
  const routes = only(
    defineCommand({
      args: { topic: text("topic") },
      options: {
        groupRef: text("group"),
        url: text("url", { wire: "metadata.url" }),
        metadata: text("metadata"),
      },
      needs: ["project"],
      examples: ["amp probe"],
      run: async ({ api, project }) => {
        const { listTopics } = await import("../../src/api/endpoints.ts");
        return api.call(listTopics, { path: { projectIdOrName: project } });
      },
    }),
  );

  it("is told by the option or argument that carried it", async () => {
    const names = [
      "groupRef",
      "metadata.url",
      "metadata.headers.X",
      "$.topic",
      "/metadata/url",
      "other",
    ];
    const issues = names.map((name) => ({ in: "body", name, detail: "is wrong" }));
    const body = { status: 422, issues: [...issues, { in: "header", name: "X-Api-Key" }] };
    const outcome = await run(["probe", "--json"], { routes, replies: [{ status: 422, body }] });
    const flags = (outcome.error().issues as { flag?: string }[]).map(({ flag }) => flag);
    expect(flags).toEqual([
      ...["--group-ref", "--url", "--metadata", "<topic>", "--url", undefined, "AMP_API_KEY"],
    ]);
  });
});
