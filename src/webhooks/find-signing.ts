import { isAccepted, type ReceiverAnswer } from "./check.ts";
import {
  type BaseMessage,
  type MessageOptions,
  messageMaker,
  type TestMessage,
} from "./messages.ts";
import { MISTAKEN_SIGNING, type SigningWay } from "./signing-ways.ts";

/** Whether a receiver that is at this URL refused a message, as it does if it does not trust it. */
export function isRejection(answer: ReceiverAnswer | undefined): boolean {
  const { status = 0 } = answer ?? {};
  return status >= 400 && status < 500 && ![404, 405, 415, 429].includes(status);
}

/** The mistaken way of signing that a receiver accepts, with the message that it accepted. */
export async function findSigning(
  plan: MessageOptions & { readonly base: BaseMessage },
  send: (message: TestMessage) => Promise<ReceiverAnswer | undefined>,
): Promise<{ readonly signing: SigningWay; readonly message: TestMessage } | undefined> {
  const { body, event } = plan.base;
  for (const [at, signing] of MISTAKEN_SIGNING.entries()) {
    const message = messageMaker({ ...plan, signing }, `signing-${at}`).taken(body, event);
    const answer = await send(message);
    if (answer !== undefined && isAccepted(answer)) return { signing, message };
    // It limits the rate, or stopped.
    if (!isRejection(answer)) return undefined;
  }
  return undefined;
}

/** What a receiver does wrong that accepts only messages that are signed in this way. */
export function mistakeAdvice({ mistakes }: SigningWay): string {
  const texts = mistakes.map(({ text }) => text).join(", and ");
  const advice = [...new Set(mistakes.map((one) => one.advice))].join(" ");
  return `The receiver accepts a message only if ${texts}. ${advice} The other checks used messages that are signed in this way.`;
}
