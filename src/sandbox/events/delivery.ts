import { createHash } from "node:crypto";
import type { Agent as HttpAgent, IncomingHttpHeaders } from "node:http";
import type { ATTEMPT_OUTCOMES, DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import type { EventData } from "../../events/message/payloads.ts";
import { isAccepted, webhookBody } from "../../events/message/payloads.ts";
import { type Answer, post } from "../../events/message/post.ts";
import { secretProblem, signatureHeaders } from "../../events/message/signature.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import { REDACTED } from "../../secrets/secret.ts";
import type { WorldDestination } from "../world.ts";

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after each failed attempt; after the last there is no further one. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  10 * HOUR,
] as const;

/** A destination whose attempts all failed for so long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR;

/** An event that occurred. */
export interface SandboxEvent {
  readonly id: string;
  readonly projectId: string;
  readonly type: string;
  readonly time: string;
  /** The fields of the event; configs that are too long are in `replaced`. */
  readonly data: EventData;
  /** The configs whose addresses `data` has. */
  readonly replaced?: Readonly<Record<string, unknown>>;
}

/** One way of an event: through a topic to a destination, or as data straight to it. */
export interface Reach {
  readonly topicId?: string;
  readonly destinationId: string;
}

/** The message of an event to one destination; every attempt at it has the same ID. */
interface Message extends Reach {
  /** The value of `svix-id`. */
  readonly id: string;
}

/** One attempt to deliver a message, as it is answered. */
export type AttemptRecord = {
  readonly [Field in keyof DeliveryAttempt]: Exclude<DeliveryAttempt[Field], null>;
} & {
  readonly outcome: (typeof ATTEMPT_OUTCOMES)[number];
  /** What was sent and answered, without secrets; lists of attempts leave it out. */
  readonly exchange?: Exchanged;
};

/** The head of a message that was sent, and the start of its answer. */
interface Exchanged {
  readonly sent: Readonly<Record<string, string>>;
  /** Absent where no answer came. */
  readonly answer?: { readonly headers: Readonly<Record<string, string>>; readonly body: string };
}

/** A message, with its event and the last attempt at it so far. */
export interface TrackedMessage {
  readonly message: Message;
  readonly event: SandboxEvent;
  last: AttemptRecord | undefined;
}

/** Whether no further attempt follows by itself. */
export function isFinished({ last }: TrackedMessage): boolean {
  return last !== undefined && last.nextAttemptTime === undefined;
}

/** Deliveries that the sandbox fails by itself, without sending them. */
export interface DeliveryFault {
  /** Absent: those to every destination. */
  readonly destinationId?: string | undefined;
  readonly kind: "status" | "timeout" | "reset";
  readonly status?: number | undefined;
  /** How many are still to fail. */
  readonly left: number;
}

/** An event with its messages, as the journal has it. */
export interface EventEntry {
  readonly kind: "event";
  readonly event: SandboxEvent;
  readonly messages: readonly Message[];
  /** Whether a change of the world caused it: then the state has it too, saved with the change. */
  readonly isCaused?: true;
}

/** A line of the journal: what must survive a kill. */
export type JournalEntry =
  | EventEntry
  /** The last event that a change caused, where the event itself is no longer kept. */
  | { readonly kind: "caused"; readonly eventId: string }
  | { readonly kind: "attempt"; readonly attempt: AttemptRecord }
  | { readonly kind: "failing"; readonly destinationId: string; readonly time: string }
  | { readonly kind: "disabled"; readonly destinationId: string; readonly time: string }
  | { readonly kind: "enabled"; readonly destinationId: string }
  | { readonly kind: "paused" | "resumed"; readonly destinationId: string }
  /** How far the clock is ahead of that of this machine. */
  | { readonly kind: "clock"; readonly aheadMs: number }
  /** All that was before is forgotten. */
  | { readonly kind: "reset" };

/** An ID such as `msg_` and 24 hex digits: there are too many for the short ones of records. */
export function longId(prefix: "evt" | "msg", ...facts: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  return `${prefix}_${digest.slice(0, 24)}`;
}

