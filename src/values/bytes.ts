import { tried } from "./tried.ts";
/** All bytes of a stream; undefined as soon as there are more than the limit. */
export async function readWithin(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.byteLength;
    // Leaving the loop closes the stream.
    if (size > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The text whose UTF-8 form is exactly these bytes; undefined if there is none. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  // A byte order mark stays in it.
  return tried(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
}
