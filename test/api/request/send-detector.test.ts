import type { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { WriteInput } from "../../../src/api/operations/endpoint.ts";
import { createTopic, listTopics } from "../../../src/api/operations/endpoints.ts";
import {
  type AmpError,
  InterruptedError,
  PartialError,
  ServiceError,
} from "../../../src/errors.ts";
import { machine } from "../../hosts.ts";
import { type Fake, fake, networkError, problem, serve } from "../fake-service.ts";

const path = { projectIdOrName: "p" };
const create = (service: Fake, more: WriteInput = {}) =>
  service.api.call(createTopic, { path, body: { name: "ops" }, ...more });

async function failure(call: Promise<unknown>): Promise<AmpError> {
  return (await call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error,
  )) as AmpError;
}

describe("a create", () => {
  test("has a connection of its own, and leaves none behind", async () => {
    const ports = new Set<number | undefined>();
    const { baseUrl } = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.setHeader("content-type", "application/json");
      response.end(request.method === "GET" ? "[]" : '{"id":"t1"}');
    });
    const service = fake(undefined, { baseUrl });
    for (let round = 0; round < 3; round++) {
      await service.api.call(listTopics, { path });
      await create(service);
    }
    expect(ports.size).toBe(6);
  });

  test("sends its idempotency key", async () => {
    const service = fake(() => Response.json({ id: "t1" }));
    await create(service, { idempotencyKey: "k-1" });
    await create(service);
    expect(service.requests.map(({ headers }) => headers.get("idempotency-key"))).toEqual([
      "k-1",
      null,
    ]);
  });
});

describe("a create that was not sent", () => {
  test("is detected where TLS was never established, though the connection was reset", async () => {
    const host = await machine((socket) => socket.once("data", () => socket.resetAndDestroy()));
    const error = await failure(create(fake(undefined, { baseUrl: `https://${host}/v1` })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.facts).toMatchObject({ done: "Nothing was created.", retryable: true });
  });

  test("is detected where TLS was not established in time", async () => {
    const host = await machine(() => {});
    const options = { baseUrl: `https://${host}/v1`, timeoutMs: 100 };
    const error = await failure(create(fake(undefined, options), { idempotencyKey: "k" }));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toBe(`Could not reach ${host}: no connection within 0.1 s`);
    expect(error.facts.retryable).toBe(true);
  });

  test("is known where fetch blocks the port", async () => {
    const error = await failure(create(fake(undefined, { baseUrl: "http://127.0.0.1:6000/v1" })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toContain(
      "Could not reach 127.0.0.1:6000: the Fetch standard blocks this port",
    );
    expect(error.facts).toMatchObject({ done: "Nothing was created.", retryable: false });
  });

  test("is not assumed with another fetch, which publishes nothing", async () => {
    const service = fake(() => {
      throw networkError("ECONNRESET");
    });
    expect(await failure(create(service))).toBeInstanceOf(PartialError);
  });

  test("is not confused with another create at the same time", async () => {
    const host = await machine(() => {});
    const { baseUrl } = await serve((_, response) => response.socket?.resetAndDestroy());
    const lost = failure(create(fake(undefined, { baseUrl }), { idempotencyKey: "a" }));
    const stuck = fake(undefined, { baseUrl: `https://${host}/v1`, timeoutMs: 100 });
    const unsent = failure(create(stuck, { idempotencyKey: "b" }));
    expect(await lost).toBeInstanceOf(PartialError);
    expect(await unsent).toBeInstanceOf(ServiceError);
  });
});

describe("a create that was sent twice", () => {
  test("has an unknown outcome where the second one was refused", async () => {
    const { baseUrl, served } = await serve((_, response, nth) => {
      response.writeHead(nth === 1 ? 421 : 409, { "x-request-id": `r${nth}` }).end();
    });
    const error = await failure(create(fake(undefined, { baseUrl })));
    expect(served()).toBe(2);
    expect(error).toBeInstanceOf(PartialError);
    expect(error.facts).toMatchObject({ status: 409, requestId: "r2" });
  });

  test("has succeeded where the second one did", async () => {
    const { baseUrl } = await serve((_, response, nth) => {
      if (nth === 1) return response.writeHead(421).end();
      response.writeHead(201, { "content-type": "application/json" }).end('{"id":"t1"}');
    });
    expect(await create(fake(undefined, { baseUrl }))).toEqual({ id: "t1" });
  });
});

describe("the request's identifier stays with the error", () => {
  const head = { "content-type": "application/json", "x-request-id": "req#1" };

  test.each<[string, (write: (chunk: string) => Promise<void>, socket: Socket) => unknown]>([
    ["the answer is broken off", (write, socket) => write("{").then(() => socket.destroy())],
    ["the answer stops", (write) => write("{")],
  ])("where %s", async (_, body) => {
    const { baseUrl } = await serve((_request, response) => {
      response.writeHead(201, head);
      const write = (chunk: string) =>
        new Promise<void>((done) => response.write(chunk, () => done()));
      void body(write, response.socket as Socket);
    });
    const error = await failure(create(fake(undefined, { baseUrl, timeoutMs: 150 })));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.facts.requestId).toBe("req#1");
  });

  test("and is passed on for a success", async () => {
    const service = fake(() => new Response('{"id":"t1"}', { status: 201, headers: head }));
    const told: string[] = [];
    await create(service, { onRequestId: (requestId) => told.push(requestId) });
    expect(told).toEqual(["req#1"]);
  });

  test.each([201, 500, 422])("where the status is %i", async (status) => {
    const service = fake(() => new Response("{}", { status, headers: head }));
    expect((await failure(create(service))).facts.requestId).toBe("req#1");
  });

  test("is taken from the problem document if that has another", async () => {
    const service = fake(() => problem(500, { requestId: "p#1" }, { "x-request-id": "h#1" }));
    expect((await failure(create(service))).facts.requestId).toBe("p#1");
  });
});

describe("a create with a signal of its own", () => {
  test("outlives the client's", async () => {
    const interrupt = new AbortController();
    const { baseUrl } = await serve((_, response) => {
      interrupt.abort("SIGINT");
      response.writeHead(201, { "content-type": "application/json" }).end('{"id":"t1"}');
    });
    const service = fake(undefined, { baseUrl, signal: interrupt.signal });
    expect(await create(service, { signal: new AbortController().signal })).toEqual({ id: "t1" });
  });

  test("ends when its own signal is aborted", async () => {
    const enough = new AbortController();
    const { baseUrl } = await serve(() => enough.abort("SIGINT"));
    const error = await failure(create(fake(undefined, { baseUrl }), { signal: enough.signal }));
    expect(error).toBeInstanceOf(InterruptedError);
    expect(error.facts.done).toBe("The topic may exist. The request was not sent again.");
  });
});
