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
  /** When it fires, as the end of a sentence: "a customer installs the integration". */
  readonly fires: string;
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
    fires: "a customer changes the configuration, for example field mappings",
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
    fires: "a scheduled sync is paused, often for authentication issues or errors",
    source: "spec",
  },
  "read.triggered.done": {
    area: "Read",
    fires: "an on-demand triggered read completes successfully",
    source: "spec",
  },
  "read.triggered.error": {
    area: "Read",
    fires: "an on-demand triggered read fails",
    source: "spec",
  },
  "write.async.done": {
    area: "Write",
    fires: "an asynchronous write completes; tells which records were written or had errors",
    source: "spec",
  },
  "connection.created": {
    area: "Connection",
    fires: "a new OAuth connection is established with a provider",
    source: "spec",
  },
  "connection.updated": {
    area: "Connection",
    fires: "a connection is changed",
    source: "platform",
  },
  "connection.refreshed": {
    area: "Connection",
    fires: "a connection's OAuth access token is refreshed",
    source: "spec",
  },
  "connection.deleted": {
    area: "Connection",
    fires: "a connection is deleted",
    source: "spec",
  },
  "connection.error": {
    area: "Connection",
    fires: "authentication failed, or a token could not be refreshed",
    source: "spec",
  },
  "destination.webhook.disabled": {
    area: "Destination",
    fires: "a webhook destination endpoint is disabled",
    source: "spec",
  },
  "subscribe.create.error": {
    area: "Subscribe",
    fires: "a subscription to a provider's events could not be created",
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
