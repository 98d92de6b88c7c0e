import { createHmac } from "node:crypto";
import { jsonOf } from "../../values/json.ts";
import { SIGNATURE_HEADERS } from "./signature.ts";

/** What is done differently from the platform when a message is signed; the rest is as it does. */
export interface SigningWay {
  readonly key?: (secret: string) => Uint8Array;
  /** What is signed in place of the body. */
  readonly body?: (body: Buffer) => Uint8Array | string;
  /** What is signed before the body in place of "ID.timestamp.". */
  readonly before?: (id: string, timestamp: string) => string;
  readonly hash?: string;
  /** The text of the signature header. */
  readonly form?: (mac: Buffer) => string;
  /** The name under which a header is sent. */
  readonly header?: (name: string) => string;
  /** The timestamp of a time, both in seconds. */
  readonly stamp?: (time: number) => number;
}

interface Mistake {
  /** The mistake, as the end of "The signature matches if …". */
  readonly text: string;
  readonly advice: string;
  /** The ways in which it is made. */
  readonly ways: readonly SigningWay[];
}

interface SignedMessage {
  readonly id: string;
  readonly timestamp: string;
  readonly body: Uint8Array | string;
}

/** The HMAC of a message that is signed in this way. */
export function macOf(
  { id, timestamp, body }: SignedMessage,
  secret: string,
  { key = keyOf, before = beforeBody, body: changed = (same) => same, hash = "sha256" }: SigningWay,
): Buffer {
  return createHmac(hash, key(secret))
    .update(before(id, timestamp))
    .update(changed(Buffer.from(body)))
    .digest();
}

/** The text of the signature header of a message that is signed in this way. */
export function signatureBy(message: SignedMessage, secret: string, way: SigningWay): string {
  const { form = (mac) => `v1,${mac.toString("base64")}` } = way;
  return form(macOf(message, secret, way));
}

/** The key of a secret as the platform uses it: what the base64 after `whsec_` stands for. */
function keyOf(secret: string): Buffer {
  return Buffer.from(withoutPrefix(secret), "base64");
}

function withoutPrefix(secret: string): string {
  return secret.replace(/^whsec_/u, "");
}

function beforeBody(id: string, timestamp: string): string {
  return `${id}.${timestamp}.`;
}

/** How the usual libraries write JSON, Python first. */
const SERIALISERS: readonly ((value: unknown) => string)[] = [
  (value: unknown) => value,
  withSortedKeys,
].flatMap((prepared) =>
  [
    pythonJson,
    // Python escapes what is not ASCII by default; Go and PHP escape more.
    (value: unknown) => escaped(pythonJson(value)),
    (value: unknown) => escaped(JSON.stringify(value)),
    (value: unknown) => JSON.stringify(value),
    (value: unknown) => JSON.stringify(value).replaceAll(/[<>&\u2028\u2029]/gu, unicodeEscape),
    (value: unknown) => escaped(JSON.stringify(value)).replaceAll("/", "\\/"),
    ...[2, 4, "\t"].map((indent) => (value: unknown) => JSON.stringify(value, undefined, indent)),
  ].map((write) => (value: unknown) => write(prepared(value))),
);

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

