import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../../../src/api/client/client.ts";
import { networkFailure } from "../../../src/api/network/network-failure.ts";
import { listProviderApps } from "../../../src/api/operations/endpoints.ts";
import type { AmpError } from "../../../src/errors.ts";

const RAW = /[A-Z]+_[A-Z_]+|\bE[A-Z]{4,}\b/u;

function withCode(code: string): Error {
  return new TypeError("fetch failed", { cause: Object.assign(new Error(code), { code }) });
}

test.each([
  ["UND_ERR_HEADERS_OVERFLOW", "the headers of the response are too large"],
  ["HPE_HEADER_OVERFLOW", "the headers of the response are too large"],
  ["HPE_INVALID_CONSTANT", "the response is not valid HTTP"],
  ["ERR_ASSERTION", "the response is not valid HTTP"],
  ["Z_DATA_ERROR", "the compressed response is damaged"],
  ["Z_BUF_ERROR", "the compressed response is damaged"],
  ["ERR__ERROR_FORMAT_PADDING_1", "the compressed response is damaged"],
  ["ZSTD_error_prefix_unknown", "the compressed response is damaged"],
  // Bun's.
  ["ZlibError", "the compressed response is damaged"],
  ["BrotliDecompressionError", "the compressed response is damaged"],
  ["ZstdDecompressionError", "the compressed response is damaged"],
  ["Malformed_HTTP_Response", "the response is not valid HTTP"],
  ["InvalidHTTPResponse", "the response is not valid HTTP"],
  ["InvalidContentLength", "the response is not valid HTTP"],
  ["UnrequestedUpgrade", "the response is not valid HTTP"],
  ["ResponseHeadersTooLarge", "the headers of the response are too large"],
  ["EAI_FAIL", "the host name could not be resolved"],
  ["EMFILE", "this process has too many open files"],
  ["UND_ERR_OF_TOMORROW", "the connection failed"],
  ["ENEWCODE", "the connection failed"],
  // Those of node:http, by which messages are posted.
  ["socket hang up", "the connection was closed without a response"],
  ["ERR_INVALID_PROTOCOL", "the URL is not http or https"],
  ["ERR_INVALID_CHAR", "a header has characters that cannot be sent"],
])("%s is a sentence", (code, reason) => {
  expect(networkFailure(withCode(code)).reason).toBe(reason);
});

test("a message that begins with its code is read by the code, as Bun writes it", () => {
  const code = "ERR_TLS_CERT_ALTNAME_INVALID";
  const error = Object.assign(new Error(`${code} fetching "https://localhost/v1"`), { code });
  expect(networkFailure(error).reason).toBe(`its TLS certificate is for another host (${code})`);
  const closed = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  expect(networkFailure(closed).reason).toBe("the connection was closed without a response");
});

test("an answer that is compressed twenty times is reported in a sentence", () => {
  const message = "too many content-encodings in response: 20, maximum allowed is 5";
  const error = new TypeError("fetch failed", { cause: new Error(message) });
  expect(networkFailure(error).reason).toBe("the response is compressed too many times");
});

/** The error of a list at a server that answers with these bytes. */
async function errorFor(bytes: string | Buffer): Promise<AmpError> {
  const server = createServer((socket) => {
    socket.on("error", () => {}).once("data", () => socket.end(bytes));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const api = createClient({
    baseUrl: `http://127.0.0.1:${port}/v1`,
    credential: { kind: "api-key", secret: "key-of-the-test" },
    timeoutMs: 5_000,
    retries: 0,
    signal: new AbortController().signal,
    userAgent: "amp/test",
  });
  return api.call(listProviderApps, { path: { projectIdOrName: "p" } }).then(
    () => expect.unreachable("it was accepted"),
    (error: AmpError) => error,
  );
}

const OK = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

test.each([
  ["headers without end", `${OK}x: ${"y".repeat(200_000)}\r\n\r\n[]`],
  ["no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
  ["a broken gzip", `${OK}content-encoding: gzip\r\ncontent-length: 9\r\n\r\nnot gzip!`],
  ["a broken brotli", `${OK}content-encoding: br\r\ncontent-length: 9\r\n\r\nnot brotl`],
  ["a broken chunk", `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n[]\r\n`],
  [
    "another protocol",
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
  ],
  ["an unasked 100 alone", "HTTP/1.1 100 Continue\r\n\r\n"],
  ["an end in the head", "HTTP/1.1 200 OK\r\ncontent-"],
  ["a lie about its length", `${OK}content-length: 99\r\n\r\n[]`],
])("%s is reported without a code", async (_, bytes) => {
  const error = await errorFor(bytes);
  expect(error.exit).toBe("service");
  expect(error.message).not.toMatch(RAW);
  expect(error.message).toMatch(
    /(?:not valid HTTP|too large|damaged|closed|incomplete|reset|failed)/u,
  );
});
