import { utf8Text } from "../values/basics.ts";
import { inputErrors } from "../values/errors.ts";
import { isJsonObject, jsonOf } from "../values/json.ts";
import { type Delivery, deliveryOf } from "./delivery.ts";
import { eventErrors } from "./errors.ts";

type Headers = Delivery["headers"];

/** A message as one line of JSON, with its line end; a body that is not UTF-8 is in base64. */
export function captureLine({
  time,
  headers,
  body,
}: Pick<Delivery, "time" | "headers" | "body">): string {
  const text = utf8Text(body);
  const content =
    text === undefined ? { bodyBase64: Buffer.from(body).toString("base64") } : { body: text };
  return `${JSON.stringify({ time: time?.toISOString(), headers, ...content })}\n`;
}

/**
 * Reads what was captured: lines of JSON as `amp listen --save` writes them, one JSON object with
 * `headers` and `body`, or the text of an HTTP request.
 * @param source its name in errors
 * @throws {UsageError} for anything else
 */
export function parseCaptures(bytes: Uint8Array, source: string): readonly Delivery[] {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString("latin1").trimStart();
  if (start === "") throw inputErrors.value_empty(source);
  return start.startsWith("{") || start.startsWith("[")
    ? parseJsonCaptures(bytes, source)
    : [parseHttp(bytes, source)];
}

/**
 * Reads headers alone: lines such as `svix-id: msg_1`, or a JSON object.
 * @throws {UsageError} for anything else
 */
export function parseHeaders(text: string, source: string): Headers {
  if (text.trimStart().startsWith("{")) return headersOf(parsed(text, source), source);
  const lines = text.split(/\r?\n/u).filter((line) => line.trim() !== "");
  return headersBelow(/^(?:[A-Z]+ \S+|HTTP\/\d)/u, lines, source);
}

function parseJsonCaptures(bytes: Uint8Array, source: string): readonly Delivery[] {
  const text = utf8Text(bytes);
  if (text === undefined) throw inputErrors.not_utf8(source);
  const whole = jsonOf(text);
  if (whole !== undefined) {
    return [whole].flat().map((one, at) => captureOf(one, `${source}, request ${at + 1}`));
  }
  return text.split("\n").flatMap((line, at) => {
    const place = `${source}, line ${at + 1}`;
    return line.trim() === "" ? [] : [captureOf(parsed(line, place), place)];
  });
}

function captureOf(value: unknown, place: string): Delivery {
  if (!isJsonObject(value)) throw eventErrors.capture_not_request(place);
  const time = typeof value.time === "string" ? new Date(value.time) : undefined;
  return deliveryOf({
    headers: headersOf(value.headers, place),
    body: bodyOf(value, place),
    time: Number.isNaN(time?.getTime()) ? undefined : time,
  });
}

function bodyOf(
  { body, bodyBase64, isBase64Encoded }: Readonly<Record<string, unknown>>,
  place: string,
): Uint8Array {
  if (typeof bodyBase64 === "string") return Buffer.from(bodyBase64, "base64");
  if (typeof body === "string") return Buffer.from(body, isBase64Encoded ? "base64" : "utf8");
  throw eventErrors.capture_body(place);
}

/** Headers as a list of pairs, or as an object of texts or lists of texts. */
function headersOf(value: unknown, place: string): Headers {
  const isText = (one: unknown): one is string => typeof one === "string";
  if (Array.isArray(value)) {
    const pairs = value.filter(
      (one) => Array.isArray(one) && one.length === 2 && one.every(isText),
    );
    if (pairs.length === value.length) return pairs as [string, string][];
  } else if (isJsonObject(value)) {
    const pairs = Object.entries(value).flatMap(([name, one]) =>
      [one].flat().map((each): [string, unknown] => [name, each]),
    );
    if (pairs.every((pair): pair is [string, string] => isText(pair[1]))) return pairs;
  }
  throw eventErrors.capture_not_request(place);
}

function parseHttp(bytes: Uint8Array, source: string): Delivery {
  const all = Buffer.from(bytes);
  const end = endOfHeaders(all);
  const lines = all
    .subarray(0, end.at)
    .toString("latin1")
    .replace(/^\u00EF\u00BB\u00BF/u, "")
    .split(/\r?\n/u)
    // Files of HTTP clients have comments.
    .filter((line) => line.trim() !== "" && !/^(?:#|\/\/)/u.test(line));
  const headers = headersBelow(/^[A-Za-z]+ +\S+(?: +HTTP\/[\d.]+)?\s*$/u, lines, source);
  return deliveryOf({ headers, body: all.subarray(end.at + end.length) });
}

/** Where the empty line is that separates headers and body; at the end where there is none. */
function endOfHeaders(bytes: Buffer): { at: number; length: number } {
  const ends = ["\r\n\r\n", "\n\n"].flatMap((text) => {
    const at = bytes.indexOf(text);
    return at < 0 ? [] : [{ at, length: text.length }];
  });
  return ends.sort((one, other) => one.at - other.at)[0] ?? { at: bytes.length, length: 0 };
}

const HEADER = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/u;

/** The headers of these lines, of which the first may be the start line of a request or response. */
function headersBelow(start: RegExp, lines: readonly string[], source: string): Headers {
  const [first = ""] = lines;
  const hasStart = start.test(first) && !HEADER.test(first);
  return lines.slice(hasStart ? 1 : 0).map((line) => {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name !== undefined && value !== undefined) return [name, value.trimEnd()];
    throw eventErrors.capture_header(source, line.slice(0, 60));
  });
}

function parsed(text: string, place: string): unknown {
  const value = jsonOf(text);
  if (value === undefined) throw inputErrors.not_json(place);
  return value;
}
