/** What an event is about, as the wizard groups them. */
export const EVENT_AREAS = [
  "Installation",
  "Read",
  "Write",
  "Connection",
  "Destination",
  "Subscribe",
] as const;
export type EventArea = (typeof EVENT_AREAS)[number];

/** What is known of an event type. */
export interface EventType {
  readonly area: EventArea;
  /** When it fires, short enough to stand beside its name. */
  readonly fires: string;
  /** What else the spec says of it, to be read after `fires` and a comma. */
  readonly more?: string;
  /** `spec`: part 6. `platform`: said by the live platform only, so a server may not have it. */
  readonly source: "spec" | "platform";
}

/**
 * The event types known today. More are to come: an unknown one is worth a warning, no refusal.
 */
export const EVENTS = {
  "installation.created": {
    area: "Installation",
    fires: "a customer installs the integration",
    source: "spec",
  },
  "installation.updated": {
    area: "Installation",
    fires: "a customer changes the configuration",
    more: "for example field mappings",
    source: "spec",
  },
  "installation.deleted": {
    area: "Installation",
    fires: "a customer uninstalls the integration",
    source: "spec",
  },
  "read.backfill.done": {
    area: "Read",
    fires: "the historical data sync completes",
    source: "spec",
  },
  "read.schedule.paused": {
    area: "Read",
    fires: "a scheduled data sync is paused",
    more: "often because of authentication issues or other errors",
    source: "spec",
  },
  "read.triggered.done": {
    area: "Read",
    fires: "a triggered read completes successfully",
    more: "on demand, not by schedule",
    source: "spec",
  },
  "read.triggered.error": {
    area: "Read",
    fires: "a triggered read fails",
    more: "on demand, not by schedule",
    source: "spec",
  },
  "write.async.done": {
    area: "Write",
    fires: "an asynchronous write completes",
    more: "with success or failure and which records were written or had errors",
    source: "spec",
  },
  "connection.created": {
    area: "Connection",
    fires: "a new OAuth connection is established",
    more: "with a provider",
    source: "spec",
  },
  "connection.updated": {
    area: "Connection",
    fires: "a connection is changed",
    source: "platform",
  },
  "connection.refreshed": {
    area: "Connection",
    fires: "a connection's access token is refreshed",
    source: "spec",
  },
  "connection.deleted": {
    area: "Connection",
    fires: "a connection is deleted",
    source: "spec",
  },
  "connection.error": {
    area: "Connection",
    fires: "an OAuth connection has an error",
    more: "such as an authentication failure or token refresh issue",
    source: "spec",
  },
  "destination.webhook.disabled": {
    area: "Destination",
    fires: "a webhook destination is disabled",
    more: "so that nothing more is delivered to its endpoint",
    source: "spec",
  },
  "subscribe.create.error": {
    area: "Subscribe",
    fires: "a subscription cannot be created",
    more: "to the changes in a customer's SaaS instance",
    source: "platform",
  },
} as const satisfies Readonly<Record<string, EventType>>;

/** An event type known today. */
export type KnownEvent = keyof typeof EVENTS;

/** In the order of the table, which keeps areas together. */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly KnownEvent[];

/** What is known of an event type; `undefined` for one that this version does not know. */
export function eventType(name: string): EventType | undefined {
  return Object.hasOwn(EVENTS, name) ? EVENTS[name as KnownEvent] : undefined;
}
