import { createHash } from "node:crypto";
import type { ATTEMPT_OUTCOMES, DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import type { EventData } from "../../events/message/payloads.ts";
import { isAccepted, webhookBody } from "../../events/message/payloads.ts";
import { type Answer, post } from "../../events/message/post.ts";
import { secretProblem, signatureHeaders } from "../../events/message/signature.ts";
import { isLoopback } from "../../runtime/loopback.ts";
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
} & { readonly outcome: (typeof ATTEMPT_OUTCOMES)[number] };

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
  | { readonly kind: "enabled"; readonly destinationId: string };

/** An ID such as `msg_` and 24 hex digits: there are too many for the short ones of records. */
export function longId(prefix: "evt" | "msg", ...facts: readonly (string | number)[]): string {
  const digest = createHash("sha256").update(JSON.stringify(facts)).digest("hex");
  return `${prefix}_${digest.slice(0, 24)}`;
}

/** The result of an attempt, without the facts that every attempt has. */
type Result = Pick<AttemptRecord, "outcome"> &
  Partial<Pick<AttemptRecord, "status" | "durationMs" | "error" | "response">> & {
    /** Whether the answer disables the destination. */
    readonly disables?: boolean;
  };

/** The facts that an attempt depends on besides the message. */
interface DeliveryFacts {
  readonly time: Date;
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
  { event, message, isFinished }: TrackedMessage,
  destination: WorldDestination | undefined,
  facts: DeliveryFacts,
): Promise<Result> {
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
  const isDisabled = facts.isDisabled && !isFinished;
  const reason = whyNotSent(destination, { ...facts, isDisabled });
  if (reason !== undefined) return notSent(reason);
  const url = new URL(urlOf(destination) ?? "");
  const { time, attemptTimeoutMs: timeoutMs, signal } = facts;
  const secrets = signingSecrets(destination, time);
  const problem = secrets.map(secretProblem).find((each) => each !== undefined);
  if (problem !== undefined) return notSent(problem);
  const body = webhookBody(event.type, event.data);
  const headers = {
    ...customHeaders(destination),
    "content-type": "application/json",
    "user-agent": "amp-sandbox",
    ...signatureHeaders({ id: message.id, time, body }, secrets),
  };
  return judge(await post(url, { headers, body, timeoutMs, signal }));
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
  const url = URL.parse(urlOf(destination) ?? "");
  if (url === null) return "the destination has no valid URL";
  return deliverToAnyHost || isLoopback(url.hostname)
    ? undefined
    : "the URL is not on this machine";
}

function notSent(error: string): Result {
  return { outcome: "not_sent", error };
}

/** The bytes of an answer's body that an attempt keeps. */
const KEPT_ANSWER_BYTES = 500;

/**
 * The meaning of an answer. Its header `webhook-delivery` may end the message or the destination.
 */
