import { SIGNATURE_HEADERS } from "../events/signature.ts";
import { ACCEPT_CHECKS, RECENT_SECONDS } from "./accept-checks.ts";
import {
  answerText,
  type CheckVerdict,
  isRedirect,
  type ReceiverAnswer,
  type ReceiverCheck,
  receiverCheck,
} from "./check.ts";

const HOUR = 3600;
const { id, timestamp, signature } = SIGNATURE_HEADERS;

/** The messages that a receiver must refuse: the platform sends none of them, an attacker may. */
const REJECT_CHECKS: readonly ReceiverCheck[] = [
  receiverCheck("reject", "tampered", {
    title: "A body that was changed after signing is rejected",
    advice:
      "The receiver accepts a body that does not match its signature. Verify the signature over the unchanged bytes.",
    send: (make) => [
      make.refused("a body that was changed after signing", {
        spoil: ({ body }) => ({ body: changedBody(body, make.below(1000)) }),
      }),
    ],
  }),
  receiverCheck("reject", "wrong-key", {
    title: "A signature made with another secret is rejected",
    advice:
      "The receiver accepts a signature made with a secret that it does not have. Compare it with the signature that you compute with the secret.",
    send: (make) => [
      make.refused("a signature made with another secret", {
        spoil: ({ headers, body }) => ({
          headers: { ...headers, [signature]: make.foreignSignature(headers, body) },
        }),
      }),
    ],
  }),
  receiverCheck("reject", "unsigned", {
    title: "A message without a signature is rejected",
    advice:
      "The receiver accepts a message without a signature. Reject messages without svix-id, svix-timestamp or svix-signature.",
    isConclusiveAlone: true,
    send: (make) => [
      make.refused("a message without a signature", {
        spoil: () => ({ headers: {} }),
      }),
      make.refused("an empty signature", {
        spoil: ({ headers }) => ({ headers: { ...headers, [signature]: "v1," } }),
      }),
    ],
  }),
  receiverCheck("reject", "stale", {
    title: "A message signed an hour ago is rejected, one signed 4 minutes ago is accepted",
    advice:
      "The receiver accepts old messages, so a captured message can be replayed. Reject a svix-timestamp that is more than 5 minutes old.",
    send: (make) => [
      make.refused("a message signed an hour ago", { age: HOUR }),
      make.taken("a message signed 4 minutes ago", {
        age: RECENT_SECONDS,
        symptom: "too-strict",
      }),
    ],
  }),
  receiverCheck("reject", "future", {
    title: "A message signed an hour in the future is rejected",
    advice:
      "The receiver accepts messages from the future. Reject a svix-timestamp that is more than 5 minutes ahead.",
    send: (make) => [make.refused("a message signed an hour in the future", { age: -HOUR })],
  }),
  receiverCheck("reject", "swapped-id", {
    title: "A signature of another message ID or time is rejected",
    advice:
      "The receiver does not verify the ID or the time. Compute the signature over svix-id, a dot, svix-timestamp, a dot and the body.",
    send: (make) => [
      make.refused("the signature of another message ID", {
        spoil: ({ headers }) => ({ headers: { ...headers, [id]: `${headers[id]}x` } }),
      }),
      make.refused("the signature of another time", {
        spoil: ({ headers }) => ({
          headers: { ...headers, [timestamp]: String(Number(headers[timestamp]) - 1) },
        }),
      }),
    ],
  }),
];

/** The body with one letter of a value changed, so that it is valid JSON still. */
function changedBody(body: string, at: number): string {
  const letters = [...body.matchAll(/(?<=:")[a-y]/gu)];
  const letter = letters[at % Math.max(1, letters.length)];
  if (letter === undefined) return `${body} `;
  const next = String.fromCharCode(letter[0].charCodeAt(0) + 1);
  return body.slice(0, letter.index) + next + body.slice(letter.index + 1);
}

/** From here on a receiver is slow enough that a busy day makes it too slow. */
const SLOW_MS = 5_000;

/** The checks of the answers to all messages; they send none of their own. */
const BEHAVIOUR_CHECKS: readonly ReceiverCheck[] = [
  receiverCheck("behaviour", "no-redirect", {
    title: "No response is a redirect",
    advice:
      "The receiver redirects. The platform does not follow redirects, and counts a 3xx as a failure: register the URL that it redirects to.",
    send: () => [],
    isConclusiveAlone: true,
    judge: (_own, all) => {
      const redirect = all.find(isRedirect);
      if (redirect === undefined) return { outcome: "pass" };
      return failed("no-redirect", `${answerText(redirect)} for ${redirect.message.what}`);
    },
  }),
  receiverCheck("behaviour", "in-time", {
    title: "Every response arrives within 15 s",
    advice:
      "The receiver processes the message before it responds. After 15 s the platform counts a failure and sends the message again: respond first, then process the message.",
    send: () => [],
    isConclusiveAlone: true,
    judge: (_own, all) => {
      const late = all.find(({ failure }) => failure?.kind === "late");
      if (late !== undefined) {
        return failed("late", `${answerText(late)} for ${late.message.what}`);
      }
      const note = `p95 ${timeText(percentile95(all))}`;
      if (percentile95(all) <= SLOW_MS) return { outcome: "pass", note };
      const message = `${note}: the platform waits 15 s`;
      return { outcome: "warn", message, symptoms: ["slow"] };
    },
  }),
  receiverCheck("behaviour", "no-delivery-control", {
    title: "No response controls the deliveries of the platform",
    advice:
      "The receiver sends the header webhook-delivery, which makes the platform disable the destination or drop the message. Remove the header.",
    send: () => [],
    isConclusiveAlone: true,
    judge: (_own, all) => {
      const controlling = all.find(({ control }) => control !== undefined);
      if (controlling === undefined) return { outcome: "pass" };
      const header = `webhook-delivery: ${controlling.control}`;
      return failed(
        "no-delivery-control",
        `the header ${header} in the response to ${controlling.message.what}`,
      );
    },
  }),
];

function failed(symptom: string, message: string): CheckVerdict {
  return { outcome: "fail", message, symptoms: [symptom] };
}

/** The time within which 95 of 100 answers came, in milliseconds. */
function percentile95(answers: readonly ReceiverAnswer[]): number {
  const sorted = answers.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * 0.95) - 1)] ?? 0;
}

function timeText(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** All checks, in the order in which they are made and shown. */
export const CHECKS: readonly ReceiverCheck[] = [
  ...ACCEPT_CHECKS,
  ...REJECT_CHECKS,
  ...BEHAVIOUR_CHECKS,
];

/** The names of the checks. */
export const CHECK_NAMES: readonly string[] = CHECKS.map(({ name }) => name);

/** The facts of a check for `--list` and reports. */
export type CheckFacts = Pick<ReceiverCheck, "name" | "kind" | "severity" | "title" | "advice">;

/** The facts of checks, without their work. */
export function checkFacts(names: readonly string[]): CheckFacts[] {
  return CHECKS.filter(({ name }) => names.includes(name)).map(
    ({ name, kind, severity, title, advice }) => ({ name, kind, severity, title, advice }),
  );
}
