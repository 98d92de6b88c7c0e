import { createHmac } from "node:crypto";
import { jsonOf } from "../values/json.ts";
import { SIGNATURE_HEADERS, type SignedContent, signatureHeaders } from "./message/signature.ts";

interface SigningInput {
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array;
}

/** One thing that is done differently from the platform, in what is signed or in the key. */
interface MistakeWords {
  /** The mistake, as the end of "The signature matches if …". */
  readonly text: string;
  readonly advice: string;
}

const WHOLE_CONTENT = "Sign ID, timestamp and body, in this order, with dots between them.";

/** The mistakes in signing or verifying, by name. */
export const SIGNING_MISTAKES = {
  "body-serialised-again": {
    text: "the body is parsed and serialised again",
    advice:
      'Sign and verify the unchanged bytes of the body (Express: express.raw({ type: "application/json", limit: "350kb" }); Flask: request.get_data()).',
  },
  "body-as-object": {
    text: "the text [object Object] replaces the body",
    advice: "Pass the bytes of the body, not the parsed object.",
  },
  "body-empty": {
    text: "the body is empty",
    advice: "Read the body before the signature is verified; other code has already consumed it.",
  },
  "body-newline-added": {
    text: "the line end after the body is removed",
    advice: "Keep the body unchanged: editors and echo add a line end.",
  },
  "body-newline-removed": {
    text: "a line end is added to the body",
    advice: "Keep the body unchanged: the line end is part of it.",
  },
  "body-line-ends": {
    text: "the line ends of the body are converted",
    advice: "Keep the body unchanged: do not convert between CRLF and LF.",
  },
  "body-bom-added": {
    text: "the byte order mark before the body is removed",
    advice: "Keep the body unchanged: an editor has added a byte order mark.",
  },
  "body-bom-removed": {
    text: "a byte order mark is added before the body",
    advice: "Keep the body unchanged: the byte order mark is part of it.",
  },
  "body-latin1": {
    text: "the body is read as Latin-1 instead of UTF-8",
    advice: "Read the body as bytes, or as UTF-8.",
  },
  "body-not-latin1": {
    text: "the body is read as UTF-8 and written as Latin-1",
    advice: "Write the body as bytes, or as UTF-8.",
  },
  "secret-not-decoded": {
    text: "the secret after whsec_ is used as text",
    advice: "Decode the part after whsec_ from base64; the key is those bytes.",
  },
  "secret-with-prefix": {
    text: "the whole secret with whsec_ is used as text",
    advice: "Remove whsec_, then decode the rest from base64; the key is those bytes.",
  },
  "secret-prefix-decoded": {
    text: "the whole secret with whsec_ is decoded from base64",
    advice: "Remove whsec_ before the rest is decoded from base64.",
  },
  "secret-line-end": {
    text: "the line end after the secret is part of the key",
    advice: "Remove the line end from the secret.",
  },
  "content-body-only": {
    text: "only the body is signed",
    advice: WHOLE_CONTENT,
  },
  "content-without-id": {
    text: "svix-id is not signed",
    advice: WHOLE_CONTENT,
  },
  "content-without-time": {
    text: "svix-timestamp is not signed",
    advice: WHOLE_CONTENT,
  },
  "content-order": {
    text: "svix-timestamp is signed before svix-id",
    advice: WHOLE_CONTENT,
  },
  "content-no-dots": {
    text: "ID, timestamp and body are signed without dots between them",
    advice: WHOLE_CONTENT,
  },
  "hash-sha1": {
    text: "the HMAC is computed with SHA-1",
    advice: "Compute it with SHA-256.",
  },
  "hash-sha512": {
    text: "the HMAC is computed with SHA-512",
    advice: "Compute it with SHA-256.",
  },
  "signature-format": {
    text: "the signature is written as v1,<base64>",
    advice: "Write v1, and the signature in base64 with its padding, with spaces between several.",
  },
} as const satisfies Record<string, MistakeWords>;

/** A key of {@link SIGNING_MISTAKES}. */
export type SigningMistake = keyof typeof SIGNING_MISTAKES;

/**
 * The key of a secret as the platform uses it: the bytes that the base64 after `whsec_` stands for.
 */
function keyOf(secret: string): Buffer {
  return Buffer.from(withoutPrefix(secret), "base64");
}