function judge({ status, durationMs, headers, body, failure }: Answer): Result {
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
    response: Buffer.from(body.subarray(0, KEPT_ANSWER_BYTES)).toString() || undefined,
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

/** The secrets that a message is signed by now: during a rotation the new one and the old one. */
function signingSecrets(destination: WorldDestination, now: Date): readonly string[] {
  const { previousKey } = destination;
  const isValid = previousKey !== undefined && now.getTime() < Date.parse(previousKey.until);
  return [signingKey(destination), ...(isValid ? [previousKey.webhookSigningKey] : [])];
}

/** How many finished events are kept, so that they can be shown and delivered again. */
const KEPT_EVENTS = 1000;
/** And how many characters of them, since an event may have 300 KB. */
const KEPT_CHARACTERS = 32_000_000;
const KEPT_ATTEMPTS = 5_000;

/** A message, with its event and what became of it so far. */
export interface TrackedMessage {
  readonly message: Message;
  readonly event: SandboxEvent;
  attempts: number;
  /** When the next attempt is due; undefined: at once, or never if it is finished. */
  due: string | undefined;
  isFinished: boolean;
}

/** An event that is kept, with its size and its messages that are not finished. */
interface KeptEvent {
  readonly entry: EventEntry;
  readonly size: number;
  open: number;
}

/**
 * The events of a sandbox, with their messages and attempts: all that are not finished, and the
 * latest of those that are. It is made of the entries of the journal alone, so a new process that
 * reads them has the same.
 */
export class EventHistory {
  /** The attempts, the oldest first. */
  readonly attempts: AttemptRecord[] = [];
  /** The times since when destinations have only failed. */
  readonly failing = new Map<string, string>();
  readonly disabled = new Map<string, string>();
  readonly #events = new Map<string, KeptEvent>();
  readonly #messages = new Map<string, TrackedMessage>();
  /** The finished events, in the order in which they finished. */
  readonly #finished: KeptEvent[] = [];
  #characters = 0;
  #lastCaused: string | undefined;
  /** The number of events and of attempts ever, also of those that are no longer kept. */
  counts = { events: 0, attempts: 0 };

  apply(entry: JournalEntry): void {
    if (entry.kind === "event") this.#addEvent(entry);
    else if (entry.kind === "caused") this.#lastCaused = entry.eventId;
    else if (entry.kind === "attempt") this.#addAttempt(entry.attempt);
    else if (entry.kind === "failing") this.failing.set(entry.destinationId, entry.time);
    else if (entry.kind === "disabled") this.disabled.set(entry.destinationId, entry.time);
    else {
      this.disabled.delete(entry.destinationId);
      this.failing.delete(entry.destinationId);
    }
  }

  /**
   * Takes note of what the last change caused, unless it is known: a kill may have come between.
   */
  applyCaused(entries: readonly EventEntry[]): void {
    if (entries.at(-1)?.event.id === this.#lastCaused) return;
    for (const entry of entries) this.apply(entry);
  }

  message(id: string): TrackedMessage | undefined {
    return this.#messages.get(id);
  }

  event(id: string): SandboxEvent | undefined {
    return this.#events.get(id)?.entry.event;
  }

  messagesOf(eventId: string): readonly TrackedMessage[] {
    const messages = this.#events.get(eventId)?.entry.messages ?? [];
    return messages.flatMap(({ id }) => this.#messages.get(id) ?? []);
  }

  *open(): Generator<TrackedMessage> {
    for (const tracked of this.#messages.values()) if (!tracked.isFinished) yield tracked;
  }

  /** The entries from which a new history is the same as this one. */
  *entries(): Generator<JournalEntry> {
    for (const { entry } of this.#events.values()) yield entry;
    if (this.#lastCaused !== undefined) yield { kind: "caused", eventId: this.#lastCaused };
    for (const attempt of this.attempts) {
      if (this.#messages.has(attempt.messageId)) yield { kind: "attempt", attempt };
    }
    // A new history derives the health of destinations from these attempts, which may lack the
    // delivery or the enabling that ended their failures. So it is cleared here, and then set to
    // what it is.
    for (const destinationId of new Set(this.attempts.map((each) => each.destinationId))) {
      yield { kind: "enabled", destinationId };
    }
    for (const [destinationId, time] of this.failing) {
      yield { kind: "failing", destinationId, time };
    }
    for (const [destinationId, time] of this.disabled) {
      yield { kind: "disabled", destinationId, time };
    }
  }

  #addEvent(entry: EventEntry): void {
    const { event, messages } = entry;
    if (entry.isCaused) this.#lastCaused = event.id;
    if (this.#events.has(event.id)) return;
    this.counts.events += 1;
    const size = JSON.stringify([event.data, event.replaced]).length;
    const kept = { entry, size, open: messages.length };
    this.#events.set(event.id, kept);
    for (const message of messages) {
      const tracked = { message, event, attempts: 0, due: undefined, isFinished: false };
      this.#messages.set(message.id, tracked);
    }
    if (messages.length === 0) this.#finish(kept);
  }

  #addAttempt(attempt: AttemptRecord): void {
    this.counts.attempts = Math.max(this.counts.attempts, attempt.sequence);
    this.attempts.push(attempt);
    // Not at every attempt, since it moves all the others.
    if (this.attempts.length >= 2 * KEPT_ATTEMPTS) this.attempts.splice(0, KEPT_ATTEMPTS);
    this.#noteHealth(attempt);
    const tracked = this.#messages.get(attempt.messageId);
    if (tracked === undefined) return;
    tracked.attempts = attempt.attempt;
    tracked.due = attempt.nextAttemptTime;
    if (tracked.isFinished || attempt.nextAttemptTime !== undefined) return;
    tracked.isFinished = true;
    const kept = this.#events.get(attempt.eventId);
    if (kept === undefined) return;
    kept.open -= 1;
    if (kept.open === 0) this.#finish(kept);
  }

  /** A delivery ends a run of failures, and enables a destination again. */
  #noteHealth({ destinationId, outcome, time }: AttemptRecord): void {
    if (outcome === "delivered") {
      this.failing.delete(destinationId);
      this.disabled.delete(destinationId);
    } else if (outcome !== "not_sent" && !this.failing.has(destinationId)) {
      this.failing.set(destinationId, time);
    }
  }

  #finish(kept: KeptEvent): void {
    this.#finished.push(kept);
    this.#characters += kept.size;
    while (
      this.#finished.length > KEPT_EVENTS ||
      (this.#characters > KEPT_CHARACTERS && this.#finished.length > 1)
    ) {
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    const oldest = this.#finished.shift();
    if (oldest === undefined) return;
    this.#characters -= oldest.size;
    this.#events.delete(oldest.entry.event.id);
    for (const { id } of oldest.entry.messages) this.#messages.delete(id);
  }
}
