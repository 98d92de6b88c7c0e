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
  /** The moment when the event fires, short enough to fit beside its name. */
  readonly fires: string;
  /** Further text of the spec, which follows `fires` and a comma. */
  readonly more?: string;
  /**
   * The source: `spec` for part 6; `platform` if only the live platform has it, so a server may
   * lack it.
   */
  readonly source: "spec" | "platform";
}

type KnownEvent = keyof typeof table;

/** The known event types. An unknown one causes a warning, not an error, because the list grows. */
export const EVENTS = table as Readonly<Record<KnownEvent, EventType>>;

/** The names of the event types, in the order of the table, which keeps areas together. */
export const EVENT_TYPES = Object.keys(EVENTS) as readonly KnownEvent[];

/** The entry of an event type; `undefined` for one that this version does not know. */
export function eventType(name: string): EventType | undefined {
  return Object.hasOwn(EVENTS, name) ? EVENTS[name as KnownEvent] : undefined;
}

/** Why a sandbox sends nothing yet to a destination that is paused. */
export const PAUSED = "the destination is paused";

/** The most times that one request to a sandbox lets an event occur. */
export const MAX_REPEAT = 10_000;
