import type { ErrorFacts } from "../../errors.ts";
import { redactAnswer, redactQuoted } from "../../secrets/answer.ts";
import { redactSecrets } from "../../secrets/secret.ts";
import { tried, utf8Text } from "../../values/basics.ts";
import { readSize, sizeText } from "../../values/counted.ts";
import { parseJson } from "../../values/json.ts";
import { DEFAULTS } from "../../values/setting.ts";
import type { RefusedRedirect } from "../request/redirect.ts";
import type { RequestInfo } from "../request/request-info.ts";

/** An answer, read to its end unless it is `open`. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Whether it is not valid UTF-8: then two IDs may look equal. */
  readonly isMisread?: boolean;
  readonly redirect?: RefusedRedirect;
  /** The rest of a long list; `text` is only its beginning. */
  readonly open?: OpenBody;
}

/** A body of which only a part was read. */
export interface OpenBody {
  /** The bytes that were read. */
  readonly head: readonly Uint8Array[];
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly limits: BodyLimits;
}

/** The maximum bytes of an answer after decompression; ky itself has no limit. */
export interface BodyLimits {
  /** The limit for a list that is read record by record. */
  readonly stream: number;
  /** The limit for an answer that is held in memory. */
  readonly whole: number;
  /** The limit for an error, and for one record of a list. */
  readonly single: number;
}

const MB = 2 ** 20;
const SINGLE = readSize(DEFAULTS.maxBody);
const LIST_LIMITS: BodyLimits = {
  stream: readSize(DEFAULTS.maxListBody),
  whole: 32 * MB,
  single: SINGLE,
};
const SINGLE_LIMITS: BodyLimits = { stream: SINGLE, whole: SINGLE, single: SINGLE };

/**
 * The limits of the answer to a request. A list is a GET that names no single record.
 * @param given the user's limit for all answers
 */
export function bodyLimits(method: string, pathTemplate: string, given?: number): BodyLimits {
  if (given !== undefined) return { stream: given, whole: given, single: given };
  return method === "GET" && !pathTemplate.endsWith("}") ? LIST_LIMITS : SINGLE_LIMITS;
}

/** An answer exceeds the limit; its reading was stopped. */
export class OversizeError extends Error {
  readonly limit: number;

  constructor(limit: number) {
    super(`larger than ${sizeText(limit)}`);
    this.limit = limit;
  }
}

/**
 * Reads an answer to its end.
 * @param wholeUpTo a success that is a JSON array of more bytes is left open
 * @throws {OversizeError} beyond the limit; a body that is compressed well is stopped there, too
 */
export async function readAnswer(
  response: Response,
  limits: BodyLimits,
  wholeUpTo = Number.POSITIVE_INFINITY,
): Promise<HttpAnswer> {
  const { status, headers } = response;
  const limit = response.ok ? limits.whole : limits.single;
  const head: Uint8Array[] = [];
  let mayStayOpen = response.ok;
  let size = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    size += next.value.byteLength;
    if (size > limit) {
      await reader?.cancel();
      throw new OversizeError(limit);
    }
    head.push(next.value);
    if (reader && mayStayOpen && size > wholeUpTo) {
      const text = new TextDecoder().decode(Buffer.concat(head));
      if (text.trimStart().startsWith("[")) {
        return { status, headers, text, open: { head, reader, limits } };
      }
      mayStayOpen = false;
    }
  }
  const bytes = Buffer.concat(head);
  const text = new TextDecoder().decode(bytes);
  const isMisread = text.includes("\ufffd") && utf8Text(bytes) === undefined;
  return { status, headers, text, isMisread };
}

/** The JSON value of an answer; `undefined` if it is not valid JSON. */
export function parsedJson(answer: HttpAnswer): unknown {
  return tried(() => parseJson(answer.text));
}

/** Whether an answer is a web page, as a proxy or the login of a network sends it. */
export function isWebPage(answer: HttpAnswer): boolean {
  return mediaType(answer) === "text/html" || /^\s*<(?:!doctype|html)\b/iu.test(answer.text);
}

/** The kind of a body in words: "application/json", "an empty body". */
export function bodyKind(answer: HttpAnswer): string {
  if (answer.text.trim() === "") return "an empty body";
  return mediaType(answer) || "no content type";
}

/**
 * The beginning of a body for an error; `undefined` for an empty one. Secrets are redacted first:
 * they would not be recognised after cutting and flattening.
 */
export function excerptOf(answer: HttpAnswer): string | undefined {
  const json = parsedJson(answer);
  const shown = redactAnswer(json);
  const text = redactQuoted(redactSecrets(shown === json ? answer.text : JSON.stringify(shown)));
  const title = /<title[^>]*>([^<]*)<\/title>/iu.exec(text.slice(0, 20_000))?.[1];
  const source = isWebPage(answer) && title ? title : text.slice(0, 2_000);
  const flat = source.trim().replaceAll(/\s+/gu, " ");
  if (flat === "") return undefined;
  const characters = [...flat];
  return characters.length > 200 ? `${characters.slice(0, 199).join("")}…` : flat;
}

/** The service's request ID in the headers of an answer; it may repeat what it was sent. */
export function requestIdOf(headers: Headers): string | undefined {
  const id = headers.get("x-request-id");
  return id === null ? undefined : redactQuoted(id);
}

/** The identifiers of a request, for those who investigate it. */
export function requestIds(
  { requestId: clientRequestId }: RequestInfo,
  headers: Headers | undefined,
): ErrorFacts {
  const requestId = headers && requestIdOf(headers);
  return { ...(requestId ? { requestId } : {}), ...(clientRequestId ? { clientRequestId } : {}) };
}

/** The media type of a body, without its parameters; empty if the answer has none. */
export function mediaType(answer: HttpAnswer): string {
  return (answer.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
}
