import { ServiceError } from "../errors.ts";
import type { ReceiverAnswer } from "./check.ts";
import type { TestMessage } from "./messages.ts";
import { type Receiver, sendPatiently } from "./send.ts";

/** The messages that were sent, with their answers. */
export interface SentMessages {
  readonly all: readonly ReceiverAnswer[];
  /** The answers by check; none for one that sent nothing. */
  readonly byCheck: Map<string, readonly ReceiverAnswer[]>;
  /**
   * Sends messages until one is answered too late.
   * @throws {ServiceError} where the first of all does not reach the receiver
   */
  send(
    messages: readonly TestMessage[],
    stopsAtFailure?: boolean,
  ): Promise<readonly ReceiverAnswer[]>;
}

/** Begins to send messages to a receiver, one after the other. */
export function createSender(plan: Parameters<typeof sendPatiently>[1]): SentMessages {
  const all: ReceiverAnswer[] = [];
  const send: SentMessages["send"] = async (messages, stopsAtFailure = false) => {
    const answers: ReceiverAnswer[] = [];
    for (const message of messages) {
      const answer = await sendPatiently(message, plan);
      answers.push(answer);
      all.push(answer);
      if (all.length === 1) assertReached(answer, plan.receiver);
      // Each further one would have to be waited for as long.
      if (answer.failure?.kind === "late") break;
      if (stopsAtFailure && answer.failure !== undefined) break;
    }
    return answers;
  };
  return { all, byCheck: new Map(), send };
}

function assertReached(
  { failure }: ReceiverAnswer,
  { url, insecureTls, unusedProxy }: Receiver,
): void {
  if (failure?.kind !== "unreachable") return;
  const isCertificate = failure.isCertificate && !insecureTls;
  throw new ServiceError(`Could not reach ${url.origin}: ${failure.reason}`, {
    ...(unusedProxy !== undefined && {
      detail: `The proxy of ${unusedProxy} is not used: it could change what the receiver gets.`,
    }),
    remedy: isCertificate
      ? "Set NODE_EXTRA_CA_CERTS=FILE to trust its certificate authority, or add --insecure-tls if the receiver is your own."
      : unusedProxy === undefined
        ? "Start the receiver, or check the URL."
        : "Start the receiver, check the URL, or run the test on a machine that reaches it directly.",
    done: "No message was delivered.",
  });
}