const WHOLE_CONTENT = "Sign ID, timestamp and body, in this order, with dots between them.";
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** The mistakes in signing or verifying, by name. */
export const SIGNING_MISTAKES = {
  "signature-format": {
    text: "the signature is written as v1,<base64>",
    advice: "Write v1, and the signature in base64 with its padding, with spaces between several.",
    ways: [{}],
  },
  "body-newline-added": {
    text: "the line end after the body is removed",
    advice: "Keep the body unchanged: editors and echo add a line end.",
    ways: [/(?:\r?\n)+$/u, /\r?\n$/u].map((end) => ({
      body: (body: Buffer) => String(body).replace(end, ""),
    })),
  },
  "body-newline-removed": {
    text: "a line end is added to the body",
    advice: "Keep the body unchanged: the line end is part of it.",
    ways: ["\n", "\r\n"].map((end) => ({ body: (body: Buffer) => `${body}${end}` })),
  },
  "body-line-ends": {
    text: "the line ends of the body are converted",
    advice: "Keep the body unchanged: do not convert between CRLF and LF.",
    ways: ["\n", "\r\n"].map((end) => ({
      body: (body: Buffer) => String(body).replaceAll(/\r?\n/gu, end),
    })),
  },
  "body-bom-added": {
    text: "the byte order mark before the body is removed",
    advice: "Keep the body unchanged: an editor has added a byte order mark.",
    ways: [{ body: (body) => String(body).replace(/^\uFEFF/u, "") }],
  },
  "body-bom-removed": {
    text: "a byte order mark is added before the body",
    advice: "Keep the body unchanged: the byte order mark is part of it.",
    ways: [{ body: (body) => Buffer.concat([BOM, body]) }],
  },
  // After the line ends, which serialising drops as well.
  "body-serialised-again": {
    text: "the body is parsed and serialised again",
    advice:
      'Sign and verify the unchanged bytes of the body (Express: express.raw({ type: "application/json", limit: "350kb" }); Flask: request.get_data()).',
    ways: SERIALISERS.map((write) => ({
      body: (body: Buffer) => {
        const value = jsonOf(String(body).replace(/^\uFEFF/u, ""));
        return value === undefined ? body : write(value);
      },
    })),
  },
  "body-as-object": {
    text: "the text [object Object] replaces the body",
    advice: "Pass the bytes of the body, not the parsed object.",
    ways: [{ body: () => "[object Object]" }],
  },
  "body-empty": {
    text: "the body is empty",
    advice: "Read the body before the signature is verified; other code has already consumed it.",
    ways: [{ body: () => "" }],
  },
  "body-latin1": {
    text: "the body is read as Latin-1 instead of UTF-8",
    advice: "Read the body as bytes, or as UTF-8.",
    ways: [{ body: (body) => body.toString("latin1") }],
  },
  "body-not-latin1": {
    text: "the body is read as UTF-8 and written as Latin-1",
    advice: "Write the body as bytes, or as UTF-8.",
    ways: [{ body: (body) => Buffer.from(String(body), "latin1") }],
  },
  "secret-not-decoded": {
    text: "the secret after whsec_ is used as text",
    advice: "Decode the part after whsec_ from base64; the key is those bytes.",
    ways: [{ key: (secret) => Buffer.from(withoutPrefix(secret)) }],
  },
  "secret-with-prefix": {
    text: "the whole secret with whsec_ is used as text",
    advice: "Remove whsec_, then decode the rest from base64; the key is those bytes.",
    ways: [{ key: (secret) => Buffer.from(secret) }],
  },
  "secret-prefix-decoded": {
    text: "the whole secret with whsec_ is decoded from base64",
    advice: "Remove whsec_ before the rest is decoded from base64.",
    ways: [{ key: (secret) => Buffer.from(secret, "base64") }],
  },
  "secret-line-end": {
    text: "the line end after the secret is part of the key",
    advice: "Remove the line end from the secret.",
    ways: [
      { key: (secret) => Buffer.concat([keyOf(secret), Buffer.from("\n")]) },
      { key: (secret) => Buffer.from(`${secret}\n`) },
    ],
  },
  "content-body-only": {
    text: "only the body is signed",
    advice: WHOLE_CONTENT,
    ways: [{ before: () => "" }],
  },
  "content-without-id": {
    text: "svix-id is not signed",
    advice: WHOLE_CONTENT,
    ways: [{ before: (_id, time) => `${time}.` }],
  },
  "content-without-time": {
    text: "svix-timestamp is not signed",
    advice: WHOLE_CONTENT,
    ways: [{ before: (id) => `${id}.` }],
  },
  "content-order": {
    text: "svix-timestamp is signed before svix-id",
    advice: WHOLE_CONTENT,
    ways: [{ before: (id, time) => `${time}.${id}.` }],
  },
  "content-no-dots": {
    text: "ID, timestamp and body are signed without dots between them",
    advice: WHOLE_CONTENT,
    ways: [{ before: (id, time) => `${id}${time}` }],
  },
  "hash-sha1": {
    text: "the HMAC is computed with SHA-1",
    advice: "Compute it with SHA-256.",
    ways: [{ hash: "sha1" }],
  },
  "hash-sha512": {
    text: "the HMAC is computed with SHA-512",
    advice: "Compute it with SHA-256.",
    ways: [{ hash: "sha512" }],
  },
} as const satisfies Record<string, Mistake>;

/** A key of {@link SIGNING_MISTAKES}. */
export type SigningMistake = keyof typeof SIGNING_MISTAKES;

/**
 * The mistakes that lead to one of the given MACs: one alone, else one with the key and one with
 * the body together.
 */
export function matchingMistakes(
  message: SignedMessage,
  secret: string,
  isSigned: (mac: Buffer) => boolean,
): SigningMistake[] {
  const known = (Object.keys(SIGNING_MISTAKES) as SigningMistake[]).flatMap((name) =>
    SIGNING_MISTAKES[name].ways.map((way: SigningWay) => {
      // Once: each is tried with every key.
      const body = way.body?.(Buffer.from(message.body));
      return { name, way: body === undefined ? way : { ...way, body: () => body } };
    }),
  );
  const leads = (way: SigningWay) => isSigned(macOf(message, secret, way));
  const alone = known.find(({ way }) => leads(way));
  if (alone !== undefined) return [alone.name];
  const bodies = known.filter(({ way }) => way.body);
  for (const key of known.filter(({ way }) => way.key)) {
    const body = bodies.find(({ way }) => leads({ ...key.way, ...way }));
    if (body !== undefined) return [key.name, body.name];
  }
  return [];
}

