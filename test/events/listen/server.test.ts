import { connect } from "node:net";
import { expect, it } from "vitest";
import { startReceiver } from "../../../src/events/listen/receiver.ts";

const start = async (more: { host?: string; handle?: () => Promise<{ status: number }> } = {}) => {
  const refused: string[] = [];
  const server = await startReceiver({
    host: "127.0.0.1",
    port: 0,
    now: () => new Date(),
    handle: async () => ({ status: 204 }),
    onRefused: ({ status, reason }) => refused.push(`${status} ${reason}`),
    requestTimeoutMs: 100,
    ...more,
  });
  return { server, refused };
};

/** What a server answers to bytes that are sent as they are. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let got = "";
    connect(port, "127.0.0.1")
      .setEncoding("utf8")
      .on("data", (part: string) => {
        got += part;
      })
      .on("close", () => resolve(got))
      .on("error", reject)
      .write(text);
  });
}

it("gives up on a client that is too slow, and says so", async () => {
  const { server, refused } = await start();
  const head = "POST / HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\nhalf";
  expect(await raw(server.port, head)).toContain("408 Request Timeout");
  expect(refused).toEqual(["408 the request took too long to arrive"]);
  await server.close();
});

it("the receiver answers pending requests before it closes", async () => {
  const held = Promise.withResolvers<{ status: number }>();
  const arrived = Promise.withResolvers<void>();
  const { server } = await start({
    handle: () => {
      arrived.resolve();
      return held.promise;
    },
  });
  const answer = fetch(server.url, { method: "POST", body: "{}" });
  await arrived.promise;
  const closed = server.close();
  held.resolve({ status: 202 });
  expect((await answer).status).toBe(202);
  await closed;
});

it("the receiver answers 500 if its handler fails, and continues", async () => {
  let isFirst = true;
  const { server } = await start({
    handle: async () => {
      if (!isFirst) return { status: 204 };
      isFirst = false;
      throw new Error("broken");
    },
  });
  const post = () => fetch(server.url, { method: "POST", body: "{}" }).then(({ status }) => status);
  expect([await post(), await post()]).toEqual([500, 204]);
  await server.close();
});

it("says which address cannot be used", async () => {
  await expect(start({ host: "192.0.2.1" })).rejects.toThrow(
    /^amp listen cannot use 192\.0\.2\.1 port 0: listen EADDRNOTAVAIL/u,
  );
});
