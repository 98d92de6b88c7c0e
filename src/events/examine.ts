import type { SignatureVerdict } from "../documents/events.ts";
import { type Delivery, headersByName } from "./delivery.ts";
import { SIGNATURE_HEADERS, verifySignature } from "./message/signature.ts";
import { matchingMistakes, SIGNING_MISTAKES } from "./message/signing-mistakes.ts";

/** The secrets of the destination, two during a rotation; and the present time. */
interface Knowledge {
  readonly secrets: readonly string[];
  readonly now: Date;
}

/**
 * Checks the signature of a message. Where it does not hold, tries common mistakes of senders and
 * receivers, and reports which one leads to the signature of the message.
 */
export function examineSignature(
  message: Pick<Delivery, "headers" | "body" | "time">,
  options: Knowledge,
): SignatureVerdict {
  const { secrets, now } = options;
  const headers = headersByName(message);
  const result = verifySignature({ headers, body: message.body }, secrets, message.time ?? now);
  const facts = factsOf(headers);
  if (result.valid) return { valid: true, ...facts };
  const { problem, reason } = result;
  // A capture is often looked at long after it was made; only a message of the future is odd then.
  if (problem === "stale" && message.time === undefined) return { valid: true, ...facts };
  if (problem === "missing-header") {
    return (
      otherNames(headers, message.body, options) ?? failed(problem, reason, facts, MISSING_HEADER)
    );
  }
  if (problem === "stale" || problem === "future") return failed(problem, reason, facts, CLOCK);
  if (problem === "invalid-timestamp") return failed(problem, reason, facts, SECONDS);
  const [id = "", timestamp = "", signature = ""] = NAMES.map((name) => headers[name]);
  const signed = { id, timestamp, body: message.body };
  const isSigned = isAmong(signature);
  const mistakes = secrets.flatMap((secret) => matchingMistakes(signed, secret, isSigned));
  const found = [...new Set(mistakes)];
  if (found.length === 0) {
    if (/^\[object \w+\]\s*$/u.test(Buffer.from(message.body).toString("latin1"))) {
      return failed(problem, `the body is an object as text: ${AS_TEXT}`, facts, [CAPTURE_ALL]);
    }
    const missing = missingBytes(headers, message.body);
    if (missing !== undefined) return failed("incomplete-body", missing, facts, [CAPTURE_ALL]);
    const early = endsEarly(message.body) ? [ENDS_EARLY] : [];
    return failed(problem, reason, facts, [...early, ...UNEXPLAINED]);
  }
  const texts = found.map((mistake) => SIGNING_MISTAKES[mistake].text).join(", and ");
  return {
    ...failed(problem, `the signature matches only if ${texts}`, facts, []),
    mistakes: found,
    advice: found.map((mistake) => SIGNING_MISTAKES[mistake].advice),
  };
}

/** The names of the signature headers: ID, timestamp and signature. */
const NAMES = Object.values(SIGNATURE_HEADERS);

const MISSING_HEADER = [
  "The platform signs every message: a proxy may have removed the headers, or the message is not from the platform.",
];
const CLOCK = [
  "Set the clock of the machine: the time of a message may differ by at most 5 minutes.",
];
const SECONDS = ["The platform sends the seconds since 1970: do not convert them."];
const UNEXPLAINED = [
  "The secret belongs to another destination, or the body was changed: amp cannot distinguish the two.",
];
const CAPTURE_ALL = "Capture the whole body: the signature covers all of its bytes.";
const AS_TEXT = "the parsed object was logged instead of the body that arrived";
const ENDS_EARLY = `The body may be incomplete: it is not complete JSON. ${CAPTURE_ALL}`;

function failed(
  problem: NonNullable<SignatureVerdict["problem"]>,
  reason: string,
  facts: Pick<SignatureVerdict, "signedAt">,
  advice: readonly string[],
): SignatureVerdict {
  return { valid: false, ...facts, problem, reason, mistakes: [], advice };
}

function factsOf(headers: Readonly<Record<string, string>>) {
  const { [SIGNATURE_HEADERS.timestamp]: seconds = "" } = headers;
  if (!/^\d{1,12}$/u.test(seconds)) return {};
  return { signedAt: new Date(Number(seconds) * 1000).toISOString() };
}

/** How much of a body is missing by its own Content-Length, as the end of a sentence. */
function missingBytes(
  headers: Readonly<Record<string, string>>,
  { byteLength }: Uint8Array,
): string | undefined {
  const { "content-length": length = "", "content-encoding": encoding = "identity" } = headers;
  if (byteLength === 0) return "the body is empty";
  if (!/^\d{1,12}$/u.test(length) || encoding !== "identity") return undefined;
  return byteLength < Number(length)
    ? `the body is incomplete: ${byteLength} of ${Number(length)} bytes (Content-Length)`
    : undefined;
}

/** Whether a body is the beginning of JSON: it ends within a text, a list or an object. */
function endsEarly(body: Uint8Array): boolean {
  const outside = Buffer.from(body)
    .toString("utf8")
    .replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gsu, "");
  const count = (mark: RegExp) => outside.match(mark)?.length ?? 0;
  return /^\s*[[{]/u.test(outside) && (outside.includes('"') || count(/[[{]/gu) > count(/[\]}]/gu));
}

/** Whether a MAC is one of the signatures of a header, however they are written. */
function isAmong(header: string): (mac: Buffer) => boolean {
  // Also joined by a comma, as of two headers, in quotes, or as "sha256=…".
  const values = new Set(header.split(/[\s,"']+/u).map((each) => each.replace(/^sha256=/u, "")));
  return (mac) => {
    const base64 = mac.toString("base64");
    const forms = [
      base64,
      base64.replace(/=+$/u, ""),
      mac.toString("base64url"),
      mac.toString("hex"),
      mac.toString("hex").toUpperCase(),
    ];
    return forms.some((form) => values.has(form));
  };
}

/** The examination of a message whose signature is right, but in the headers `webhook-*`. */
function otherNames(
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
  { secrets, now }: Knowledge,
): SignatureVerdict | undefined {
  const others = NAMES.map((name) => name.replace(/^svix-/u, "webhook-"));
  const renamed = Object.fromEntries(
    NAMES.map((name, at) => [name, headers[others[at] ?? ""] ?? ""]),
  );
  const result = verifySignature({ headers: renamed, body }, secrets, now);
  if (!result.valid && result.problem !== "stale") return undefined;
  return failed(
    "header-names",
    `the signature matches, but its headers have different names: ${others.join(", ")}`,
    factsOf(renamed),
    [`The platform sends ${NAMES.join(", ")}.`],
  );
}
