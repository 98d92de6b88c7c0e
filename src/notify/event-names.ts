import { closest } from "fastest-levenshtein";
import { EVENT_TYPES, eventType } from "../api/events.ts";

/** The known event type nearest to one that this version does not know; `undefined` for known ones. */
export function nearestEvent(event: string): string | undefined {
  return eventType(event) === undefined ? closest(event, [...EVENT_TYPES]) : undefined;
}

/** A warning for each event type that this version does not know; they are sent all the same. */
export function eventWarnings(events: readonly string[]): string[] {
  return [...new Set(events)].flatMap((event) => {
    const nearest = nearestEvent(event);
    if (nearest === undefined) return [];
    return [
      `${JSON.stringify(event)} is no event type that amp knows; the nearest is ${nearest}. ` +
        "It is sent as it is.",
    ];
  });
}
