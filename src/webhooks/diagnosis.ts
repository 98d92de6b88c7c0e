import { RESERIALISED } from "./accept-checks.ts";
import type { CheckVerdict, ReceiverCheck } from "./check.ts";
import { CRASH, REDIRECTED_REFUSAL } from "./check.ts";

/** A mistake of a receiver, and the checks that show it. */
export interface ReceiverDiagnosis {
  readonly checks: readonly string[];
  /** The mistake and how to fix it, in a few sentences. */
  readonly says: string;
}

/** A check with its verdict. */
export type JudgedCheck = Pick<ReceiverCheck, "name" | "advice"> & {
  readonly verdict: CheckVerdict;
};

/** The checks that no receiver passes that does not verify signatures. */
const UNVERIFIED = ["tampered", "wrong-key", "swapped-id"] as const;

/** A set of failures, and what they mean together. */
interface Meaning {
  readonly symptoms: readonly string[];
  /** Failures that follow from it, if they are there. */
  readonly also?: readonly string[];
  readonly says: string;
}

/**
 * The meaning of a set of failures together. A check that fails alone has its meaning in its own
 * advice; sets that contain others come first.
 */
const TABLE: readonly Meaning[] = [
  {
    symptoms: ["redirects-all"],
    also: [REDIRECTED_REFUSAL, "no-redirect"],
    says: "The receiver redirects every message. The platform does not follow redirects, and counts a 3xx as a failure: register the URL that it redirects to.",
  },
  {
    symptoms: [REDIRECTED_REFUSAL],
    also: ["no-redirect"],
    says: "The receiver redirects messages that it rejects, for example to a login page. Return 401 instead.",
  },
  {
    symptoms: ["late"],
    says: "The receiver processes the message before it responds. After 15 s the platform counts a failure and sends the message again: respond first, then process the message.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned", "stale", "future"],
    says: "The receiver does not verify signatures, so anyone who knows its URL can send it messages; or it responds before it verifies them: amp cannot distinguish the two. Verify the signature, then respond.",
  },
  {
    symptoms: [...UNVERIFIED, "stale", "future"],
    says: "The receiver checks only that a signature is present. Compare it with the signature that you compute with the secret.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned"],
    says: "The receiver checks only the time of a message, not its signature.",
  },
  {
    symptoms: UNVERIFIED,
    says: "The receiver checks only the headers and the time of a message. Compare its signature with the one that you compute with the secret.",
  },
  {
    symptoms: ["stale", "future"],
    says: "The receiver does not check the time of a message, so a captured message can be replayed. Reject a svix-timestamp that differs from the current time by more than 5 minutes.",
  },
  {
    symptoms: ["rotation", "other-version"],
    says: "The receiver reads only the first signature. Split svix-signature at spaces, and try each part that begins with v1.",
  },
  {
    symptoms: ["raw-body", "utf-8"],
    also: ["trimmed-body"],
    says: "The receiver verifies a body that was parsed and serialised again, and not in UTF-8. Verify the unchanged bytes.",
  },
  {
    symptoms: ["raw-body"],
    also: ["trimmed-body"],
    says: RESERIALISED,
  },
  {
    symptoms: ["trimmed-body"],
    says: "The receiver removes the end of the body before it verifies it. Verify the unchanged bytes.",
  },
  {
    symptoms: ["too-strict"],
    says: "The receiver rejects a message that is 4 minutes old: its tolerance is too small, or its clock is ahead. Allow 5 minutes, and synchronise the clock with NTP.",
  },
  {
    symptoms: ["no-event-5xx"],
    also: [CRASH],
    says: "The receiver fails for every event. Check its log for the reason; events of an unknown customer must not make it fail.",
  },
  {
    symptoms: [CRASH],
    says: "The receiver fails (5xx or no response) instead of rejecting the message. The platform treats this as an outage and retries for days. Return 401 instead.",
  },
  {
    symptoms: ["no-event-4xx"],
    says: "The receiver rejects correctly signed messages, and those with the common mistakes in signing: it has a different secret than --secret, it requires a login or a token for this URL (--header sends one), or it verifies signatures in a way that amp does not know. Its log may name the reason.",
  },
  { symptoms: ["no-path"], says: "The receiver returns 404 for this path. Check the URL." },
  {
    symptoms: ["no-method"],
    says: "The receiver does not accept POST at this path. Check the URL.",
  },
  {
    symptoms: ["no-content-type"],
    says: "The receiver does not accept application/json, which the platform sends.",
  },
  {
    symptoms: ["closed"],
    says: "The receiver closes the connection without a response. Check its log for the reason.",
  },
  {
    symptoms: ["unreachable"],
    says: "The receiver stopped during the test. Check its log for the reason.",
  },
  {
    symptoms: ["slow"],
    says: "The receiver is slow. After 15 s the platform counts a failure: respond first, then process the message.",
  },
];

/**
 * The meaning of the failures of a test: the largest sets of the table that are among them, and for
 * the rest the advice of each check.
 */
export function diagnose(judged: readonly JudgedCheck[]): ReceiverDiagnosis[] {
  const left = new Map(
    judged.flatMap(({ name, verdict: { symptoms = [] } }) =>
      symptoms.map((symptom) => [`${name}/${symptom}`, { name, symptom }] as const),
    ),
  );
  const found: ReceiverDiagnosis[] = [];
  const take = (symptoms: readonly string[], says: string) => {
    const part = [...left].filter(([, { symptom }]) => symptoms.includes(symptom));
    found.push({ checks: [...new Set(part.map(([, { name }]) => name))], says });
    for (const [key] of part) left.delete(key);
  };
  for (const { symptoms, also = [], says } of TABLE) {
    const present = new Set([...left.values()].map(({ symptom }) => symptom));
    if (symptoms.every((symptom) => present.has(symptom))) take([...symptoms, ...also], says);
  }
  for (const { name, advice } of judged) {
    const own = [...left.values()].filter((one) => one.name === name);
    if (own.length > 0) take([...new Set(own.map(({ symptom }) => symptom))], advice);
  }
  const order = judged.map(({ name }) => name);
  const place = ({ checks: [first = ""] }: ReceiverDiagnosis) => order.indexOf(first);
  return found.sort((a, b) => place(a) - place(b));
}