function macOf(
  key: Uint8Array,
  content: readonly (string | Uint8Array)[],
  hash = "sha256",
): Buffer {
  const mac = createHmac(hash, key);
  for (const part of content) mac.update(part);
  return mac.digest();
}

/**
 * The wrong ways that lead to one of the given MACs: one alone, else one with the key and one with
 * the body together.
 */
export function matchingMistakes(
  input: SigningInput,
  isSigned: (mac: Buffer) => boolean,
): SigningMistake[] {
  const right = keyOf(input.secret);
  const bodies = [...bodyVariants(input.body)];
  const keys = KEYS.map(([name, key]) => [name, key(input.secret)] as const);
  const { id, timestamp } = input;
  const signs = (key: Uint8Array, body: Uint8Array) =>
    isSigned(macOf(key, [id, ".", timestamp, ".", body]));
  if (signs(right, input.body)) return ["signature-format"];
  for (const [name, body] of bodies) if (signs(right, body)) return [name];
  for (const [name, key] of keys) if (signs(key, input.body)) return [name];
  for (const [name, before] of BEFORES) {
    if (isSigned(macOf(right, [before(id, timestamp), input.body]))) return [name];
  }
  for (const [name, hash] of HASHES) {
    if (isSigned(macOf(right, [id, ".", timestamp, ".", input.body], hash))) return [name];
  }
  for (const [keyName, key] of keys) {
    for (const [name, body] of bodies) if (signs(key, body)) return [keyName, name];
  }
  return [];
}

/** What is signed before the body in place of "ID.timestamp.". */
const BEFORES: readonly (readonly [SigningMistake, (id: string, time: string) => string])[] = [
  ["content-body-only", () => ""],
  ["content-without-id", (_id, time) => `${time}.`],
  ["content-without-time", (id) => `${id}.`],
  ["content-order", (id, time) => `${time}.${id}.`],
  ["content-no-dots", (id, time) => `${id}${time}`],
];

const HASHES = [
  ["hash-sha1", "sha1"],
  ["hash-sha512", "sha512"],
] as const;

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

function* bodyVariants(bytes: Uint8Array): Generator<readonly [SigningMistake, Uint8Array]> {
  const body = Buffer.from(bytes);
  const text = body.toString("utf8");
  for (const shorter of [text.replace(/(?:\r?\n)+$/u, ""), text.replace(/\r?\n$/u, "")]) {
    if (shorter !== text) yield ["body-newline-added", Buffer.from(shorter)];
  }
  for (const end of ["\n", "\r\n"]) yield ["body-newline-removed", Buffer.from(text + end)];
  for (const end of ["\n", "\r\n"]) {
    yield ["body-line-ends", Buffer.from(text.replaceAll(/\r?\n/gu, end))];
  }
  if (body.subarray(0, 3).equals(BOM)) yield ["body-bom-added", body.subarray(3)];
  else yield ["body-bom-removed", Buffer.concat([BOM, body])];
  // After the line ends, which serialising drops as well.
  for (const again of serialisedAgain(text)) yield ["body-serialised-again", Buffer.from(again)];
  yield ["body-as-object", Buffer.from("[object Object]")];
  yield ["body-empty", Buffer.alloc(0)];
  yield ["body-latin1", Buffer.from(body.toString("latin1"), "utf8")];
  yield ["body-not-latin1", Buffer.from(text, "latin1")];
}

const KEYS: readonly (readonly [name: SigningMistake, key: (secret: string) => Uint8Array])[] = [
  ["secret-not-decoded", (secret) => Buffer.from(withoutPrefix(secret))],
  ["secret-with-prefix", (secret) => Buffer.from(secret)],
  ["secret-prefix-decoded", (secret) => Buffer.from(secret, "base64")],
  ["secret-line-end", (secret) => Buffer.concat([keyOf(secret), Buffer.from("\n")])],
  ["secret-line-end", (secret) => Buffer.from(`${secret}\n`)],
];

function withoutPrefix(secret: string): string {
  return secret.replace(/^whsec_/u, "");
}

