import { Readable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { defineCommand, text } from "../../src/cli/define.ts";
import { run, sandboxAt } from "../harness.ts";
import { scriptedPrompter } from "../scripted-prompter.ts";
import { doing, only } from "./throwaway-routes.ts";

beforeEach(() => {
  // Retries wait a random time: none at all here.
  vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** A service that never answers what is not `known`; `asked` resolves with the first such request. */
function silence(known?: { fetch(request: Request): Promise<Response> }) {
  const asked = Promise.withResolvers<void>();
  const fetch = (request: Request) => {
    if (known && request.method === "GET") return known.fetch(request);
    return new Promise<Response>((_, reject) => {
      asked.resolve();
      request.signal.addEventListener("abort", () => reject(request.signal.reason));
    });
  };
  return { fetch, asked: asked.promise };
}

/** The requests that change something. */
function writesOf(requests: readonly { readonly method: string }[]): string[] {
  return requests.flatMap(({ method }) => (method === "GET" ? [] : method));
}

it("refuses what cannot be shown before anything is created", async () => {
  const argv = ["notify", "topics", "create", "a", "--fields", "id,,name"];
  expect(await run(argv)).toMatchObject({ code: 2, stdout: "", requests: [] });
});

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
    const sandbox = sandboxAt();
    const { fetch, asked } = silence(sandbox);
    const argv = ["notify", "topics", "create", "a", "--json", "-q", "--timeout", "300ms"];
    const running = run(argv, { sandbox, fetch, signal: controller.signal });
    await asked;
    controller.abort("SIGINT");
    const outcome = await running;
    expect(outcome).toMatchObject({ code: 130, stdout: "" });
    expect(writesOf(outcome.requests)).toEqual(["POST"]);
    expect(outcome.error()).toMatchObject({
      code: "interrupted",
      done: "May exist; not sent again:\n  topic/a",
    });
  });

  it("before the first request sends nothing", async () => {
    const signal = AbortSignal.abort("SIGTERM");
    const outcome = await run(["notify", "topics", "create", "a"], { signal });
    expect(outcome).toMatchObject({ code: 143, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("Nothing was changed.");
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

  it("at a question is reported by the signal's own name and code", async () => {
    const controller = new AbortController();
    const prompter = scriptedPrompter([
      ["Revoke invite inv_1 of o?", () => controller.abort("SIGTERM")],
    ]);
    const outcome = await run(["invites", "revoke", "inv_1", "--org", "o"], {
      tty: true,
      env: { NO_COLOR: "1" },
      prompter,
      signal: controller.signal,
      replies: [{ method: "GET", status: 404, body: { status: 404 } }],
    });
    expect(outcome.code).toBe(143);
    expect(outcome.requests.map(({ method }) => method)).toEqual(["GET"]);
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

  it("lets a command that ends by itself complete", async () => {
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

  it("exits 9 for a create of unknown outcome", async () => {
    const sandbox = sandboxAt(undefined, { specOnly: true });
    const { fetch } = silence(sandbox);
    const argv = ["notify", "topics", "create", "a", "--timeout", "200ms"];
    const outcome = await run(argv, { sandbox, fetch });
    expect(outcome).toMatchObject({ code: 9, stdout: "" });
    expect(writesOf(outcome.requests)).toEqual(["POST"]);
    expect(outcome.stderr).toContain("May exist; not sent again:\n    topic/a");
  });

  it.each(["", "abc", "-1s", "0", "1 fortnight"])("cannot be %j", async (timeout) => {
    const outcome = await run(["apps", "list", "--timeout", timeout]);
    expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
    expect(outcome.stderr).toContain("--timeout");
  });
});

describe("an option that this command comes not to use", () => {
  it.each(["--timeout", "--deadline", "--project", "--api-key-file"])(
    "is refused all the same where it says nothing: %s",
    async (option) => {
      const outcome = await run(["notify", "events", option, ""]);
      expect(outcome).toMatchObject({ code: 2, stdout: "", requests: [] });
      expect(outcome.stderr).toContain(`${option} is empty`);
    },
  );

  it("an invalid time is refused", async () => {
    const outcome = await run(["notify", "events", "--timeout", "many"]);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain('--timeout: "many" is not a valid duration');
  });
});

describe("an error of the service about an input", () => {
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
        const { listTopics } = await import("../../src/api/operations/endpoints.ts");
        return api.call(listTopics, { path: { projectIdOrName: project } });
      },
    }),
  );

  it("names the option or argument that carried it", async () => {
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

it("--fields may be repeated", async () => {
  const body = [{ id: "t_1", name: "a", projectId: "p" }];
  const argv = ["notify", "topics", "list", "--fields", "id", "--fields", "name", "--json"];
  const { json } = await run(argv, { replies: [{ body }] });
  expect(json()).toEqual([{ id: "t_1", name: "a" }]);
});
