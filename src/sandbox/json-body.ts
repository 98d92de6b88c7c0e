import { invalidInput, Refusal } from "./refusal.ts";

/** Bytes of a body, at most. */
const MAX_BODY = 1_000_000;

/** @throws {Refusal} 415 unless the body is said to be JSON */
export function checkContentType(value: string | null): void {
  const type = value?.split(";", 1)[0]?.trim().toLowerCase();
  if (type === "application/json") return;
  throw new Refusal("unsupported-media-type", "The body must be application/json.", {
    issues: [{ in: "header", name: "Content-Type", value, detail: "must be application/json" }],
  });
}

/**
 * The body's bytes. hono's own limit is no help here: it builds a new Request around the adapter's,
 * which Node's constructor does not take unless the adapter replaces the global one.
 * @throws {Refusal} 413 as soon as there are too many
 */
export async function readBytes({ headers, body }: Request): Promise<Uint8Array> {
  if (Number(headers.get("content-length") ?? 0) > MAX_BODY) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Refusal {
  return new Refusal("too-large", `The body has more than ${MAX_BODY} bytes.`);
}

/** @throws {Refusal} 400 where the bytes are no JSON */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const detail =
      bytes.byteLength === 0
        ? "must not be empty"
        : `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
    throw invalidInput([{ in: "body", name: "body", value: null, detail }], "malformed-request");
  }
}
