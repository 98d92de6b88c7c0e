import { sizeText } from "../size.ts";
import type { Refused } from "./redirect.ts";

/** What came back, read to its end. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Of a redirect: why it was not followed. */
  readonly redirect?: Refused;
}

/** Bytes that an answer may have after decompression; ky itself has no limit. */
const LIMITS = { list: 256 * 2 ** 20, other: 4 * 2 ** 20 } as const;

/**
 * How many bytes the answer of a request may have: a list is a GET that names no single thing.
 * @param given what the person says, for all of them
 */
export function limitOf(method: string, pathTemplate: string, given?: number): number {
  if (given !== undefined) return given;
  return method === "GET" && !pathTemplate.endsWith("}") ? LIMITS.list : LIMITS.other;
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
 * @throws {OversizeError} beyond `limit` bytes
 */
export async function readAnswer(response: Response, limit: number): Promise<Answer> {
  const decoder = new TextDecoder();
  const parts: string[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream and with it the download.
    if (size > limit) throw new OversizeError(limit);
    parts.push(decoder.decode(chunk, { stream: true }));
  }
  parts.push(decoder.decode());
  return { status: response.status, headers: response.headers, text: parts.join("") };
}

/** The JSON value of an answer; `undefined` where it has none or none that is whole. */
export function jsonOf(answer: Answer): unknown {
  try {
    return JSON.parse(answer.text);
  } catch {
    return undefined;
  }
}

/** A page for people, as a proxy or the login page of a network sends it. */
export function isWebPage(answer: Answer): boolean {
  return mediaType(answer) === "text/html" || /^\s*<(?:!doctype|html)\b/iu.test(answer.text);
}

/** What kind of body it is, in words: "application/json", "an empty body". */
export function kindOf(answer: Answer): string {
  if (answer.text.trim() === "") return "an empty body";
  return mediaType(answer) || "no content type";
}

/** The beginning of a body that is no use otherwise; `undefined` for an empty one. */
export function excerptOf(answer: Answer): string | undefined {
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

function mediaType(answer: Answer): string {
  return (answer.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
