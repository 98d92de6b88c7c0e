import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createGzip, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ClientOptions } from "../../../src/api/client/policy.ts";
import {
  createTopic,
  getProvider,
  listTopics,
  revokeInvite,
} from "../../../src/api/operations/endpoints.ts";
import { type AmpError, PartialError, ServiceError, TimeoutError } from "../../../src/errors.ts";
import { type Fake, fake, serve } from "../fake-service.ts";

const MB = 2 ** 20;
const path = { projectIdOrName: "p" };
const CALLS = {
  list: ({ api }: Fake) => api.call(listTopics, { path }),
  one: ({ api }: Fake) => api.call(getProvider, { path: { provider: "hubspot" } }),
  delete: ({ api }: Fake) => api.call(revokeInvite, { path: { orgId: "o", inviteId: "i" } }),
  create: ({ api }: Fake) => api.call(createTopic, { path, body: { name: "ops" } }),
};

async function failure(call: Promise<unknown>): Promise<AmpError> {
  return (await call.then(
    () => expect.unreachable("it succeeded"),
    (error: unknown) => error,
  )) as AmpError;
}

/** A fetch that counts the bytes that come out of the decompression. */
function counting() {
  let bytes = 0;
  const fetch: ClientOptions["fetch"] = async (request) => {
    const response = await globalThis.fetch(request);
    const counter = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(counter), response);
  };
  return { fetch, bytes: () => bytes };
}

describe("a small answer that unpacks to a large one", () => {
  // 64 KB on the wire.
  const bomb = gzipSync(Buffer.alloc(64 * MB, " "));
  const serveBomb = () =>
    serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(bomb);
    });

  test.each([
    ["one", undefined, 4 * MB, "4 MB"],
    ["list", 2 * MB, 2 * MB, "2 MB"],
    ["list", undefined, 32 * MB, "32 MB"],
    ["one", MB, MB, "1 MB"],
    ["delete", undefined, 4 * MB, "4 MB"],
  ] as const)("is broken off soon: %s with %j", async (kind, maxBodyBytes, limit, told) => {
    const { baseUrl, served } = await serveBomb();
    const { fetch, bytes } = counting();
    const error = await failure(CALLS[kind](fake(undefined, { baseUrl, fetch, maxBodyBytes })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toMatch(new RegExp(`: the response is larger than ${told}$`, "u"));
    expect(error.facts.remedy).toContain("AMP_MAX_BODY");
    expect(bytes()).toBeGreaterThan(limit);
    expect(bytes()).toBeLessThan(limit + MB);
    // The next one would be as large.
    expect(served()).toBe(1);
  });

  test("leaves a create unknown", async () => {
    const { baseUrl } = await serveBomb();
    expect(await failure(CALLS.create(fake(undefined, { baseUrl })))).toBeInstanceOf(PartialError);
  });

  test("is read where the limit allows it", async () => {
    const { baseUrl } = await serve((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      response.end(gzipSync(`[${" ".repeat(5 * MB)}]`));
    });
    expect(await CALLS.list(fake(undefined, { baseUrl, maxBodyBytes: 6 * MB }))).toEqual([]);
    // The usual limit of a list is larger than that of anything else.
    expect(await CALLS.list(fake(undefined, { baseUrl }))).toEqual([]);
  });

  test("is broken off just the same where it comes with an error", async () => {
    const { baseUrl, served } = await serve((_, response) => {
      response.writeHead(404, { "content-encoding": "gzip" }).end(bomb);
    });
    const { fetch, bytes } = counting();
    const error = await failure(CALLS.one(fake(undefined, { baseUrl, fetch })));
    expect(error).toBeInstanceOf(ServiceError);
    expect(bytes()).toBeLessThan(5 * MB);
    expect(served()).toBe(1);
  });
});

test("an answer without an end is hung up on", async () => {
  const hungUp = Promise.withResolvers<void>();
  const { baseUrl } = await serve((_, response) => {
    response.on("close", () => hungUp.resolve());
    response.writeHead(200, { "content-encoding": "gzip" });
    const gzip = createGzip();
    gzip.pipe(response);
    pour(gzip);
  });
  const error = await failure(CALLS.one(fake(undefined, { baseUrl })));
  expect(error.message).toBe("Could not get the provider: the response is larger than 4 MB");
  await hungUp.promise;
});

function pour(into: NodeJS.WritableStream): void {
  while (into.writable && into.write(Buffer.alloc(MB))) {}
  if (into.writable) into.once("drain", () => pour(into));
}

