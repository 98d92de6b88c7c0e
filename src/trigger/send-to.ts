import { randomBytes } from "node:crypto";
import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import { webhookBody } from "../events/message.ts";
import type { EventData } from "../events/payloads.ts";
import { readSigningSecrets, type SecretFrom } from "../events/secret-from.ts";
import { signatureHeaders } from "../events/signature.ts";
import { confirm } from "../questions/confirm.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { counted } from "../values/counted.ts";
import { type Page, row, rows, toned } from "../view/view.ts";

/** How long the receiver may take, as at the platform. */
const TIMEOUT_MS = 15_000;

/** The message for one URL. */
export interface SendInput {
  readonly type: string;
  readonly data: EventData;
  readonly to: string;
  readonly secrets: readonly SecretFrom[];
  readonly repeat?: number | undefined;
}

/** One message that was sent. */
export interface SentMessage {
  readonly messageId: string;
  readonly isDelivered: boolean;
  readonly status?: number | undefined;
  readonly durationMs: number;
  readonly error?: string | undefined;
  /** The first characters of an answer that was not a success. */
  readonly response?: string | undefined;
}

/** The messages that were sent to one URL. */
export interface SentTest {
  readonly type: string;
  readonly url: string;
  readonly messages: readonly SentMessage[];
}

/**
 * Reads the URL that a test event is sent to.
 * @throws {UsageError} unless it is an http or https URL
 */
export function receiverUrl(typed: string): string {
  const url = URL.parse(typed);
  if (url !== null && /^https?:$/u.test(url.protocol)) return url.href;
  throw new UsageError(`${JSON.stringify(typed)} is not an http or https URL`);
}

/** Sends an event, signed, to one URL: one message after the other. */
export async function sendTo(
  context: Pick<
    CommandContext,
    "files" | "interactive" | "now" | "prompt" | "report" | "signal" | "yes"
  >,
  { type, data, to, secrets, repeat = 1 }: SendInput,
): Promise<SentTest> {
  const { now, signal } = context;
  const keys = await readSigningSecrets(secrets, context);
  const url = new URL(to);
  // A receiver on another machine may be in use: nothing is sent there by mistake.
  if (!isLoopback(url.hostname)) {
    await confirm(context, {
      message: `Send a test event ${type} to ${url.host}?`,
      needed: `Sending a test event to ${url.host} needs confirmation`,
      done: "Nothing was sent.",
    });
  }
  const { createPost } = await import("../sandbox/events/post.ts");
  const { post, close } = createPost();
  const messages: SentMessage[] = [];
  const body = webhookBody(type, data);
  try {
    while (messages.length < repeat && !signal.aborted) {
      const id = `msg_amptest_${randomBytes(8).toString("hex")}`;
      const headers = {
        "content-type": "application/json",
        "user-agent": "amp",
        ...signatureHeaders({ id, time: now(), body }, keys),
      };
      const {
        control: _,
        response,
        ...got
      } = await post(url, {
        headers,
        body,
        timeoutMs: TIMEOUT_MS,
      });
      const { status } = got;
      const isDelivered = status !== undefined && status >= 200 && status < 300;
      messages.push({
        messageId: id,
        isDelivered,
        ...got,
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
