import type { Address } from "../address.ts";

/** How amp came to know a record. */
export const ORIGINS = ["created", "adopted", "reconciled", "imported"] as const;
/** One of {@link ORIGINS}. */
export type Origin = (typeof ORIGINS)[number];

/** A thing that exists, as far as amp knows. Holds no body, secret, header or whole URL. */
export interface KnownRecord {
  readonly id: string;
  /** Of the body that made it, or would have; see `fingerprint`. */
  readonly fingerprint: string;
  readonly origin: Origin;
  /** The service's request identifier; absent where it gave none, or nothing was sent. */
  readonly requestId?: string;
  /** RFC 3339, of this machine's clock: when it was learned. */
  readonly time: string;
}

/** A create that was begun. Saved before the request is sent, gone when its outcome is known. */
export interface PendingCreate {
  readonly fingerprint: string;
  /** Sent as Idempotency-Key, the same with every attempt; most servers ignore it. */
  readonly key: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** The ids that the list showed for its natural key before; empty where there is no list. */
  readonly idsBefore: readonly string[];
  /** Of a route: the ids of its topic and its destination, as they were sent. */
  readonly ends?: readonly string[];
  /** RFC 3339. */
  readonly started: string;
  /**
   * RFC 3339: until then the service may still commit what it was sent. Absent while the outcome is
   * not known to be unknown.
   */
  readonly horizon?: string;
  /** `intent`: about to be sent, or sent by a run that was killed. `unknown`: sent, no good answer. */
  readonly phase: "intent" | "unknown";
  readonly requestId?: string;
}

/** Where a state belongs; another target is refused. */
export interface StateTarget {
  readonly origin: string;
  /** Of the base URL, for example `/v1`. */
  readonly basePath: string;
  /** By name or ID, as it was given. */
  readonly project: string;
}

/**
 * What amp remembers of one project's routing: a snapshot, not a log. Immutable; each change makes
 * a new one.
 */
export interface RoutingState {
  /** A UUID, for good: two states of one target that differ in it know different things. */
  readonly lineage: string;
  /** Grows by one with each save. */
  readonly serial: number;
  readonly target: StateTarget;
  /** Whether the service lists what exists; absent before that is known. */
  readonly lists?: boolean;
  /** Random, of the fingerprints. */
  readonly salt: string;
  readonly records: ReadonlyMap<Address, KnownRecord>;
  readonly pending: ReadonlyMap<Address, PendingCreate>;
}
