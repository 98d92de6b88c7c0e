import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import type { FaultScript } from "../../src/sandbox/faults/script.ts";
import { closedPort, machine } from "../hosts.ts";
import { createFaultySandbox, overHttp, SANDBOX_API_KEY, serveSandbox } from "../platform.ts";
import { UNROUTED } from "../unrouted.ts";
import { runAmp, startAmp } from "./program.ts";
import { homeAt } from "./sandbox.ts";

vi.setConfig({ testTimeout: 120_000 });

const CREATE = ["api", "POST", "/projects/acme/topics", "--field", "name=incidents"];

/** A sandbox behind a script of faults, in this process; what it has is seen in its world. */
async function faulty(script: FaultScript) {
  const sandbox = createFaultySandbox({ script, state: UNROUTED });
  const server = await serveSandbox(overHttp(sandbox), { port: 0 });
  onTestFinished(() => server.close());
  const posts = () => sandbox.log.filter(({ method }) => method === "POST").length;
  const made = () => sandbox.world.topics.filter(({ name }) => name === "incidents").length;
  return { url: server.url, made, posts };
}

test("a create that is refused a connection is known not to be made", async () => {
  const host = await closedPort();
  const { code, stderr } = await runAmp(CREATE, { home: homeAt(`http://${host}/v1`) });
  expect(code).toBe(7);
  expect(stderr).toContain(`Could not reach ${host}: connection refused`);
  expect(stderr).toContain("Nothing was changed.");
});

test.each([
  { when: "before it is committed", commit: false },
  { when: "after it is committed", commit: true },
])("a create whose connection is reset $when is unknown, and sent once", async ({ commit }) => {
  const service = await faulty({ faults: [{ on: "POST topics", do: "reset", commit }] });
  const { code, stderr } = await runAmp(CREATE, { home: homeAt(service.url) });
  expect(code).toBe(9);
  expect(stderr).toContain("The request may have taken effect");
  expect({ posts: service.posts(), made: service.made() }).toEqual({
    posts: 1,
    made: commit ? 1 : 0,
  });
});

test("a create is never sent by a connection that a list left open", async () => {
  // Answers the list, says that it keeps the connection, and drops it with whatever comes next.
  const seen: string[] = [];
  const host = await machine((socket) => {
    let requests = 0;
    socket.on("data", (bytes) => {
      requests += 1;
      const [line = ""] = bytes.toString("latin1").split("\r\n");
      seen.push(`${requests} ${line.split(" ")[0]}`);
      const body = line.startsWith("GET ") ? "[]" : "";
      if (requests > 1 || body === "") socket.resetAndDestroy();
      else {
        socket.write(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n${body}`,
        );
      }
    });
  });
  const home = homeAt(`http://${host}/v1`);
  writeFileSync(
    join(home.folder, "routing.yaml"),
    "version: 1\ntopics:\n  incidents: { events: [], destinations: [] }\n",
  );
  const apply = ["notify", "apply", "-f", "routing.yaml", "--yes"];
  // The lists say afterwards that it was not made.
  expect(await runAmp(apply, { home, env: { AMP_COMMIT_HORIZON: "1s" } })).toMatchObject({
    code: 7,
  });
  expect(new Set(seen)).toEqual(new Set(["1 GET", "1 POST"]));
});

test("a write whose TLS handshake is reset is reported as one that may have been done", async () => {
  const host = await machine((socket) => socket.once("data", () => socket.resetAndDestroy()));
  const { code, stderr } = await runAmp(CREATE, { home: homeAt(`https://${host}/v1`) });
  expect(code).toBe(9);
  expect(stderr).toContain("The request may have taken effect. It was not sent again.");
});

test.each([
  { signal: "SIGINT", code: 130, word: "Interrupted" },
  { signal: "SIGTERM", code: 143, word: "Terminated" },
  { signal: "SIGHUP", code: 143, word: "Terminated" },
] as const)(
  "$signal while a create waits for its answer: $code",
  async ({ signal, code, word }) => {
    const arrived = Promise.withResolvers<void>();
    const host = await machine((socket) => socket.once("data", () => arrived.resolve()));
    const { child, ended } = startAmp(CREATE, { home: homeAt(`http://${host}/v1`) });
    await arrived.promise;
    child.kill(signal);
    const { stderr, ...end } = await ended;
    expect(end).toEqual({ code, signal: null, stdout: "" });
    expect(stderr).toContain(
      `✗ ${word}\n  The request may have taken effect. It was not sent again.\n`,
    );
  },
);

test("the folder that amp is called in does not change what amp is", async () => {
  const host = await closedPort();
  const home = homeAt(`http://${host}/v1`);
  const { AMP_API_KEY, ...env } = home.env;
  writeFileSync(join(home.folder, ".env"), `AMP_API_KEY=${SANDBOX_API_KEY}\nAMP_PROFILE=evil\n`);
  writeFileSync(join(home.folder, "bunfig.toml"), 'preload = ["./preload.js"]\n');
  writeFileSync(join(home.folder, "preload.js"), 'process.stdout.write("preloaded\\n");\n');
  const status = await runAmp(["apps", "list"], { home: { ...home, env } });
  expect(AMP_API_KEY).toBe(SANDBOX_API_KEY);
  // Neither the credential of that file, nor its profile, nor its code.
  expect(status).toMatchObject({ code: 4, stdout: "" });
});

const TOPIC = '{"id":"t1","name":"incidents"}';
const FINAL = `HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: ${TOPIC.length}\r\n\r\n${TOPIC}`;
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

test.each([
  ["an unasked 100", [CONTINUE + FINAL]],
  ["an unasked 100 without a reason", [`HTTP/1.1 100\r\n\r\n${FINAL}`]],
  ["103 with hints", [`HTTP/1.1 103 Early Hints\r\nlink: </x>; rel=preload\r\n\r\n${FINAL}`]],
  ["102, 103 and 100", [`HTTP/1.1 102 Wait\r\n\r\nHTTP/1.1 103 Hints\r\n\r\n${CONTINUE}${FINAL}`]],
  ["a 100 byte by byte", [...CONTINUE, FINAL]],
  ["a 100 long before", [CONTINUE, "", FINAL]],
  ["a thousand of them", [CONTINUE.repeat(1_000) + FINAL]],
])("interim responses are ignored: %s", async (_, parts) => {
  let asked = 0;
  const host = await machine((socket) => {
    socket.once("data", async () => {
      asked += 1;
      for (const part of parts) {
        socket.write(part);
        await setTimeout(parts.length === 1 ? 0 : 20);
      }
    });
  });
  const outcome = await runAmp([...CREATE, "--json"], { home: homeAt(`http://${host}/v1`) });
  expect(outcome).toMatchObject({ code: 0 });
  expect(JSON.parse(outcome.stdout)).toMatchObject({ id: "t1" });
  expect(asked).toBe(1);
});

test.each([
  ["gzip", "not gzip!"],
  ["br", "not brotl"],
])("a damaged body is one error, and no line of the runtime: %s", async (coding, body) => {
  const head = `content-type: application/json\r\ncontent-encoding: ${coding}`;
  const host = await machine((socket) => {
    socket.once("data", () => {
      socket.end(`HTTP/1.1 200 OK\r\n${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    });
  });
  const home = homeAt(`http://${host}/v1`);
  const ended = await runAmp(["apps", "list", "--json"], { home, env: { AMP_RETRIES: "0" } });
  expect(ended).toMatchObject({ code: 7, stdout: "" });
  expect(JSON.parse(ended.stderr)).toMatchObject({
    error: { message: expect.stringContaining("the compressed response is damaged") },
  });
});
