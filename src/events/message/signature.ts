import { timingSafeEqual } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { utf8Text } from "../../values/basics.ts";

/**
 * The headers that carry the signature of a message. The platform uses these names, as Svix does.
 */
export const SIGNATURE_HEADERS = {
  id: "svix-id",
  timestamp: "svix-timestamp",
  signature: "svix-signature",
} as const;

/** How far a message's time may be from the receiver's, in seconds. */
const TOLERANCE_SECONDS = 5 * 60;

/** The signed content: the ID of the message, the time of the attempt and the bytes of the body. */
interface SignedContent {
  readonly id: string;
  readonly time: Date;
  readonly body: string;
}

/**
 * Says what is wrong with a signing secret, without repeating it; `undefined` if it can be used. A
 * secret is base64, with or without the prefix `whsec_`.
 */
export function secretProblem(secret: string): string | undefined {
  try {
    keyOf(secret);
    return undefined;
  } catch {
    if (secret.replace(/^whsec_/u, "") === "") return "the signing secret is empty";
    const after = secret.startsWith("whsec_") ? " after whsec_" : "";
    return `the signing secret is not valid base64${after}`;
  }
}

function keyOf(secret: string): Webhook {
  return new Webhook(secret);
}

/**
 * Signs a message, with each of the secrets: during a rotation a message has a signature by the new
 * secret and one by the old.
 * @throws {Error} if a secret cannot be used; see {@link secretProblem}
 */
export function signatureHeaders(
  { id, time, body }: SignedContent,
  secrets: readonly string[],
): Record<string, string> {
  return {
    [SIGNATURE_HEADERS.id]: id,
    [SIGNATURE_HEADERS.timestamp]: String(Math.floor(time.getTime() / 1000)),
    [SIGNATURE_HEADERS.signature]: secrets
      .map((secret) => keyOf(secret).sign(id, time, body))
      .join(" "),
  };
}

/** Why a signature is not valid, as one sentence for each reason. */
export const SIGNATURE_PROBLEMS = {
  "missing-header": "a signature header is missing",
  "invalid-timestamp": "the timestamp is not a whole number of seconds",
  "not-utf8": "the body is not valid UTF-8",
  "no-v1": "no signature has the version v1",
  "not-base64": "the signature is not valid base64",
  "no-match": "no signature matches the body and the secret",
  stale: "the signature matches, but the timestamp is more than 5 minutes old",
  future: "the signature matches, but the timestamp is more than 5 minutes ahead",
} as const satisfies Readonly<Record<string, string>>;

type SignatureProblem = keyof typeof SIGNATURE_PROBLEMS;

type Verification =
  | { readonly valid: true; readonly id: string; readonly time: Date }
  | {
      readonly valid: false;
      readonly problem: SignatureProblem;
      /** A sentence; it names the headers that are missing. */
      readonly reason: string;
    };

interface ReceivedMessage {
  /** The headers by name, in any case; of a header that came twice the first counts. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The body as it came: bytes, or text that is known to be the same. */
  readonly body: Uint8Array | string;
}

/**
 * Checks the signature of a message by one or more secrets. The signature is checked before the
 * time, so that an old message and a wrong secret can be distinguished.
 * @throws {Error} if a secret cannot be used; see {@link secretProblem}
 */
export function verifySignature(
  { headers, body }: ReceivedMessage,
  secrets: readonly string[],
  now: Date,
): Verification {
  const given = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const first = typeof value === "string" ? value : value?.[0];
    if (first) given.set(name.toLowerCase(), first);
  }
  const [id, stamp, signatures] = Object.values(SIGNATURE_HEADERS).map((name) => given.get(name));
  if (id === undefined || stamp === undefined || signatures === undefined) {
    const missing = Object.values(SIGNATURE_HEADERS).filter((name) => !given.has(name));
    return fails("missing-header", `missing header: ${missing.join(", ")}`);
  }
  if (!/^\d{1,12}$/u.test(stamp)) return fails("invalid-timestamp");
  const time = new Date(Number(stamp) * 1000);
  const text = typeof body === "string" ? body : utf8Text(body);
  if (text === undefined) return fails("not-utf8");
  const byVersion = signatures.split(" ").map((each) => each.split(",", 2));
  const ofVersion1 = byVersion.flatMap(([version, value]) => (version === "v1" ? [value] : []));
  if (ofVersion1.length === 0) return fails("no-v1");
  const expected = secrets.map((secret) => keyOf(secret).sign(id, time, text).slice("v1,".length));
  if (!ofVersion1.some((value) => expected.some((wanted) => isEqual(value ?? "", wanted)))) {
    return fails(ofVersion1.some((value) => isBase64(value ?? "")) ? "no-match" : "not-base64");
  }
  const age = now.getTime() / 1000 - Number(stamp);
  if (age > TOLERANCE_SECONDS) return fails("stale");
  if (age < -TOLERANCE_SECONDS) return fails("future");
  return { valid: true, id, time };
}

function fails(
  problem: SignatureProblem,
  reason: string = SIGNATURE_PROBLEMS[problem],
): Verification {
  return { valid: false, problem, reason };
}

/** Compares in a time that does not depend on where the two differ. */
function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/u.test(text);
}
