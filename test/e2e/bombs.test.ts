import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { pipeline, Readable } from "node:stream";
import * as zlib from "node:zlib";
import { beforeAll, expect, test, vi } from "vitest";
import { machine } from "../hosts.ts";
import { startAmp } from "./program.ts";
import { homeAt } from "./sandbox.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const MB = 2 ** 20;
const MOST_MB = 200;
const LISTS = [
  ["apps", "list", "--json"],
  ["installations", "list", "113e9685-9a51-42cc-8662-9d9725b17f14", "--json"],
] as const;

/** An answer of half a GiB, as a list that never comes to its first record. */
async function packed(packer: zlib.Gzip | zlib.BrotliCompress): Promise<Buffer> {
  const blank = Buffer.alloc(MB, " ");
  const text = Readable.from([Buffer.from("["), ...Array.from({ length: 512 }, () => blank)]);
  const parts: Buffer[] = [];
  for await (const part of pipeline(text, packer, () => {})) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const bodies = new Map<string, Buffer>();
beforeAll(async () => {
  bodies.set("gzip", await packed(zlib.createGzip()));
  bodies.set(
    "br",
    await packed(
      zlib.createBrotliCompress({ params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
    ),
  );
  bodies.set("deflate", await packed(zlib.createDeflate()));
});

/** The most memory that a process has had so far, in MB. */
function peakOf(pid: number | undefined): number {
  try {
    const [, kb = "0"] = /VmHWM:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kb) / 1024;
  } catch {
    return 0;
  }
}

const BOMBS: readonly (readonly [
  name: string,
  head: string,
  body: () => string | Buffer | undefined,
])[] = [
  ["gzip", "200 OK\r\ncontent-encoding: gzip", () => bodies.get("gzip")],
  ["br", "200 OK\r\ncontent-encoding: br", () => bodies.get("br")],
  ["deflate", "200 OK\r\ncontent-encoding: deflate", () => bodies.get("deflate")],
  ["gzip of an error", "500 No\r\ncontent-encoding: gzip", () => bodies.get("gzip")],
  ["levels", "200 OK", () => "[".repeat(4 * MB - 1)],
  ["objects", "200 OK", () => `${'{"a":'.repeat(700_000)}1${"}".repeat(700_000)}`],
  [
    "fields",
    "200 OK",
    () => `[{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join(",")}}]`,
  ],
  ["a long text", "200 OK", () => `[{"id":"${"x".repeat(60 * MB)}"}]`],
  ["many headers", `200 OK\r\n${"x: y\r\n".repeat(200_000)}z: 1`, () => "[]"],
  ["a long header", `200 OK\r\nx: ${"y".repeat(20 * MB)}`, () => "[]"],
];

/** Runs a list at a service that answers so. */
async function listed(args: readonly string[], head: string, body: string | Buffer) {
  const host = await machine((socket) => {
    socket.once("data", () => {
      socket.write(
        `HTTP/1.1 ${head}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n`,
      );
      socket.end(body);
    });
  });
  const { child, ended } = startAmp(args, {
    env: { AMP_RETRIES: "0" },
    home: homeAt(`http://${host}/v1`),
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, 5);
  const { code, stdout } = await ended;
  clearInterval(watch);
  expect(peak).toBeGreaterThan(10);
  return { code, stdout, peak };
}

const onLinux = test.skipIf(platform() !== "linux");

onLinux.each(BOMBS)("a bomb stays below 200 MB: %s", async (_, head, body) => {
  for (const args of LISTS) {
    const { peak, ...outcome } = await listed(args, head, body() ?? "");
    expect(outcome).toEqual({ code: 7, stdout: "" });
    expect(peak).toBeLessThan(MOST_MB);
  }
});

onLinux("a list of records without any field stays below 200 MB", async () => {
  // One that is held as a whole, and one that is read record by record.
  for (const [at, length] of [50_000, 100_000].entries()) {
    const body = JSON.stringify(Array.from({ length }, () => ({})));
    const { code, stdout, peak } = await listed(LISTS[at] ?? LISTS[0], "200 OK", body);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toHaveLength(length);
    expect(peak).toBeLessThan(MOST_MB);
  }
});

onLinux.each(["5", "{}", "[]"])(
  "too many records such as %s are refused below 200 MB",
  async (one) => {
    const body = `[${Array(400_000).fill(one).join(",")}]`;
    const { peak, ...outcome } = await listed(["integrations", "list", "--json"], "200 OK", body);
    expect(outcome).toEqual({ code: 7, stdout: "" });
    expect(peak).toBeLessThan(MOST_MB);
  },
);
