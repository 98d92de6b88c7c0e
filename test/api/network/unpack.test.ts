import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { networkFailure } from "../../../src/api/network/network-failure.ts";
import { unpack } from "../../../src/api/network/unpack.ts";

const TEXT = JSON.stringify(Array.from({ length: 5_000 }, (_, at) => ({ id: `ins_${at}` })));

function packed(
  body: Uint8Array<ArrayBuffer> | string | null,
  coding: string,
  init: ResponseInit = {},
) {
  return new Response(body, {
    ...init,
    headers: { "content-encoding": coding, "x-request-id": "r1" },
  });
}

describe("a packed body", () => {
  test.each([
    ["gzip", gzipSync(TEXT)],
    ["x-gzip", gzipSync(TEXT)],
    ["GZIP", gzipSync(TEXT)],
    ["deflate", deflateSync(TEXT)],
    ["br", brotliCompressSync(TEXT)],
    ["gzip, br", brotliCompressSync(gzipSync(TEXT))],
    ["identity, gzip", gzipSync(TEXT)],
  ])("is unpacked: %s", async (coding, bytes) => {
    const response = unpack(packed(bytes, coding, { status: 203 }));
    expect(response.status).toBe(203);
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(await response.text()).toBe(TEXT);
  });

  test.each(["gzip, q", "", "identity"])("stays as it is: %j", async (coding) => {
    expect(await unpack(packed("[]", coding)).text()).toBe("[]");
  });

  test("a response without a body stays without one", () => {
    expect(unpack(packed(null, "gzip", { status: 204 })).body).toBeNull();
  });

  test("a truncated body is unpacked up to the truncation", async () => {
    const half = gzipSync(TEXT).subarray(0, 8_000);
    const text = await unpack(packed(half, "gzip")).text();
    expect(text.length).toBeGreaterThan(1_000);
    expect(TEXT.startsWith(text)).toBe(true);
  });

  test.each([
    ["gzip", "not gzip at all"],
    ["br", "not brotli"],
    ["deflate", "not deflate"],
  ])("that is damaged fails when it is read: %s", async (coding, text) => {
    const error = await unpack(packed(text, coding))
      .text()
      .catch((reason: unknown) => reason);
    expect(networkFailure(error).reason).toBe("the compressed response is damaged");
  });

  test("that breaks off fails with the reason of the connection", async () => {
    const broken = new ReadableStream({
      start: (controller) => controller.enqueue(gzipSync(TEXT).subarray(0, 100)),
      pull: (controller) => {
        controller.error(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      },
    });
    const response = new Response(broken, { headers: { "content-encoding": "gzip" } });
    const error = await unpack(response)
      .text()
      .catch((reason: unknown) => reason);
    expect(networkFailure(error).reason).toBe("the connection was reset");
  });

  test("of too many codings is refused", () => {
    const many = Array.from({ length: 6 }, () => "gzip").join(", ");
    expect(() => unpack(packed("[]", many))).toThrow("too many content-encodings");
  });

  test("is read no further than its reader goes", async () => {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>();
    const bytes = gzipSync(TEXT);
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(bytes),
      cancel: () => resolve(),
    });
    const response = new Response(endless, { headers: { "content-encoding": "gzip" } });
    const reader = unpack(response).body?.getReader();
    expect((await reader?.read())?.value?.length).toBeLessThanOrEqual(2 ** 16);
    await reader?.cancel();
    await cancelled;
  });
});