/** Says something every few milliseconds, for ever, so that no silence is ever long. */
async function dripping(
  start: string,
  drop: string,
): Promise<{ url: string; count: () => number }> {
  const sockets = new Set<Socket>();
  let requests = 0;
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    socket.once("data", () => {
      requests += 1;
      socket.write(start);
      const timer = setInterval(() => socket.write(drop), 10);
      socket.on("close", () => clearInterval(timer));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, count: () => requests };
}

describe("an answer that drips", () => {
  const DRIPS = {
    "its headers": ["HTTP/1.1 200 OK\r\n", "x-drop: 1\r\n"],
    "one header": ["HTTP/1.1 200 OK\r\nx-long: ", "a"],
    "its body": ["HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n[", " "],
    "its chunks": ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n[\r\n", "1\r\n \r\n"],
    "the body of an error": ["HTTP/1.1 404 Not Found\r\n\r\n{", " "],
  } as const;

  test.each(Object.keys(DRIPS) as (keyof typeof DRIPS)[])(
    "in %s ends by the time-out, however lively it is",
    async (where) => {
      const [start, drop] = DRIPS[where];
      const { url, count } = await dripping(start, drop);
      const read = fake(undefined, { baseUrl: url, timeoutMs: 300, retries: 1 });
      expect(await failure(CALLS.one(read))).toBeInstanceOf(TimeoutError);
      expect(count()).toBe(2);
      const create = fake(undefined, { baseUrl: url, timeoutMs: 300 });
      const error = await failure(CALLS.create(create));
      expect(error).toBeInstanceOf(PartialError);
      expect(error.facts.done).toBe("The topic may exist. The request was not sent again.");
      expect(count()).toBe(3);
    },
  );
});

/** How an answer can break, each in a way of its own. */
const BROKEN: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "closed without a word": (response) => response.socket?.end(),
  "reset without a word": (response) => response.socket?.resetAndDestroy(),
  "closed within the headers": (response) => {
    response.socket?.end("HTTP/1.1 200 OK\r\ncontent-ty");
  },
  "shorter than its length": (response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("[", () => response.socket?.end());
  },
  "reset within the body": (response) => {
    response.writeHead(200, { "content-length": "10" });
    response.write("[", () => response.socket?.resetAndDestroy());
  },
  "without its last chunk": (response) => {
    response.writeHead(200);
    response.write('{"id":"t1"}', () => response.socket?.end());
  },
  "no gzip at all": (response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("[]");
  },
};

describe.each(Object.keys(BROKEN))("an answer that is %s", (how) => {
  const breaking = () => serve((_, response) => BROKEN[how]?.(response));

  test.each(["list", "delete"] as const)("is asked for again: %s", async (kind) => {
    const { baseUrl, served } = await serve((request, response, nth) => {
      if (nth < 3) return BROKEN[how]?.(response);
      if (request.method === "DELETE") return response.writeHead(204).end();
      response.setHeader("content-type", "application/json").end("[]");
    });
    expect(await CALLS[kind](fake(undefined, { baseUrl }))).toEqual(
      kind === "list" ? [] : undefined,
    );
    expect(served()).toBe(3);
  });

  test("is a failure of the service after three attempts", async () => {
    const { baseUrl, served } = await breaking();
    expect(await failure(CALLS.list(fake(undefined, { baseUrl })))).toBeInstanceOf(ServiceError);
    expect(served()).toBe(3);
  });

  test("leaves a create unknown, sent once", async () => {
    const { baseUrl, served } = await breaking();
    const error = await failure(CALLS.create(fake(undefined, { baseUrl })));
    expect(error).toBeInstanceOf(PartialError);
    expect(error.facts.clientRequestId).toBe("amp-1");
    expect(served()).toBe(1);
  });
});

test("half a gzip is unpacked as far as it goes, and is not valid JSON", async () => {
  const whole = gzipSync(`["${"x".repeat(1000)}"]`);
  const { baseUrl, served } = await serve((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    response.end(whole.subarray(0, whole.length - 12));
  });
  const error = await failure(CALLS.list(fake(undefined, { baseUrl })));
  expect(error).toBeInstanceOf(ServiceError);
  expect(error.message).toContain("is not valid JSON");
  expect(served()).toBe(1);
  expect(await failure(CALLS.create(fake(undefined, { baseUrl })))).toBeInstanceOf(PartialError);
});

test("a delete whose answer was lost is done where the next one finds nothing", async () => {
  const { baseUrl, served } = await serve((_, response, nth) => {
    if (nth === 1) return response.socket?.resetAndDestroy();
    response.writeHead(404, { "content-type": "application/problem+json" }).end("{}");
  });
  expect(await CALLS.delete(fake(undefined, { baseUrl }))).toBeUndefined();
  expect(served()).toBe(2);
});

describe("a success that is not valid UTF-8", () => {
  const bytes = Buffer.from('{"id":"t\xff","name":"ops\xff"}', "latin1");
  const asList = Buffer.concat([Buffer.from("["), bytes, Buffer.from("]")]);

  test.each([
    ["one", bytes],
    ["list", asList],
    [
      "list",
      Buffer.concat([
        Buffer.from('{"results":'),
        asList,
        Buffer.from(',"pagination":{"done":true}}'),
      ]),
    ],
  ] as const)("is refused where it is read: %s", async (kind, body) => {
    const error = await failure(CALLS[kind](fake(() => new Response(body))));
    expect(error).toBeInstanceOf(ServiceError);
    expect(error.message).toMatch(/: the response \(200, .*\) is not valid UTF-8$/u);
  });

  test("is a create all the same, and a character of that name is valid", async () => {
    const created = await CALLS.create(fake(() => new Response(bytes, { status: 201 })));
    expect(created).toMatchObject({ name: "ops\ufffd" });
    const listed = await CALLS.list(fake(() => Response.json([{ id: "t\ufffd" }])));
    expect(listed).toEqual([{ id: "t\ufffd" }]);
  });
});
