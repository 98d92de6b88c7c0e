import type { CheckVerdict, ReceiverCheck } from "./check.ts";
import { CRASH, REDIRECTED_REFUSAL } from "./check.ts";

/** What is wrong with a receiver, and the checks that show it. */
export interface ReceiverDiagnosis {
  readonly checks: readonly string[];
  /** What is wrong and how it is put right, in a few sentences. */
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
 * What a set of failures means together. A check that fails alone has its meaning in its own advice;
 * sets that contain others come first.
 */
const TABLE: readonly Meaning[] = [
  {
    symptoms: ["redirects-all"],
    also: [REDIRECTED_REFUSAL, "no-redirect"],
    says: "The receiver redirects every message. The platform does not follow, and counts a 3xx as a failure: register the address that it redirects to.",
  },
  {
    symptoms: [REDIRECTED_REFUSAL],
    also: ["no-redirect"],
    says: "The receiver redirects what it refuses, for example to a login page. Answer 401.",
  },
  {
    symptoms: ["late"],
    says: "The receiver works before it answers. After 15 s the platform counts a failure and sends the message again: answer first, and work afterwards.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned", "stale", "future"],
    says: "The receiver verifies nothing: whoever knows its address can send it messages. Or it answers before it verifies, which amp cannot tell apart. Verify the signature, then answer.",
  },
  {
    symptoms: [...UNVERIFIED, "stale", "future"],
    says: "The receiver looks whether a signature is there, and does not verify it. Compare it with the one that its secret makes.",
  },
  {
    symptoms: [...UNVERIFIED, "unsigned"],
    says: "The receiver looks at the time of a message only, and does not verify its signature.",
  },
  {
    symptoms: UNVERIFIED,
    says: "The receiver looks at the headers and the time of a message, and does not verify its signature. Compare it with the one that its secret makes.",
  },
  {
    symptoms: ["stale", "future"],
    says: "The receiver does not look at the time of a message, so that a captured one can be sent again. Refuse a svix-timestamp more than 5 minutes from now.",
  },
  {
    symptoms: ["rotation", "other-version"],
    says: "The receiver reads the first signature only. Split svix-signature at spaces, and try each part that begins with v1.",
  },
  {
    symptoms: ["raw-body", "utf-8"],
    also: ["trimmed-body"],
    says: "The receiver signs the parsed body again, and not in UTF-8. Verify the bytes as they came.",
  },
  {
    symptoms: ["raw-body"],
    also: ["trimmed-body"],
    says: 'The receiver signs the parsed body again. Verify the bytes as they came. Express: express.raw({ type: "application/json", limit: "350kb" }).',
  },
  {
    symptoms: ["trimmed-body"],
    says: "The receiver removes the end of the body before it verifies. Verify the bytes as they came.",
  },
  {
    symptoms: ["too-strict"],
    says: "The receiver refuses a message that is 4 minutes old: its tolerance is too small, or its clock is ahead. Allow 5 minutes, and set the clock by NTP.",
  },
  {
    symptoms: ["no-event-5xx"],
    also: [CRASH],
    says: "The receiver fails for every event. Its own log has the reason; events of an unknown customer must not make it fail.",
  },
  {
    symptoms: [CRASH],
    says: "The receiver refuses by failing (5xx, or no answer). The platform takes that for a fault and tries for days; whoever sends rubbish fills its error log. Answer 401.",
  },
  {
    symptoms: ["no-event-4xx"],
    says: "The receiver refuses what is signed correctly: it has another secret, or it verifies in another way. amp webhooks verify names the mistake for a captured request.",
  },
  { symptoms: ["no-path"], says: "The receiver has nothing at this path. Check the URL." },
  { symptoms: ["no-method"], says: "The receiver does not take POST at this path. Check the URL." },
  {
    symptoms: ["no-content-type"],
    says: "The receiver does not take application/json, which is what the platform sends.",
  },
  {
    symptoms: ["closed"],
    says: "The receiver closes the connection without an answer. Its own log has the reason.",
  },
  {
    symptoms: ["unreachable"],
    says: "The receiver stopped during the test. Its own log has the reason.",
  },
  {
    symptoms: ["slow"],
    says: "The receiver is slow. After 15 s the platform counts a failure: answer first, and work afterwards.",
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