/** How the usual libraries write JSON, JavaScript first. */
const SERIALISERS: readonly ((value: unknown) => string)[] = [
  (value: unknown) => value,
  withSortedKeys,
].flatMap((prepared) =>
  [
    (value: unknown) => JSON.stringify(value),
    pythonJson,
    // Python escapes what is not ASCII by default; Go and PHP escape more.
    (value: unknown) => escaped(pythonJson(value)),
    (value: unknown) => escaped(JSON.stringify(value)),
    (value: unknown) => JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/gu, unicodeEscape),
    (value: unknown) => escaped(JSON.stringify(value)).replaceAll("/", "\\/"),
    ...[2, 4, "\t"].map((indent) => (value: unknown) => JSON.stringify(value, undefined, indent)),
  ].map((write) => (value: unknown) => write(prepared(value))),
);

/** A JSON text as the usual libraries would write it, without what equals it. */
function serialisedAgain(text: string): readonly string[] {
  const value = jsonOf(text.replace(/^\uFEFF/u, ""));
  if (value === undefined) return [];
  return [...new Set(SERIALISERS.map((write) => write(value)))].filter((one) => one !== text);
}

function withSortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, withSortedKeys(item)]),
  );
}

/** JSON with a space after each comma and colon. */
function pythonJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${pythonJson(item)}`,
  );
  return `{${members.join(", ")}}`;
}

/** A text with every UTF-16 unit beyond ASCII escaped. */
function escaped(text: string): string {
  return text.replaceAll(/[\u0080-\uFFFF]/g, unicodeEscape);
}

function unicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

type Headers = Readonly<Record<string, string>>;

/** How the messages of a test are signed. */
export interface SigningWay {
  /** The headers of the platform, signed in this way. */
  readonly sign: (content: SignedContent, secret: string) => Headers;
  /** The headers under the names that the receiver reads. */
  readonly named: (headers: Headers) => Headers;
  /** The mistakes of a receiver that accepts this way only; none for that of the platform. */
  readonly mistakes: readonly MistakeWords[];
  /** Whether another body is signed than the one that is sent. */
  readonly changesBody: boolean;
}

/** The way of the platform. */
export const PLATFORM_SIGNING: SigningWay = {
  sign: (content, secret) => signatureHeaders(content, [secret]),
  named: (headers) => headers,
  mistakes: [],
  changesBody: false,
};

interface Change {
  readonly words: MistakeWords;
  readonly key?: (secret: string) => Uint8Array;
  readonly body?: (text: string) => string;
  readonly before?: (id: string, timestamp: string) => string;
  readonly hash?: string;
  readonly form?: (mac: Buffer) => string;
  readonly header?: (name: string) => string;
  /** The timestamp of a time in milliseconds. */
  readonly stamp?: (ms: number) => number;
}

const bodyChange = (name: SigningMistake, body: (text: string) => string): Change => ({
  words: SIGNING_MISTAKES[name],
  body,
});
const HASH_CHANGES = HASHES.map(
  ([name, hash]): Change => ({ words: SIGNING_MISTAKES[name], hash }),
);
const KEY_CHANGES = KEYS.map(([name, key]): Change => ({ words: SIGNING_MISTAKES[name], key }));
const BODIES = [
  ...SERIALISERS.map((write) =>
    bodyChange("body-serialised-again", (text) => write(JSON.parse(text))),
  ),
  bodyChange("body-newline-removed", (text) => `${text}\n`),
  bodyChange("body-as-object", () => "[object Object]"),
  bodyChange("body-empty", () => ""),
];

const CONTENTS = BEFORES.map(
  ([name, before]): Change => ({
    words: SIGNING_MISTAKES[name],
    before,
  }),
);
/** The mistakes in what is signed that are often combined with another. */
const OFTEN = CONTENTS.slice(0, 2);

const HEXADECIMAL = "Compare it with the HMAC in base64, not in hexadecimal.";
const VERSION = "Split svix-signature at spaces, and remove v1, from each part before comparing.";
const FORMS: readonly Change[] = [
  {
    words: { text: "the signature has no version (v1,)", advice: VERSION },
    form: (mac) => mac.toString("base64"),
  },
  {
    words: { text: "the signature is in hexadecimal", advice: HEXADECIMAL },
    form: (mac) => `v1,${mac.toString("hex")}`,
  },
  {
    words: {
      text: "the signature is in hexadecimal and has no version (v1,)",
      advice: `${VERSION} ${HEXADECIMAL}`,
    },
    form: (mac) => mac.toString("hex"),
  },
  {
    words: {
      text: "the signature is in base64url",
      advice: "Compare it with the HMAC in base64, which has +, / and =.",
    },
    form: (mac) => `v1,${mac.toString("base64url")}`,
  },
];

const NAMES: readonly Change[] = [
  {
    words: {
      text: "the headers are named webhook-id, webhook-timestamp and webhook-signature",
      advice: `Read ${Object.values(SIGNATURE_HEADERS).join(", ")}: the platform sends these names.`,
    },
    header: (name) => name.replace(/^svix-/u, "webhook-"),
  },
  {
    words: {
      text: "the headers are written Svix-Id, Svix-Timestamp and Svix-Signature",
      advice: "Header names have no case: read them whatever their case.",
    },
    header: (name) => name.replaceAll(/\b[a-z]/gu, (letter) => letter.toUpperCase()),
  },
];

const MILLISECONDS: Change = {
  words: {
    text: "svix-timestamp is in milliseconds",
    advice: "It is in seconds: compare it with the current time in seconds.",
  },
  stamp: (ms) => ms,
};

const seconds = (ms: number) => Math.floor(ms / 1000);

/** Beyond the tolerance of 5 minutes, and within twice of it. */
const CLOCKS = [600, -600].map(
  (off): Change => ({
    words: {
      text: `it is signed 10 minutes ${off > 0 ? "later: its clock is ahead" : "earlier: its clock is behind"}`,
      advice: "Synchronise the clock of the receiver with NTP.",
    },
    stamp: (ms) => seconds(ms) + off,
  }),
);

/** The hours by which a clock is wrong that takes the local time for UTC, or the reverse. */
const HOURS = [...Array(12).keys()].flatMap((at) => [at + 1, -at - 1]).concat(5.5, -5.5, 13, -13);
const ZONES = HOURS.map(
  (off): Change => ({
    words: {
      text: `it is signed ${Math.abs(off)} h ${off > 0 ? "later" : "earlier"}`,
      advice:
        "svix-timestamp counts seconds since 1970 in UTC: compare it with that time, whatever the time zone (Python: time.time(), not utcnow().timestamp()).",
    },
    stamp: (ms) => seconds(ms) + off * 3600,
  }),
);

/** The ways of signing that a receiver with a common mistake accepts, the most common first. */
export const MISTAKEN_SIGNING: readonly SigningWay[] = [
  ...[KEY_CHANGES, MILLISECONDS, CLOCKS, BODIES, NAMES, FORMS, CONTENTS, HASH_CHANGES]
    .flat()
    .map((one) => [one]),
  // The key as text is often combined with another mistake.
  ...KEY_CHANGES.slice(0, 2).flatMap((key) =>
    [...FORMS, ...OFTEN, ...BODIES.slice(1, 4)].map((other) => [key, other]),
  ),
  ...FORMS.flatMap((form) => OFTEN.map((content) => [form, content])),
  ...ZONES.map((one) => [one]),
].map(wayOf);

function wayOf(changes: readonly Change[]): SigningWay {
  const {
    key = keyOf,
    body: changed = (text: string) => text,
    before = (id: string, timestamp: string) => `${id}.${timestamp}.`,
    hash,
    form = (mac: Buffer) => `v1,${mac.toString("base64")}`,
    header = (name: string) => name,
    stamp = seconds,
  } = Object.assign({}, ...changes) as Omit<Change, "words">;
  const { id: ID, timestamp: TIMESTAMP, signature } = SIGNATURE_HEADERS;
  return {
    sign: ({ id, time, body: text }, secret) => {
      const timestamp = String(stamp(time.getTime()));
      const body = Buffer.from(changed(text));
      const mac = macOf(key(secret), [before(id, timestamp), body], hash);
      return { [ID]: id, [TIMESTAMP]: timestamp, [signature]: form(mac) };
    },
    named: (headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [header(name), value])),
    mistakes: changes.map(({ words }) => words),
    changesBody: changes.some(({ body }) => body !== undefined),
  };
}

/** What a receiver does wrong that accepts only messages that are signed in this way. */
export function mistakeAdvice({ mistakes }: SigningWay): string {
  const texts = mistakes.map(({ text }) => text).join(", and ");
  const advice = [...new Set(mistakes.map((one) => one.advice))].join(" ");
  return `The receiver accepts a message only if ${texts}. ${advice} The other checks used messages that are signed in this way.`;
}
