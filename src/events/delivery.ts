import type { DeliveryDocument, MessageAttempt, SignatureVerdict } from "../documents/events.ts";
import { redactSecrets } from "../secrets/secret.ts";
import { shortened } from "../values/basics.ts";
import { defined, isJsonObject, jsonOf } from "../values/json.ts";
import { isAccepted } from "./message/payloads.ts";
import type { Answer } from "./message/post.ts";

/** A message of the platform, and the attempts to deliver it. */
export interface Delivery {
  /** Absent where no header has it. */
  readonly id?: string | undefined;
  /** The event type, or `read.message` and `subscribe.message`; absent for anything else. */
  readonly event?: string | undefined;
  /** When it arrived, where that is known. */
  readonly time?: Date | undefined;
  /** Every header in its order, with the name as it was written. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The bytes as they came: the signature is over them. */
  readonly body: Uint8Array;
  /** Absent where it was not examined. */
  readonly signature?: SignatureVerdict | undefined;
  readonly attempts: readonly MessageAttempt[];
}

/** A message as it came, with its ID and event. */
export function deliveryOf(request: Pick<Delivery, "headers" | "body" | "time">): Delivery {
  const { "svix-id": id, "webhook-id": other } = headersByName(request);
  return { ...request, id: id ?? other, event: messageType(jsonBody(request.body)), attempts: [] };
}

/** Headers by name in lower case; of one that came twice the first counts. */
export function headersByName({ headers }: Pick<Delivery, "headers">): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, value] of headers) all[name.toLowerCase()] ??= value;
  return all;
}

/**
 * The event type of a body, or `read.message` and `subscribe.message` for data messages; undefined
 * where it is neither.
 */
function messageType(body: unknown): string | undefined {
  if (!isJsonObject(body)) return undefined;
  const { notificationType, action } = body;
  if (typeof notificationType === "string") return notificationType;
  return action === "read" || action === "subscribe" ? `${action}.message` : undefined;
}

/** The body as JSON; undefined where it is not. */
export function jsonBody(body: Uint8Array): unknown {
  return jsonOf(Buffer.from(body).toString("utf8"));
}

/** A delivery as JSON. */
export function deliveryDocument(
  { id, event, time, body, signature, attempts }: Delivery,
  { withBody = false } = {},
): DeliveryDocument {
  return defined({
    id,
    event,
    time: time?.toISOString(),
    bytes: body.byteLength,
    signature,
    attempts,
    body: withBody ? (jsonBody(body) ?? Buffer.from(body).toString("utf8")) : undefined,
  });
}

/** An outcome that this version does not know may be a success. */
const FAILED: ReadonlySet<unknown> = new Set(["failed", "aborted", "not_sent"]);

/** Whether a receiver has taken a message. */
export function isDelivered({ attempts }: DeliveryDocument): boolean {
  return attempts.every(({ outcome }) => !FAILED.has(outcome));
}

/** The attempt that had this answer. */
export function attemptOf(
  answer: Pick<Answer, "status" | "durationMs"> & Partial<Answer>,
  to: { readonly url?: URL; readonly headers?: object },
): MessageAttempt {
  const { status = 0, durationMs, body = new Uint8Array() } = answer;
  // Its query may have a credential.
  const url = to.url && to.url.origin + to.url.pathname;
  const isRedirect = status >= 300 && status < 400;
  const missing = answer.status === undefined ? answer.failure?.reason : undefined;
  const error = isRedirect ? "redirects are not followed" : missing;
  if (isAccepted(answer)) return defined({ url, outcome: "delivered", status, durationMs });
  const response = responseStart(Buffer.from(body).toString(), to.headers ?? {}) || undefined;
  const facts = { status: answer.status, durationMs, error, response };
  return defined({ url, outcome: "failed", ...facts });
}

const SHOWN_CHARACTERS = 200;
/** A SHA-256 in base64, which has 43 characters and one to fill it. */
const SIGNATURE = /[A-Za-z0-9+/]{43}=/gu;

/** The start of an answer without secrets: some receivers repeat the signature that they expected. */
export function responseStart(response: string, sentHeaders: object): string {
  const sent = Object.values(sentHeaders).flatMap((value) => String(value).match(SIGNATURE) ?? []);
  const hidden = sent.reduce((rest, one) => rest.replaceAll(one, "[redacted]"), response);
  const shown = redactSecrets(hidden).replaceAll(SIGNATURE, "[redacted]").trim();
  return shortened(shown, SHOWN_CHARACTERS);
}
