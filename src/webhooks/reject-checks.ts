import { SIGNATURE_HEADERS } from "../events/signature.ts";
import { RECENT_SECONDS } from "./accept-checks.ts";
import { judgeByExpectation, type ReceiverCheck } from "./check.ts";

const HOUR = 3600;
const { id, timestamp, signature } = SIGNATURE_HEADERS;

/** The messages that a receiver must refuse: the platform sends none of them, an attacker may. */
export const REJECT_CHECKS: readonly ReceiverCheck[] = [
  refuses("tampered", {
    title: "A body that was changed after signing is rejected",
    advice:
      "The receiver accepts a body that does not match its signature. Verify the signature over the unchanged bytes.",
    send: (make) => [
      make.refused(make.base.body, "a body that was changed after signing", {
        spoil: ({ body }) => ({ body: changedBody(body, make.below(1000)) }),
      }),
    ],
  }),
  refuses("wrong-key", {
    title: "A signature made with another secret is rejected",
    advice:
      "The receiver accepts a signature made with a secret that it does not have. Compare it with the signature that you compute with the secret.",
    send: (make) => [
      make.refused(make.base.body, "a signature made with another secret", {
        spoil: ({ headers, body }) => ({
          headers: { ...headers, [signature]: make.foreignSignature(headers, body) },
        }),
      }),
    ],
  }),
  refuses("unsigned", {
    title: "A message without a signature is rejected",
    advice:
      "The receiver accepts a message without a signature. Reject messages without svix-id, svix-timestamp or svix-signature.",
    needsAccepted: false,
    send: (make) => [
      make.refused(make.base.body, "a message without a signature", {
        spoil: () => ({ headers: {} }),
      }),
      make.refused(make.base.body, "an empty signature", {
        spoil: ({ headers }) => ({ headers: { ...headers, [signature]: "v1," } }),
      }),
    ],
  }),
  refuses("stale", {
    title: "A message signed an hour ago is rejected, one signed 4 minutes ago is accepted",
    advice:
      "The receiver accepts old messages, so a captured message can be replayed. Reject a svix-timestamp that is more than 5 minutes old.",
    send: (make) => [
      make.refused(make.base.body, "a message signed an hour ago", { age: HOUR }),
      make.taken(make.base.body, "a message signed 4 minutes ago", {
        age: RECENT_SECONDS,
        symptom: "too-strict",
      }),
    ],
  }),
  refuses("future", {
    title: "A message signed an hour in the future is rejected",
    advice:
      "The receiver accepts messages from the future. Reject a svix-timestamp that is more than 5 minutes ahead.",
    send: (make) => [
      make.refused(make.base.body, "a message signed an hour in the future", { age: -HOUR }),
    ],
  }),
  refuses("swapped-id", {
    title: "A signature of another message ID or time is rejected",
    advice:
      "The receiver does not verify the ID or the time. Compute the signature over svix-id, a dot, svix-timestamp, a dot and the body.",
    send: (make) => [
      make.refused(make.base.body, "the signature of another message ID", {
        spoil: ({ headers }) => ({ headers: { ...headers, [id]: `${headers[id]}x` } }),
      }),
      make.refused(make.base.body, "the signature of another time", {
        spoil: ({ headers }) => ({
          headers: { ...headers, [timestamp]: String(Number(headers[timestamp]) - 1) },
        }),
      }),
    ],
  }),
];

function refuses(
  name: string,
  {
    needsAccepted = true,
    ...facts
  }: Pick<ReceiverCheck, "title" | "advice" | "send"> & { readonly needsAccepted?: boolean },
): ReceiverCheck {
  return {
    name,
    kind: "reject",
    severity: "error",
    judge: judgeByExpectation,
    ...facts,
    ...(needsAccepted ? { needs: "accepted" as const } : {}),
  };
}

/** The body with one letter of a value changed, so that it is valid JSON still. */
function changedBody(body: string, at: number): string {
  const letters = [...body.matchAll(/(?<=:")[a-y]/gu)];
  const letter = letters[at % Math.max(1, letters.length)];
  if (letter === undefined) return `${body} `;
  const next = String.fromCharCode(letter[0].charCodeAt(0) + 1);
  return body.slice(0, letter.index) + next + body.slice(letter.index + 1);
}
