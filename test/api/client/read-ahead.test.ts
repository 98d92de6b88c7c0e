import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { listTopics } from "../../../src/api/operations/endpoints.ts";
import { fake } from "../fake-service.ts";

const MB = 2 ** 20;
const NAME = "n".repeat(1_000);

/** A list of many records whose bytes are counted as they are taken, at most 64 kB at a time. */
function countedList(records: number) {
  const text = JSON.stringify(
    Array.from({ length: records }, (_, nth) => ({ id: `t${nth}`, name: NAME })),
  );
  const bytes = new TextEncoder().encode(text);
  let taken = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(bytes.subarray(taken, taken + 65_536));
        taken += 65_536;
        if (taken >= bytes.length) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { "content-type": "application/json" };
  return { total: bytes.length, taken: () => taken, reply: () => new Response(body, { headers }) };
}

/** Takes batches until more than the beginning was read, and then no more for a while. */
async function beginningOf(list: ReturnType<typeof countedList>) {
  const { api } = fake(list.reply);
  const records = await api.list(listTopics, { path: { projectIdOrName: "p" } });
  const batches = (records as AsyncIterable<readonly unknown[]>)[Symbol.asyncIterator]();
  const beginning = list.taken();
  let count = 0;
  while (list.taken() === beginning) count += (await batches.next()).value?.length ?? 0;
  for (let turn = 0; turn < 500; turn += 1) await nextTurn();
  return { batches, count };
}

describe("a long list whose reader is slow", () => {
  it("is read to its end meanwhile, and loses no record", async () => {
    const list = countedList(4_000);
    const { batches, count: begun } = await beginningOf(list);
    expect(begun).toBeLessThan(4_000);
    expect(list.taken()).toBeGreaterThanOrEqual(list.total);
    let count = begun;
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      count += next.value.length;
    }
    expect(count).toBe(4_000);
  });

  it("is not held whole in memory, and loses no record", async () => {
    const list = countedList(30_000);
    const { batches, count: begun } = await beginningOf(list);
    expect(list.taken()).toBeGreaterThan(8 * MB);
    expect(list.taken()).toBeLessThan(10 * MB);
    let count = begun;
    for (let next = await batches.next(); !next.done; next = await batches.next()) {
      count += next.value.length;
    }
    expect(count).toBe(30_000);
  });
});
