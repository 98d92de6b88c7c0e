import { once } from "node:events";
import { request } from "node:http";
import { connect, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { ConflictError, UsageError } from "../../src/errors.ts";
import type { RequestLine } from "../../src/sandbox/app.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "../../src/sandbox/defaults.ts";
import { serveSandbox } from "../../src/sandbox/serve.ts";
import { suggestedLines } from "../../src/values/suggested-command.ts";
import { fresh } from "./ask.ts";

const headers = { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" };

async function serve(host = "127.0.0.1") {
  const log: RequestLine[] = [];
  const onRequest = (line: RequestLine) => void log.push(line);
  const sandbox = fresh({ onRequest });
  const server = await serveSandbox(sandbox, { host, port: 0, onRequest });
  onTestFinished(() => server.close());
  return { sandbox, log, ...server };
}

test("a sandbox answers over HTTP at its base URL", async () => {
  const { url, port, sandbox } = await serve();
  expect(url).toBe(`http://127.0.0.1:${port}/v1`);
  const post = (body: string) =>
    fetch(`${url}/projects/acme/topics`, { method: "POST", headers, body });
  const made = await post('{"name":"lifecycle"}');
  expect(made.status).toBe(201);
  expect(sandbox.world.topics).toContainEqual(await made.json());
  const taken = await post('{"name":"lifecycle"}');
  expect(taken.status).toBe(409);
  expect(taken.headers.get("content-type")).toBe("application/problem+json");
  const listed = await fetch(`${url}/projects/acme/topics`, { headers });
  expect(listed.headers.get("content-type")).toMatch(/^application\/json/u);
  expect(await listed.json()).toHaveLength(1);
  const encoded = await fetch(`${url}/providers/${encodeURIComponent("a/b #%")}`);
  expect(await encoded.json()).toMatchObject({ status: 404, context: { id: "a/b #%" } });
  const gone = await fetch(`${url}/projects/acme/topics/${sandbox.world.topics.at(-1)?.id}`, {
    method: "DELETE",
    headers,
  });
  expect([gone.status, await gone.text()]).toEqual([204, ""]);
});

test("a body may be chunked, without a length", async () => {
  const { url } = await serve();
  const made = await fetch(`${url}/projects/acme/topics`, {
    method: "POST",
    headers,
    body: new Blob(['{"name":', '"lifecycle"}']).stream(),
    duplex: "half",
  } as RequestInit);
  expect(made.status).toBe(201);
});

test("a body that is too large is refused, with a length or without", async () => {
  const { url } = await serve();
  const body = JSON.stringify({ name: "x".repeat(1_500_000) });
  const at = `${url}/projects/acme/topics`;
  const told = await fetch(at, { method: "POST", headers, body });
  expect(told.status).toBe(413);
  const chunked = await fetch(at, {
    method: "POST",
    headers,
    body: new Blob([body]).stream(),
    duplex: "half",
  } as RequestInit);
  expect(chunked.status).toBe(413);
});

test("a port in use is a conflict that suggests another port", async () => {
  const { port } = await serve();
  const refusal = await serveSandbox(fresh(), { host: "127.0.0.1", port }).catch(
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(ConflictError);
  expect((refusal as ConflictError).message).toContain(String(port));
  // Any other port may be in use, too.
  expect(suggestedLines((refusal as ConflictError).facts.suggestion)).toEqual([
    "amp sandbox start --port 0",
  ]);
});

test("the usual port in use may be that of a running sandbox", async () => {
  const { host, port } = SANDBOX_DEFAULTS;
  const other = createServer().listen(port, host);
  // Whoever has the port: it is in use.
  await once(other, "listening").catch(() => {});
  try {
    await expect(serveSandbox(fresh(), { host, port })).rejects.toMatchObject({
      facts: { remedy: expect.stringContaining("--profile sandbox") },
    });
  } finally {
    other.close();
  }
});

test("an address of another machine is a usage error", async () => {
  await expect(serveSandbox(fresh(), { host: "192.0.2.1", port: 0 })).rejects.toThrow(UsageError);
});

test("a sandbox that listens on all addresses is reached on this machine", async () => {
  const { url, port } = await serve("0.0.0.0");
  expect(url).toBe(`http://127.0.0.1:${port}/v1`);
  expect((await fetch(`${url}/providers/ghost`)).status).toBe(200);
});

test("serving leaves the process's own Request and Response alone", async () => {
  const own = [globalThis.Request, globalThis.Response];
  await serve();
  expect([globalThis.Request, globalThis.Response]).toEqual(own);
});

test("closing ends a connection that its client keeps open, and frees the port", async () => {
  const { port, close } = await serveSandbox(fresh(), { port: 0 });
  const client = connect(port, "127.0.0.1");
  client.on("error", () => {});
  await new Promise((resolve) => {
    client.once("data", resolve);
    client.write("GET /v1/providers/ghost HTTP/1.1\r\nHost: localhost\r\n\r\n");
  });
  const ended = new Promise((resolve) => client.once("close", resolve));
  await close();
  await ended;
  const next = await serveSandbox(fresh(), { port });
  await next.close();
});

/** The status of a list, asked for with these headers; `fetch` would not send another Host. */
function statusWith(url: string, extra: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { headers: { ...headers, ...extra } };
    const sent = request(`${url}/projects/acme/topics`, options, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on("error", reject).end();
  });
}

test.each([
  [{ host: "evil.example" }, 403],
  [{ host: "evil.example:4747" }, 403],
  [{ host: "127.0.0.1.evil.example" }, 403],
  [{ origin: "https://evil.example" }, 403],
  [{ origin: "null" }, 403],
  [{ host: "localhost:4747" }, 200],
  [{ host: "[::1]:4747" }, 200],
  [{ host: "192.168.1.7:4747" }, 200],
  [{ host: "sandbox:4747" }, 200],
  [{ host: "host.docker.internal:4747" }, 200],
  [{ origin: "http://localhost:3000" }, 200],
])("a web page of elsewhere is refused, and logged: %j", async (extra, status) => {
  const { url, log } = await serve();
  expect(await statusWith(url, extra as Record<string, string>)).toBe(status);
  const path = "/v1/projects/acme/topics";
  const [requestId, ms] = [expect.any(String), expect.any(Number)];
  expect(log).toEqual([{ method: "GET", path, status, ms, requestId }]);
});
