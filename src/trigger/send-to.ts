import { randomBytes } from "node:crypto";
import type { DeliveryAttempt } from "../api/schemas/sandbox-event.ts";
import type { CommandContext } from "../context/command-context.ts";
import { InterruptedError, UsageError } from "../errors.ts";
import { type Capture, jsonBody, messageType } from "../events/capture.ts";
import { isAccepted } from "../events/message.ts";
import type { Received } from "../events/post-message.ts";
import { readSigningSecrets, type SecretFrom } from "../events/receiver-options.ts";
import { signatureHeaders } from "../events/signature.ts";
import { confirm } from "../questions/confirm.ts";
import { isLoopback } from "../runtime/loopback.ts";
import { utf8Text } from "../values/basics.ts";
import { counted } from "../values/counted.ts";
import { defined, isJsonObject } from "../values/json.ts";
import { type Page, row, rows, toned } from "../view/view.ts";

/** A message to send: a new one, or one that was saved. */
interface OutgoingMessage {
  readonly id: string;
  readonly event?: string | undefined;
  readonly body: string;
  readonly headers: Capture["headers"];
}

interface SentMessage extends Partial<Omit<Received, "control">> {
  readonly messageId: string;
  readonly event?: string;
  /** Absent for a message without an URL. */
  readonly url?: string;
  readonly isDelivered: boolean;
}

/** The messages that were sent. */
export interface SentTest {
  readonly messages: readonly SentMessage[];
}

/** New messages of one event, each with its own ID. */
export function newMessages(event: string, body: string, count = 1): OutgoingMessage[] {
  const headers: Capture["headers"] = [
    ["content-type", "application/json"],
    ["user-agent", "amp"],
  ];
  return Array.from({ length: count }, () => ({ id: newId(), event, body, headers }));
}

function newId(): string {
  return `msg_amptest_${randomBytes(8).toString("hex")}`;
}

/** Headers that a fresh signature replaces. */
const SIGNATURE = /^(?:svix|webhook)-(?:id|timestamp|signature)$/iu;

/**
 * Saved messages, each with its own ID: receivers know a message that comes twice by it.
 * @param event the only event type to send; undefined: all
 * @param source the name of the file, for messages
 * @throws {UsageError} for a body that cannot be signed, and where none is of the event type
 */
export function savedMessages(
  saved: readonly Capture[],
  event: string | undefined,
  source: string,
): OutgoingMessage[] {
  const messages = saved.flatMap(({ headers, body }): OutgoingMessage[] => {
    const type = messageType(jsonBody(body));
    if (event !== undefined && type !== event) return [];
    const idOf = (pattern: RegExp) => headers.find(([name]) => pattern.test(name))?.[1];
    const id = idOf(/^svix-id$/iu) ?? idOf(/^webhook-id$/iu) ?? newId();
    const text = utf8Text(body);
    if (text === undefined) {
      throw new UsageError(`${source}: the body of ${id} is not valid UTF-8, and cannot be signed`);
    }
    return [
      { id, event: type, body: text, headers: headers.filter(([name]) => !SIGNATURE.test(name)) },
    ];
  });
  if (messages.length > 0) return messages;
  throw new UsageError(`${source} has no message${event === undefined ? "" : ` of ${event}`}`, {
    done: "Nothing was sent.",
  });
}

/** Sends messages to one URL, one after the other, each with a signature of now. */
export async function sendTo(
  context: Pick<
    CommandContext,
    "files" | "interactive" | "now" | "prompt" | "report" | "signal" | "yes"
  >,
  to: { readonly url: URL; readonly secrets: readonly SecretFrom[] },
  messages: readonly OutgoingMessage[],
): Promise<SentTest> {
  const { now, signal } = context;
  const { url } = to;
  if (to.secrets.length === 0) {
    throw new UsageError("--to needs the signing secret of the receiver", {
      remedy: "Add --secret env:VARIABLE, @file or -.",
    });
  }
  const keys = await readSigningSecrets(to.secrets, context);
  // A receiver on another machine may be in use: nothing is sent there by mistake.
  if (!isLoopback(url.hostname)) {
    await confirm(context, {
      message: `Send ${counted(messages.length, "message")} to ${url.host}?`,
      needed: `Sending to ${url.host} needs confirmation`,
      done: "Nothing was sent.",
    });
  }
  // Loaded here, because node:http comes with it.
  const { ANSWER_LIMIT_MS, createPost, sentHeaders } = await import("../events/post-message.ts");
  const { post, close } = createPost();
  const sent: SentMessage[] = [];
  try {
    for (const { id, event, body, headers } of messages) {
      if (signal.aborted) break;
      const answer = await post(url, {
        headers: {
          ...sentHeaders(headers),
          ...signatureHeaders({ id, time: now(), body }, keys),
        },
        body,
        timeoutMs: ANSWER_LIMIT_MS,
      });
      const { control: _, response, ...rest } = answer;
      const isDelivered = isAccepted(answer);
      const shown = isDelivered ? undefined : response || undefined;
      const place = url.origin + url.pathname;
      sent.push(
        defined({ messageId: id, event, url: place, isDelivered, ...rest, response: shown }),
      );
    }
  } finally {
    close();
  }
  if (signal.aborted) {
    throw new InterruptedError("Interrupted", {
      done: `${sent.length} of ${counted(messages.length, "message")} ${sent.length === 1 ? "was" : "were"} sent.`,
    });
  }
  return { messages: sent };
}

/** An outcome that this version does not know may be a success. */
const FAILED: ReadonlySet<unknown> = new Set(["failed", "aborted", "not_sent"]);

/** The attempts that a sandbox made at once, as messages that were sent. */
export function sentAgain(attempts: readonly DeliveryAttempt[]): SentTest {
  // In a dry run there are none, and the answer of a service may be odd.
  const all: readonly unknown[] = Array.isArray(attempts) ? attempts : [];
  const made = all.filter((one): one is DeliveryAttempt & object => isJsonObject(one));
  return {
    messages: made.map((one) => {
      const {
        messageId,
        eventType: event,
        url,
        outcome,
        status,
        durationMs,
        error,
        response,
      } = one;
      const facts = { messageId, event, url, status, durationMs, error, response };
      const told = Object.entries(facts).filter(([, value]) => (value ?? undefined) !== undefined);
      return { ...Object.fromEntries(told), isDelivered: !FAILED.has(outcome) } as SentMessage;
    }),
  };
}

/** Whether a result is that of messages; the other is an answer, and may be odd. */
export function isSent(result: unknown): result is SentTest {
  return isJsonObject(result) && "messages" in result;
}

/** The page of messages that were sent. */
export function sentPage({ messages }: SentTest): Page {
  const [event, ...events] = new Set(messages.map((one) => one.event));
  const [url, ...urls] = new Set(messages.map((one) => one.url));
  const isOneEvent = event !== undefined && events.length === 0;
  const what = isOneEvent ? event : counted(messages.length, "message");
  return {
    title: `Sent ${what}${url !== undefined && urls.length === 0 ? ` to ${url}` : ""}`,
    blocks: [
      {
        kind: "grid",
        columns: [
          ...(isOneEvent ? [] : ["Event"]),
          "Message",
          "Result",
          "Status",
          "Time",
          "Answer",
        ],
        rows: messages.map((one) => [
          ...(isOneEvent ? [] : [one.event]),
          one.messageId,
          one.isDelivered ? toned("good", "delivered") : toned("bad", "failed"),
          one.status,
          one.durationMs === undefined ? undefined : `${one.durationMs} ms`,
          one.error ?? one.response,
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
