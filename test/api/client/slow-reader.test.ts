import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { createNetwork } from "../../../src/api/network/network.ts";
import { listTopics } from "../../../src/api/operations/endpoints.ts";
import { fake, serve } from "../fake-service.ts";

/** Records of 1 kB each. */
const LIST = JSON.stringify(
  Array.from({ length: 370 }, (_, nth) => ({ id: `t${nth}`, name: "n".repeat(1_000) })),
);
/** Enough to be read as it arrives. */
const BEGINNING = LIST.slice(0, LIST.indexOf('{"id":"t300"'));
/** What the body holds unread, and then more than that: its parser pauses at the last byte. */
const REST = LIST.slice(BEGINNING.length, LIST.indexOf('{"id":"t311"'));
const END = LIST.slice(BEGINNING.length + REST.length);

// undici 7 threw then, where nothing could catch it (nodejs/undici#5360).
test("a list is whole although its connection ends while nobody reads", async () => {
  const begun = Promise.withResolvers<ServerResponse>();
  const { baseUrl } = await serve((_, response) => {
    const headers = { "content-type": "application/json", "content-length": LIST.length };
    response.writeHead(200, { ...headers, connection: "close" });
    response.write(BEGINNING);
    begun.resolve(response);
  });
  // The fetch of the package, as in the bundle: the source alone would use that of Node.
  const network = await createNetwork({ env: {}, insecureTls: true });
  const { api } = fake(undefined, { baseUrl, network });
  const list = await api.list(listTopics, { path: { projectIdOrName: "p" } });
  const batches = (list as AsyncIterable<readonly unknown[]>)[Symbol.asyncIterator]();
  let count = 0;
  while (count < 240) count += (await batches.next()).value?.length ?? 0;

  const response = await begun.promise;
  response.write(REST);
  await wait(100);
  response.end(END);
  await wait(200);

  for (let next = await batches.next(); !next.done; next = await batches.next()) {
    count += next.value.length;
  }
  expect(count).toBe(370);
});