/** The result of an attempt, without the facts that every attempt has. */
type Result = Pick<AttemptRecord, "outcome"> &
  Partial<Pick<AttemptRecord, "status" | "durationMs" | "error" | "response" | "exchange">> & {
    /** Whether the answer disables the destination. */
    readonly disables?: boolean;
  };

/** The facts that an attempt depends on besides the message. */
export interface DeliveryFacts {
  readonly time: Date;
  /** The time of this machine, by which a receiver judges that of a signature. */
  readonly signedAt: Date;
  /** The fault of a message that is about to be sent, which then counts as used. */
  readonly takeFault: (destinationId: string) => DeliveryFault | undefined;
  readonly agents: Readonly<Record<string, HttpAgent>>;
  /** Not scaled: the clock of the receiver is the real one. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Cuts off the attempt. */
  readonly signal: AbortSignal;
  readonly isDisabled: boolean;
  readonly deliverToAnyHost: boolean;
  /** Appends what a stream destination receives. */
  readonly append: (destination: WorldDestination, line: string) => Promise<void>;
}

/** Attempts to deliver a message to its destination as it is now. Never rejects. */
export async function attempt(
  tracked: TrackedMessage,
  destination: WorldDestination | undefined,
  facts: DeliveryFacts,
): Promise<Result> {
  const { event, message } = tracked;
  if (destination === undefined) return notSent(DELETED);
  if (destination.type !== "webhook") {
    try {
      await facts.append(destination, `${JSON.stringify(event.data)}\n`);
      return { outcome: "delivered" };
    } catch (error) {
      return { outcome: "failed", error: (error as Error).message };
    }
  }
  // One that is delivered again by hand is to show whether the receiver works again.
  const isDisabled = facts.isDisabled && !isFinished(tracked);
  const reason = whyNotSent(destination, { ...facts, isDisabled });
  if (reason !== undefined) return notSent(reason);
  const url = new URL(urlOf(destination) ?? "");
  const { time, signedAt, attemptTimeoutMs: timeoutMs, signal } = facts;
  const secrets = signingSecrets(destination, time);
  const problem = secrets.map(secretProblem).find((each) => each !== undefined);
  if (problem !== undefined) return notSent(problem);
  const body = webhookBody(event.type, event.data);
  const headers = {
    ...customHeaders(destination),
    "content-type": "application/json",
    "user-agent": "amp-sandbox",
    ...signatureHeaders({ id: message.id, time: signedAt, body }, secrets),
  };
  const fault = facts.takeFault(destination.id);
  if (fault) return injected(fault);
  const agent = facts.agents[url.protocol];
  const answer = await post(url, { headers, body, timeoutMs, signal, ...(agent && { agent }) });
  const hidden = [...secrets, ...Object.values(customHeaders(destination))];
  const exchange = exchanged(headers, answer, hidden);
  const result = judge(answer);
  const response = (result.outcome !== "delivered" && exchange.answer?.body) || undefined;
  return { ...result, response, exchange };
}

/** The result of a message that a fault keeps from being sent. */
function injected({ kind, status = 503 }: DeliveryFault): Result {
  const failure = { status, timeout: "timeout", reset: "connection reset" }[kind];
  const error = `failed by the sandbox: ${failure}`;
  return { outcome: "failed", error, ...(kind === "status" && { status }) };
}

/** The characters of an answer's headers, and of its body, that an attempt keeps. */
const KEPT_HEADERS = 1000;
const KEPT_BODY = 500;

function exchanged(
  headers: Readonly<Record<string, string>>,
  answer: Answer,
  secrets: readonly string[],
): Exchanged {
  const hide = (text: string) =>
    secrets.reduce((rest, one) => (one.length < 4 ? rest : rest.replaceAll(one, REDACTED)), text);
  const sent = Object.entries(headers).map(
    ([name, value]) => [name, secrets.includes(value) ? REDACTED : value] as const,
  );
  if (answer.status === undefined) return { sent: Object.fromEntries(sent) };
  let left = KEPT_HEADERS;
  const kept = Object.entries(answer.headers as IncomingHttpHeaders).flatMap(([name, value]) => {
    const text = hide(String(value));
    left -= name.length + text.length;
    return left < 0 ? [] : [[name, text] as const];
  });
  const body = hide(Buffer.from(answer.body).toString()).slice(0, KEPT_BODY);
  return {
    sent: Object.fromEntries(sent),
    answer: { headers: Object.fromEntries(kept), body },
  };
}

