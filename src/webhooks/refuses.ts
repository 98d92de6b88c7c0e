import { SIGNATURE_HEADERS } from "../events/signature.ts";
import { judgeByExpectation, type ReceiverCheck } from "./check.ts";
import { RECENT_SECONDS } from "./takes.ts";

const HOUR = 3600;
const { id, timestamp, signature } = SIGNATURE_HEADERS;

/** The messages that a receiver must refuse: the platform sends none of them, an attacker may. */
export const REFUSES: readonly ReceiverCheck[] = [
  refuses("tampered", {
    title: "A body that was changed after signing is refused",
    advice:
      "The receiver takes a body that does not fit its signature. Verify the signature over the bytes as they came.",
    send: (make) => [
      make.refused(make.base.body, "a body that was changed after signing", {
        spoil: ({ body }) => ({ body: changedBody(body, make.below(1000)) }),
      }),
    ],
  }),
  refuses("wrong-key", {
    title: "A signature by another secret is refused",
    advice:
      "The receiver takes a signature by a secret that it does not have. Compare with the signature that its own secret makes.",
    send: (make) => [
      make.refused(make.base.body, "a signature by another secret", {
        spoil: ({ headers, body }) => ({
          headers: { ...headers, [signature]: make.foreignSignature(headers, body) },
        }),
      }),
    ],
  }),
  refuses("unsigned", {
    title: "A message without a signature is refused",
    advice:
      "The receiver takes a message without a signature. Refuse one that lacks any of svix-id, svix-timestamp and svix-signature.",
    needs: undefined,
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
    title: "A message that was signed an hour ago is refused, one of 4 minutes ago is taken",
    advice:
      "The receiver takes old messages, so that a captured one can be sent again. Refuse a svix-timestamp that is more than 5 minutes old.",
    send: (make) => [
      make.refused(make.base.body, "a message signed an hour ago", { age: HOUR }),
      make.taken(make.base.body, "a message signed 4 minutes ago", {
        age: RECENT_SECONDS,
        symptom: "too-strict",
      }),
    ],
  }),
  refuses("future", {
    title: "A message that was signed an hour ahead is refused",
    advice:
      "The receiver takes messages of a later time. Refuse a svix-timestamp that is more than 5 minutes ahead.",
    send: (make) => [
      make.refused(make.base.body, "a message signed an hour ahead", { age: -HOUR }),
    ],
  }),
  refuses("swapped-id", {
    title: "A signature of another message ID or time is refused",
    advice:
      "The receiver leaves the ID or the time out of what it verifies. Sign svix-id, a dot, svix-timestamp, a dot and the body.",
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
  check: Pick<ReceiverCheck, "title" | "advice" | "send"> & { readonly needs?: undefined },
): ReceiverCheck {
  const { needs: _, ...facts } = check;
  return {
    name,
    kind: "refuses",
    severity: "error",
    judge: judgeByExpectation,
    ...facts,
    ...("needs" in check ? {} : { needs: "accepted" as const }),
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
