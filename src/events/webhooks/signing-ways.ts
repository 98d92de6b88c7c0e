import { SIGNATURE_HEADERS, type SignedContent, signatureHeaders } from "../message/signature.ts";
import {
  keyOf,
  keyVariants,
  type MistakeWords,
  macOf,
  SERIALISERS,
  SIGNING_MISTAKES,
  type SigningMistake,
} from "../mistakes.ts";

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
  readonly isBodyOnly?: true;
  readonly form?: (mac: Buffer) => string;
  readonly prefix?: string;
}

const KEYS = keyVariants("").map(
  ([name], at): Change => ({
    words: SIGNING_MISTAKES[name],
    key: (secret) => keyVariants(secret)[at]?.[1] ?? keyOf(secret),
  }),
);

const bodyChange = (name: SigningMistake, body: (text: string) => string): Change => ({
  words: SIGNING_MISTAKES[name],
  body,
});
const BODIES = [
  ...SERIALISERS.map((write) =>
    bodyChange("body-serialised-again", (text) => write(JSON.parse(text))),
  ),
  bodyChange("body-newline-removed", (text) => `${text}\n`),
  bodyChange("body-as-object", () => "[object Object]"),
  bodyChange("body-empty", () => ""),
];

const BODY_ONLY: Change = { words: SIGNING_MISTAKES["content-body-only"], isBodyOnly: true };

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
];

const NAMES: Change = {
  words: {
    text: "the headers are named webhook-id, webhook-timestamp and webhook-signature",
    advice: `Read ${Object.values(SIGNATURE_HEADERS).join(", ")}: the platform sends these names.`,
  },
  prefix: "webhook-",
};

/** The ways of signing that a receiver with a common mistake accepts, the most common first. */
export const MISTAKEN_SIGNING: readonly SigningWay[] = [
  ...[...KEYS, ...BODIES, NAMES, ...FORMS, BODY_ONLY].map((one) => [one]),
  // The key as text is often combined with another mistake.
  ...KEYS.slice(0, 2).flatMap((key) =>
    [...FORMS, BODY_ONLY, ...BODIES.slice(1, 4)].map((other) => [key, other]),
  ),
  ...FORMS.map((form) => [form, BODY_ONLY]),
].map(wayOf);

function wayOf(changes: readonly Change[]): SigningWay {
  const {
    key = keyOf,
    body: changed = (text: string) => text,
    isBodyOnly,
    form = (mac: Buffer) => `v1,${mac.toString("base64")}`,
    prefix,
  } = Object.assign({}, ...changes) as Omit<Change, "words">;
  const { id: ID, timestamp: TIMESTAMP, signature } = SIGNATURE_HEADERS;
  return {
    sign: ({ id, time, body: text }, secret) => {
      const timestamp = String(Math.floor(time.getTime() / 1000));
      const body = Buffer.from(changed(text));
      const content = isBodyOnly ? [body] : [id, ".", timestamp, ".", body];
      const mac = macOf(key(secret), content);
      return { [ID]: id, [TIMESTAMP]: timestamp, [signature]: form(mac) };
    },
    named: (headers) =>
      prefix === undefined
        ? headers
        : Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [
              name.replace(/^svix-/u, prefix),
              value,
            ]),
          ),
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
