import { randomBytes } from "node:crypto";
import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError } from "../errors.ts";
import { isAccepted, webhookBody } from "../events/message.ts";
import type { EventData } from "../events/payloads.ts";
import type { Received } from "../events/post-message.ts";
import { readSigningSecrets, type SecretFrom } from "../events/receiver-options.ts";
import { signatureHeaders } from "../events/signature.ts";
import { confirm } from "../questions/confirm.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { counted } from "../values/counted.ts";
import { type Page, row, rows, toned } from "../view/view.ts";

/** The message for one URL. */
export interface SendInput {
  readonly type: string;
  readonly data: EventData;
  readonly to: URL;
  readonly secrets: readonly SecretFrom[];
  readonly repeat?: number | undefined;
}

/** One message that was sent. */
export interface SentMessage extends Omit<Received, "control"> {
  readonly messageId: string;
  readonly isDelivered: boolean;
}

/** The messages that were sent to one URL. */
export interface SentTest {
  readonly type: string;
  readonly url: string;
  readonly messages: readonly SentMessage[];
}

/** Sends an event, signed, to one URL: one message after the other. */
export async function sendTo(
  context: Pick<
    CommandContext,
    "files" | "interactive" | "now" | "prompt" | "report" | "signal" | "yes"
  >,
  { type, data, to: url, secrets, repeat = 1 }: SendInput,
): Promise<SentTest> {
  const { now, signal } = context;
  const keys = await readSigningSecrets(secrets, context);
  // A receiver on another machine may be in use: nothing is sent there by mistake.
  if (!isLoopback(url.hostname)) {
    await confirm(context, {
      message: `Send a test event ${type} to ${url.host}?`,
      needed: `Sending a test event to ${url.host} needs confirmation`,
      done: "Nothing was sent.",
    });
  }
  // Loaded here, because node:http comes with it.
  const { ANSWER_LIMIT_MS, createPost } = await import("../events/post-message.ts");
  const { post, close } = createPost();
  const messages: SentMessage[] = [];
  const body = webhookBody(type, data);
  try {
    while (messages.length < repeat && !signal.aborted) {
      const messageId = `msg_amptest_${randomBytes(8).toString("hex")}`;
      const headers = {
        "content-type": "application/json",
        "user-agent": "amp",
        ...signatureHeaders({ id: messageId, time: now(), body }, keys),
      };
      const answer = await post(url, { headers, body, timeoutMs: ANSWER_LIMIT_MS });
      const { control: _, response, ...rest } = answer;
      const isDelivered = isAccepted(answer);
      messages.push({
        messageId,
        isDelivered,
        ...rest,
        ...(!isDelivered && response && { response }),
      });
    }
  } finally {
    close();
  }
  if (signal.aborted) {
    throw new InterruptedError("Interrupted", {
      done: `${messages.length} of ${counted(repeat, "message")} ${messages.length === 1 ? "was" : "were"} sent.`,
    });
  }
  return { type, url: url.origin + url.pathname, messages };
}

/** Whether a result is that of {@link sendTo}; the other is an answer, and may be odd. */
export function isSent(result: unknown): result is SentTest {
  return typeof result === "object" && result !== null && "messages" in result && "url" in result;
}

/** The page of messages that were sent. */
export function sentPage({ type, url, messages }: SentTest): Page {
  return {
    title: `Sent ${type} to ${url}`,
    blocks: [
      {
        kind: "grid",
        columns: ["Message", "Result", "Status", "Time", "Answer"],
        rows: messages.map(({ messageId, isDelivered, status, durationMs, error, response }) => [
          messageId,
          isDelivered ? toned("good", "delivered") : toned("bad", "failed"),
          status,
          `${durationMs} ms`,
          error ?? response,
        ]),
      },
      rows(
        row(
          "Delivered",
          `${messages.filter((one) => one.isDelivered).length} of ${messages.length}`,
        ),
      ),
    ],
  };
}
