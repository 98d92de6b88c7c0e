import type { ActTime } from "../state/state.ts";
import type { LiveIndex, LiveRouting } from "./live.ts";

/** What the service lists, and how far it may be believed. It is the only place that knows time. */
export interface Observation {
  /** The lists, without what amp deleted less than a horizon ago; absent: the service has none. */
  readonly live: LiveRouting | undefined;
  readonly index: LiveIndex | undefined;
  /**
   * Whether an act of amp is less than one horizon old: until then a list may be older than it.
   * @param at what it was on: the name of a place, or the kind and ID of a mark
   * @param moment without a time, amp has only found it, and never acted on it
   */
  isYoung(at: string, moment: Partial<ActTime>): boolean;
}
