import { createHash } from "node:crypto";
import type { ATTEMPT_OUTCOMES, DeliveryAttempt } from "../../api/schemas/sandbox-event.ts";
import type { EventData } from "../../events/payloads.ts";

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
export interface Message extends Reach {
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
