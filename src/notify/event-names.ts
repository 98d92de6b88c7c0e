import { EVENT_TYPES, eventType } from "../api/events.ts";
import { nearest } from "../nearest.ts";

/** The event type that was probably meant by one that this version does not know. */
export function meantEvent(event: string): string | undefined {
  return eventType(event) === undefined ? nearest(event, EVENT_TYPES) : undefined;
}

/** A warning for each event type that this version does not know; they are sent all the same. */
export function eventWarnings(events: readonly string[]): string[] {
  return [...new Set(events)]
    .filter((event) => eventType(event) === undefined)
    .map((event) => {
      const meant = meantEvent(event);
      const hint = meant ? `did you mean ${meant}?` : "amp notify events lists those it knows.";
      return `amp does not know the event type ${JSON.stringify(event)}: ${hint} It is sent as it is.`;
    });
}
