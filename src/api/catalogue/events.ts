import table from "./events.json" with { type: "json" };

/** The subjects of events, as the wizard groups them. */
export const EVENT_AREAS = [
  "Installation",
  "Read",
  "Write",
  "Connection",
  "Destination",
  "Subscribe",
] as const;

/** An event type of the table. */
export interface EventType {
  readonly area: (typeof EVENT_AREAS)[number];
  /** When it fires, short enough to stand beside its name. */
  readonly fires: string;
  /** Further text of the spec, to be read after `fires` and a comma. */
  readonly more?: string;
  /** `spec`: part 6. `platform`: said by the live platform only, so a server may not have it. */
  readonly source: "spec" | "platform";
}

type KnownEvent = keyof typeof table;

/** The event types known today. An unknown one is worth a warning, not an error: more will come. */
export const EVENTS = table as Readonly<Record<KnownEvent, EventType>>;

/** The names of the event types, in the order of the table, which keeps areas together. */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly KnownEvent[];

/** The entry of an event type; `undefined` for one that this version does not know. */
export function eventType(name: string): EventType | undefined {
  return Object.hasOwn(EVENTS, name) ? EVENTS[name as KnownEvent] : undefined;
}