const DELETED = "the destination was deleted";

/** Why a message is not sent to a destination; undefined if it is. */
export function whyNotSent(
  destination: WorldDestination | undefined,
  { isDisabled, deliverToAnyHost }: Pick<DeliveryFacts, "isDisabled" | "deliverToAnyHost">,
): string | undefined {
  if (destination === undefined) return DELETED;
  if (destination.type !== "webhook") return undefined;
  if (isDisabled) return "the destination is disabled";
  if (!URL.canParse(urlOf(destination) ?? "")) return "the destination has no valid URL";
  return deliverToAnyHost || !isElsewhere(destination)
    ? undefined
    : "the URL is not on this machine";
}

/** Whether the URL of a destination is that of another machine. */
export function isElsewhere(destination: WorldDestination): boolean {
  const url = URL.parse(urlOf(destination) ?? "");
  return url !== null && !isLoopback(url.hostname);
}

function notSent(error: string): Result {
  return { outcome: "not_sent", error };
}

/**
 * The meaning of an answer. Its header `webhook-delivery` may end the message or the destination.
 */
function judge({ status, durationMs, headers, failure }: Answer): Result {
  const command = String(headers["webhook-delivery"] ?? "")
    .trim()
    .toLowerCase();
  const disables = command === "disable";
  if (isAccepted({ status })) return { outcome: "delivered", status, durationMs, disables };
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  return {
    outcome: disables || command === "abort-message" ? "aborted" : "failed",
    status,
    durationMs,
    error: isRedirect
      ? "redirects are not followed"
      : status === undefined
        ? failure?.reason
        : undefined,
    disables,
  };
}

/** The address of a webhook destination. */
export function urlOf(destination: WorldDestination | undefined): string | undefined {
  const url = destination?.type === "webhook" ? destination.metadata.url : undefined;
  return typeof url === "string" ? url : undefined;
}

/** The headers that the destination adds to each message. */
function customHeaders({ metadata }: WorldDestination): Readonly<Record<string, string>> {
  const { headers } = metadata;
  if (typeof headers !== "object" || headers === null) return {};
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)] as const),
  );
}

/** How long a message is also signed by the secret before a rotation, in milliseconds. */
const OVERLAP_MS = 24 * 3_600_000;

/** A signing key in the form of Svix; equal facts make equal keys, as with IDs. */
function keyOf(...facts: readonly string[]): string {
  return `whsec_${createHash("sha256").update(facts.join(" ")).digest("base64").slice(0, 32)}`;
}

/** The secret that a webhook destination's messages are signed by. */
export function signingKey({ id, secrets }: WorldDestination): string {
  const own = secrets?.webhookSigningKey;
  return typeof own === "string" ? own : keyOf(id);
}

/** The fields of a webhook destination that a rotation of its secret changes. */
export function rotated(
  destination: WorldDestination,
  { sequence, now, timeScale }: { sequence: number; now: Date; timeScale: number },
): Partial<WorldDestination> {
  const { id, secrets } = destination;
  const webhookSigningKey = keyOf(id, `${sequence} ${JSON.stringify(secrets)}`);
  const until = new Date(now.getTime() + OVERLAP_MS / timeScale).toISOString();
  return {
    secrets: { ...secrets, webhookSigningKey },
    previousKey: { webhookSigningKey: signingKey(destination), until },
  };
}

/**
 * The secrets that a message is signed by: during a rotation the new one and the old one.
 * @param now absent: at any time
 */
export function signingSecrets(destination: WorldDestination, now?: Date): readonly string[] {
  const { previousKey } = destination;
  const isValid = previousKey && (now?.getTime() ?? 0) < Date.parse(previousKey.until);
  return [signingKey(destination), ...(isValid ? [previousKey.webhookSigningKey] : [])];
}
