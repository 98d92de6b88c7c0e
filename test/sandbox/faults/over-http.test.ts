import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SANDBOX_API_KEY } from "../../../src/sandbox/defaults.ts";
import { overHttp } from "../../../src/sandbox/faults/faulty-sandbox.ts";
import type { FaultScript } from "../../../src/sandbox/faults/script.ts";
import { runSandbox, type SandboxFacts } from "../../../src/sandbox/run.ts";
import { serveSandbox } from "../../../src/sandbox/serve.ts";
import { createFaultySandbox } from "../../faulty-sandbox.ts";
import { temporaryFolder } from "../../temporary-folder.ts";

const headers = { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" };

async function serve(script: FaultScript, observe?: (moment: string) => void) {
  const sandbox = createFaultySandbox({ script, ...(observe ? { observe } : {}) });
  const server = await serveSandbox(overHttp(sandbox), { port: 0 });
  onTestFinished(() => server.close());
  const post = (name: string, signal?: AbortSignal) =>
    fetch(`${server.url}/projects/acme/topics`, {
      method: "POST",
      headers,
      body: JSON.stringify({ name }),
      ...(signal ? { signal } : {}),
    });
  const made = () => sandbox.world.topics.some(({ name }) => name === "t-1");
  return { sandbox, post, made };
}

const causeOf = (error: unknown) => (error as { cause: { code: string } }).cause.code;

test("a request without a fault is answered as usual, then logged as answered", async () => {
  const answered = Promise.withResolvers<void>();
  const moments: string[] = [];
  const { post } = await serve({}, (moment) => {
    moments.push(moment);
    if (moment === "answered") answered.resolve();
  });
  expect((await post("t-1")).status).toBe(201);
  await answered.promise;
  expect(moments).toEqual(["arrived", "passed", "answered"]);
});

test.each([true, false])(
  "a reset is one of the connection; the record made: %s",
  async (commit) => {
    const { post, made } = await serve({ faults: [{ on: "POST *", do: "reset", commit }] });
    const error = await post("t-1").catch((thrown: unknown) => thrown);
    expect(causeOf(error)).toBe("ECONNRESET");
    expect(made()).toBe(commit);
  },
);

test("half a response is shorter than its head says", async () => {
  const { post, made } = await serve({ faults: [{ on: "POST *", do: "cut" }] });
  const answer = await post("t-1");
  expect(answer.status).toBe(201);
  expect(Number(answer.headers.get("content-length"))).toBeGreaterThan(50);
  await expect(answer.text()).rejects.toThrow("terminated");
  expect(made()).toBe(true);
});

test("a record is made after its client has gone", async () => {
  const gone = new AbortController();
  const { post, made, sandbox } = await serve(
    { faults: [{ on: "POST *", do: "slow", ms: 60, late: true }] },
    (moment) => {
      if (moment === "arrived") gone.abort(new Error("the client has gone"));
    },
  );
  await expect(post("t-1", gone.signal)).rejects.toThrow("the client has gone");
  await sandbox.idle();
  expect(made()).toBe(true);
});

test("a sandbox started with a script follows it, and reports the faults", async () => {
  const end = new AbortController();
  const wrong: string[] = [];
  const ready = Promise.withResolvers<SandboxFacts>();
  const running = runSandbox({
    port: 0,
    specOnly: false,
    faults: JSON.stringify({ faults: [{ on: "GET providers/*", nth: 1, do: "reset" }] }),
    signal: end.signal,
    now: () => new Date(),
    ready: async (facts) => ready.resolve(facts),
    onRequest: () => {},
    onFault: ({ method, path, fault }) => wrong.push(`${method} ${path} ${fault}`),
  });
  const { url } = await ready.promise;
  await expect(fetch(`${url}/providers/ghost`)).rejects.toThrow();
  expect((await fetch(`${url}/providers/ghost`)).status).toBe(200);
  expect(wrong).toEqual(["GET /v1/providers/ghost reset"]);
  end.abort();
  await running;
});

test("whoever gets an answer finds the token of the control", async () => {
  const end = new AbortController();
  const file = join(temporaryFolder(), "token");
  const ready = Promise.withResolvers<void>();
  const seen: boolean[] = [];
  const running = runSandbox({
    port: 0,
    signal: end.signal,
    tokenFile: (port) => {
      // Sent before the file is written.
      const asked = fetch(`http://127.0.0.1:${port}/health`).then(({ ok }) => {
        seen.push(ok && existsSync(file));
      });
      void asked.then(ready.resolve, ready.reject);
      return file;
    },
    ready: () => ready.promise,
  });
  await ready.promise;
  expect(seen).toEqual([true]);
  end.abort();
  await running;
});