const HEXADECIMAL = "Compare it with the HMAC in base64, not in hexadecimal.";
const VERSION = "Split svix-signature at spaces, and remove v1, from each part before comparing.";
const FORMS: readonly Mistake[] = [
  {
    text: "the signature has no version (v1,)",
    advice: VERSION,
    ways: [{ form: (mac) => mac.toString("base64") }],
  },
  {
    text: "the signature is in hexadecimal",
    advice: HEXADECIMAL,
    ways: [{ form: (mac) => `v1,${mac.toString("hex")}` }],
  },
  {
    text: "the signature is in hexadecimal and has no version (v1,)",
    advice: `${VERSION} ${HEXADECIMAL}`,
    ways: [{ form: (mac) => mac.toString("hex") }],
  },
  {
    text: "the signature is in base64url",
    advice: "Compare it with the HMAC in base64, which has +, / and =.",
    ways: [{ form: (mac) => `v1,${mac.toString("base64url")}` }],
  },
];

const NAMES: readonly Mistake[] = [
  {
    text: "the headers are named webhook-id, webhook-timestamp and webhook-signature",
    advice: `Read ${Object.values(SIGNATURE_HEADERS).join(", ")}: the platform sends these names.`,
    ways: [{ header: (name) => name.replace(/^svix-/u, "webhook-") }],
  },
  {
    text: "the headers are written Svix-Id, Svix-Timestamp and Svix-Signature",
    advice: "Header names have no case: read them whatever their case.",
    ways: [{ header: (name) => name.replaceAll(/\b[a-z]/gu, (letter) => letter.toUpperCase()) }],
  },
];

const MILLISECONDS: Mistake = {
  text: "svix-timestamp is in milliseconds",
  advice: "It is in seconds: compare it with the current time in seconds.",
  ways: [{ stamp: (time) => time * 1000 }],
};

const clockOff = (seconds: number, text: string, advice: string): Mistake => ({
  text: `it is signed ${text}`,
  advice,
  ways: [{ stamp: (time) => time + seconds }],
});

const NTP = "Synchronise the clock of the receiver with NTP.";
/** Beyond the tolerance of 5 minutes, and within twice of it. */
const CLOCKS = [
  clockOff(600, "10 minutes later: its clock is ahead", NTP),
  clockOff(-600, "10 minutes earlier: its clock is behind", NTP),
];

const UTC =
  "svix-timestamp counts seconds since 1970 in UTC: compare it with that time, whatever the time zone (Python: time.time(), not utcnow().timestamp()).";
/** The hours by which a clock is wrong that takes the local time for UTC, or the reverse. */
const ZONES = [1, 2, 3, 4, 5, 5.5, 6, 7, 8, 9, 10, 11, 12, 13].flatMap((hours) => [
  clockOff(hours * 3600, `${hours} h later`, UTC),
  clockOff(-hours * 3600, `${hours} h earlier`, UTC),
]);

/** A way of signing that a receiver with these mistakes accepts. */
export interface MistakenSigning extends SigningWay {
  readonly mistakes: readonly Pick<Mistake, "text" | "advice">[];
}

const each = (mistakes: readonly Mistake[]): MistakenSigning[] =>
  mistakes.flatMap((mistake) => mistake.ways.map((way) => ({ ...way, mistakes: [mistake] })));
const together = (some: readonly MistakenSigning[], others: readonly MistakenSigning[]) =>
  some.flatMap((one) =>
    others.map((other) => ({
      ...one,
      ...other,
      mistakes: [...one.mistakes, ...other.mistakes],
    })),
  );
const named = (...names: SigningMistake[]) => each(names.map((name) => SIGNING_MISTAKES[name]));

const AS_TEXT = named("secret-not-decoded", "secret-with-prefix");
const SERIALISED = named("body-serialised-again");
const SHORTER = named("content-body-only", "content-without-id");
const REPLACED = named("body-as-object", "body-empty");
/** The bodies that are often signed together with another mistake. */
const OTHER_BODIES = [...SERIALISED.slice(0, 3), ...REPLACED];

/** The ways of signing that a receiver with a common mistake accepts, the most common first. */
export const MISTAKEN_SIGNING: readonly MistakenSigning[] = [
  ...AS_TEXT,
  ...named("secret-prefix-decoded", "secret-line-end"),
  ...each([MILLISECONDS, ...CLOCKS]),
  ...SERIALISED,
  ...named("body-newline-removed"),
  ...REPLACED,
  ...each([...NAMES, ...FORMS]),
  ...SHORTER,
  ...named("content-without-time", "content-order", "content-no-dots", "hash-sha1", "hash-sha512"),
  // The key as text is often combined with another mistake.
  ...together(AS_TEXT, [...each(FORMS), ...SHORTER, ...OTHER_BODIES]),
  ...together([...OTHER_BODIES, ...SHORTER], each(FORMS)),
  ...each(ZONES),
];

/** What a receiver does wrong that accepts only messages that are signed in this way. */
export function mistakeAdvice({ mistakes }: MistakenSigning): string {
  const texts = mistakes.map(({ text }) => text).join(", and ");
  const advice = [...new Set(mistakes.map((one) => one.advice))].join(" ");
  return `The receiver accepts a message only if ${texts}. ${advice} The other checks used messages that are signed in this way.`;
}
