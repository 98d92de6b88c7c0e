import { createHash } from "node:crypto";
import { isAccepted, webhookBody } from "../../events/message.ts";
import type { Post, Received } from "../../events/post-message.ts";
import { secretProblem, signatureHeaders } from "../../events/signature.ts";
import { isLoopback } from "../../runtime/loopback.ts";
import type { WorldDestination } from "../world.ts";
import type { AttemptRecord } from "./delivery.ts";
import type { TrackedMessage } from "./event-history.ts";

/** The result of an attempt, without the facts that every attempt has. */
export type Result = Pick<AttemptRecord, "outcome"> &
  Partial<Pick<AttemptRecord, "status" | "durationMs" | "error" | "response">> & {
    /** Whether the answer disables the destination. */
    readonly disables?: boolean;
  };

/** The facts that an attempt depends on besides the message. */
export interface DeliveryFacts {
  readonly time: Date;
  readonly post: Post;
  readonly timeoutMs: number;
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
  const { time, timeoutMs } = facts;
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
  return judge(await facts.post(url, { headers, body, timeoutMs }));
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

/**
 * The meaning of an answer. Its header `webhook-delivery` may end the message or the destination.
 */
function judge({ control, ...received }: Received): Result {
  const { status, durationMs } = received;
  const command = control?.trim().toLowerCase();
  const disables = command === "disable";
  if (isAccepted(received)) return { outcome: "delivered", status, durationMs, disables };
  const isRedirect = status !== undefined && status >= 300 && status < 400;
  return {
    outcome: disables || command === "abort-message" ? "aborted" : "failed",
    status,
    durationMs,
    error: received.error ?? (isRedirect ? "redirects are not followed" : undefined),
    response: received.response || undefined,
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
