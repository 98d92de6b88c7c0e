import { truncateDeep } from "../../secrets/answer.ts";
import { sizeText } from "../../values/size.ts";
import type { RefusedRedirect } from "../request/redirect.ts";

/** What came back, read to its end unless it is `open`. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a redirect: why it was not followed. */
  readonly redirect?: RefusedRedirect;
  /** A long list: its `text` is but the beginning. */
  readonly open?: OpenBody;
}

/** A body that was read in part. */
export interface OpenBody {
  /** What was read. */
  readonly head: readonly Uint8Array[];
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Bytes that it may have in all. */
  readonly limit: number;
}

/** Bytes that an answer may have after decompression; ky itself has no limit. */
const MAX_BYTES = { list: 256 * 2 ** 20, other: 4 * 2 ** 20 } as const;

/**
 * How many bytes the answer of a request may have: a list is a GET that names no single thing.
 * @param given what the person says, for all of them
 */
export function maxBytesFor(method: string, pathTemplate: string, given?: number): number {
  if (given !== undefined) return given;
  return method === "GET" && !pathTemplate.endsWith("}") ? MAX_BYTES.list : MAX_BYTES.other;
}

/** The answer goes on beyond what is reasonable; reading was broken off. */
export class OversizeError extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`more than ${sizeText(limit)}`);
    this.limit = limit;
  }
}

/**
 * Reads an answer to its end.
 * @param wholeUpTo a success that is a JSON array of more bytes is left open
 * @throws {OversizeError} beyond `limit` bytes
 */
export async function readAnswer(
  response: Response,
  limit: number,
  wholeUpTo = Number.POSITIVE_INFINITY,
): Promise<HttpAnswer> {
  const { status, headers } = response;
  const decoder = new TextDecoder();
  const parts: string[] = [];
  const head: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    const isLong = size > wholeUpTo;
    size += next.value.byteLength;
    if (size > limit) {
      await reader?.cancel();
      throw new OversizeError(limit);
    }
    parts.push(decoder.decode(next.value, { stream: true }));
    if (isLong) continue;
    head.push(next.value);
    if (reader && size > wholeUpTo && response.ok) {
      const text = parts.join("");
      if (text.trimStart().startsWith("[")) {
        return { status, headers, text, open: { head, reader, limit } };
      }
    }
  }
  parts.push(decoder.decode());
  return { status, headers, text: parts.join("") };
}

/** The JSON value of an answer; `undefined` where it has none or none that is whole. */
export function parsedJson(answer: HttpAnswer): unknown {
  try {
    return truncateDeep(JSON.parse(answer.text));
  } catch {
    return undefined;
  }
}

/** A page for people, as a proxy or the login page of a network sends it. */
export function isWebPage(answer: HttpAnswer): boolean {
  return mediaType(answer) === "text/html" || /^\s*<(?:!doctype|html)\b/iu.test(answer.text);
}

/** What kind of body it is, in words: "application/json", "an empty body". */
export function bodyKind(answer: HttpAnswer): string {
  if (answer.text.trim() === "") return "an empty body";
  return mediaType(answer) || "no content type";
}

/** The beginning of a body that is no use otherwise; `undefined` for an empty one. */
export function excerptOf(answer: HttpAnswer): string | undefined {
  const title = /<title[^>]*>([^<]*)<\/title>/iu.exec(answer.text.slice(0, 20_000))?.[1];
  const source = isWebPage(answer) && title ? title : answer.text.slice(0, 2_000);
  const flat = source.trim().replaceAll(/\s+/gu, " ");
  if (flat === "") return undefined;
  const characters = [...flat];
  return characters.length > 200 ? `${characters.slice(0, 199).join("")}…` : flat;
}

/** The request identifier of the headers, for answers whose body has none. */
export function requestIdOf(headers: Headers): string | undefined {
  return headers.get("x-request-id") ?? undefined;
}

function mediaType(answer: HttpAnswer): string {
  return (answer.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
