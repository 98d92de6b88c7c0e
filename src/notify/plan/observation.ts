import type { ActTime } from "../state/state.ts";
import type { LiveIndex, LiveRouting } from "./live.ts";

/** What the service lists, and how far it may be believed. It is the only place that knows time. */
export interface Observation {
  /** The lists, without what amp deleted less than a horizon ago; absent: the service has none. */
  readonly live: LiveRouting | undefined;
  readonly index: LiveIndex | undefined;
  /** When the lists were asked for. */
  readonly now: ActTime;
  /**
   * Whether an act of amp is less than one horizon old: until then a list may be older than it.
   * @param at what it was on: the name of a place, or the kind and ID of a mark
   */
  isYoung(at: string, moment: ActTime): boolean;
}
