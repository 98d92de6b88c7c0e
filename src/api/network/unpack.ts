import { pipeline, Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";

/**
 * A body that ends early is unpacked as far as it goes, as Node's fetch does. In larger parts than
 * zlib's own 16 KB, a bomb costs less memory until it is refused.
 */
const LENIENT = {
  flush: zlib.constants.Z_SYNC_FLUSH,
  finishFlush: zlib.constants.Z_SYNC_FLUSH,
  chunkSize: 64 * 1024,
};
const LENIENT_BROTLI = {
  flush: zlib.constants.BROTLI_OPERATION_FLUSH,
  finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH,
};

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => zlib.createGunzip(LENIENT),
  "x-gzip": () => zlib.createGunzip(LENIENT),
  deflate: () => zlib.createInflate(LENIENT),
  br: () => zlib.createBrotliDecompress(LENIENT_BROTLI),
};

/** The maximum, as in Node's fetch: each coding multiplies what a small body may become. */
const MAX_CODINGS = 5;

/**
 * Unpacks the body of a response, as fetch does by itself: chunk by chunk, in flat memory. A body
 * in a coding that is not known stays as it is.
 * @throws {TypeError} for too many codings; a damaged body fails when it is read, with zlib's code
 */
export function unpack(response: Response): Response {
  const { body, headers, status, statusText } = response;
  const codings = (headers.get("content-encoding") ?? "")
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > MAX_CODINGS) {
    throw new TypeError(
      `too many content-encodings in response: ${codings.length}, maximum allowed is ${MAX_CODINGS}`,
    );
  }
  const decoders = codings.toReversed().flatMap((coding) => DECODERS[coding]?.() ?? []);
  if (body === null || codings.length === 0 || decoders.length < codings.length) return response;
  // An error of any part destroys the last one with it, and so reaches the reader.
  const unpacked = pipeline([Readable.fromWeb(body as never), ...decoders], () => {});
  const stream = Readable.toWeb(unpacked as Transform) as unknown as ReadableStream<Uint8Array>;
  return new Response(stream, { status, statusText, headers });
}
