import { once } from "node:events";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { createNetwork } from "../../../src/api/network/network.ts";
import { createTopic, listTopics } from "../../../src/api/operations/endpoints.ts";
import { type AmpError, PartialError, ServiceError } from "../../../src/errors.ts";
import { certificateFor } from "../../network/certificates.ts";
import { startProxy } from "../../network/proxy-server.ts";
import { startService } from "../../network/service.ts";
import { createTrust } from "../../network/trust.ts";
import { type Fake, fake } from "../fake-service.ts";

const path = { projectIdOrName: "p" };
const create = ({ api }: Fake) => api.call(createTopic, { path, body: { name: "ops" } });

async function clientAt(baseUrl: string, proxy: string, more: { timeoutMs?: number } = {}) {
  const env = { HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
  const network = await createNetwork({ env, insecureTls: true });
  return fake(undefined, { baseUrl, network, ...more });
}

async function failure(call: Promise<unknown>): Promise<AmpError> {
  return (await call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error,
  )) as AmpError;
}

/** A proxy that knows nothing of HTTP but how it begins. */
async function rawProxy(onHead: (socket: Socket, head: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", (bytes) => onHead(socket, bytes.toString("latin1")));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("a create through a proxy", () => {
  test("goes through a tunnel, as does what lists", async () => {
    const { port, asked } = await startService({
      as: await certificateFor({ hosts: ["service.test"] }),
    });
    const proxy = await startProxy();
    const client = await clientAt(`https://service.test:${port}/v1`, proxy.url);
    expect(await client.api.call(listTopics, { path })).toEqual([]);
    expect(await create(client)).toMatchObject({ id: "t1" });
    expect(asked).toEqual(["GET /v1/projects/p/topics", "POST /v1/projects/p/topics"]);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT service.test:${port}`]));
    expect(client.notes.map((note) => note.proxy)).toEqual(
      Array(2).fill(`127.0.0.1:${proxy.port}`),
    );
  });

  test("goes as a request for the whole address where it is not encrypted", async () => {
    const { port, asked } = await startService();
    const proxy = await startProxy();
    const client = await clientAt(`http://service.test:${port}/v1`, proxy.url);
    expect(await create(client)).toMatchObject({ id: "t1" });
    expect(asked).toHaveLength(1);
    expect(proxy.asked).toEqual([`POST http://service.test:${port}/v1/projects/p/topics`]);
  });

  test("has a connection of its own, to a proxy that passes it on, too", async () => {
    const { port, from } = await startService();
    const client = await clientAt("http://service.test/v1", `http://127.0.0.1:${port}`);
    for (let round = 0; round < 3; round++) {
      await client.api.call(listTopics, { path });
      await create(client);
    }
    const ports = (method: string) => from.filter((one) => one.method === method);
    expect(new Set(ports("POST").map((one) => one.port)).size).toBe(3);
    const shared = new Set(ports("GET").map((one) => one.port));
    expect(ports("POST").filter((one) => shared.has(one.port))).toEqual([]);
  });

  test("is not sent to a host with a certificate for another host", async () => {
    const { identity, env } = await createTrust(["other.test"]);
    const { port, asked } = await startService({ as: identity });
    const proxy = await startProxy();
    const ca = readFileSync(env.NODE_EXTRA_CA_CERTS, "utf8");
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, ca]);
    onTestFinished(() => setDefaultCACertificates(before));
    const network = await createNetwork({ env: { HTTPS_PROXY: proxy.url }, insecureTls: false });
    const at = (host: string) =>
      fake(undefined, { baseUrl: `https://${host}:${port}/v1`, network });
    const error = await failure(create(at("service.test")));
    expect(error.message).toContain("its TLS certificate is for another host");
    expect(error.facts).toMatchObject({ done: "Nothing was created.", retryable: false });
    expect(asked).toEqual([]);
    expect(await create(at("other.test"))).toMatchObject({ id: "t1" });
  });

  test("was not sent where the tunnel was opened, and TLS did not come about", async () => {
    const proxy = await rawProxy((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.once("data", () => socket.resetAndDestroy());
    });
    const error = await failure(create(await clientAt("https://service.test/v1", proxy)));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toMatch(/^Could not reach service\.test through the proxy 127/u);
    expect(error.facts).toMatchObject({ done: "Nothing was created.", retryable: true });
  });

  test("was not sent where the proxy says nothing to the end", async () => {
    const proxy = await rawProxy(() => {});
    const client = await clientAt("https://service.test/v1", proxy, { timeoutMs: 100 });
    const error = await failure(create(client));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.facts.done).toBe("Nothing was created.");
  });

  test.each([
    { status: 403, attempts: 1, retryable: false },
    { status: 502, attempts: 3, retryable: true },
  ])("was not sent where the proxy answers $status in place of a tunnel", async (one) => {
    let asked = 0;
    const proxy = await rawProxy((socket) => {
      asked += 1;
      socket.end(`HTTP/1.1 ${one.status} No\r\ncontent-length: 0\r\n\r\n`);
    });
    const client = await clientAt("https://service.test/v1", proxy);
    const error = await failure(create(client));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe(
      `Could not reach service.test: the proxy ${new URL(proxy).host} answered ${one.status}`,
    );
    expect(error.facts).toMatchObject({ done: "Nothing was created.", retryable: one.retryable });
    expect(error.facts.remedy).toContain("NO_PROXY=service.test");
    expect(asked).toBe(one.attempts);
    const whys = client.retries.map(({ why }) => why);
    const why = `the proxy answered ${one.status} (via proxy ${new URL(proxy).host})`;
    expect(whys).toEqual(Array(one.attempts - 1).fill(why));
  });

  test("is unknown where the proxy dies while the service is at work", async () => {
    const proxy = await startProxy();
    const { port, asked } = await startService({
      as: await certificateFor({ hosts: ["service.test"] }),
      instead: () => void proxy.die(),
    });
    const client = await clientAt(`https://service.test:${port}/v1`, proxy.url);
    const error = await failure(create(client));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.message).toContain(`through the proxy 127.0.0.1:${proxy.port}`);
    expect(asked).toEqual(["POST /v1/projects/p/topics"]);
  });

  test("is unknown where a proxy that passes it on unencrypted drops it", async () => {
    const heads: string[] = [];
    const proxy = await rawProxy((socket, head) => {
      heads.push(head.slice(0, head.indexOf("\r\n")));
      socket.resetAndDestroy();
    });
    const error = await failure(create(await clientAt("http://service.test/v1", proxy)));
    expect(error).toBeInstanceOf(PartialError);
    expect(heads).toEqual(["POST http://service.test/v1/projects/p/topics HTTP/1.1"]);
  });
});

test("without a proxy, and with certificates checked, there is no network of amp's own", async () => {
  expect(await createNetwork({ env: { NO_PROXY: "a.test" }, insecureTls: false })).toBeUndefined();
});
