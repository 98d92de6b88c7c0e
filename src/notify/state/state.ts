import { ConflictError } from "../../errors.ts";
import type { Address } from "../model/address.ts";

/** How amp came to know a record. */
export const RECORD_ORIGINS = ["created", "adopted", "reconciled", "imported"] as const;
/** One of {@link RECORD_ORIGINS}. */
export type RecordOrigin = (typeof RECORD_ORIGINS)[number];

/** A thing that exists, as far as amp knows. Holds no body, secret, header or whole URL. */
export interface KnownRecord {
  readonly id: string;
  /** Of the body that made it, or would have; see `fingerprint`. */
  readonly fingerprint: string;
  readonly origin: RecordOrigin;
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

/** The target that a base URL and a project make. */
export function stateTarget(baseUrl: string, project: string): StateTarget {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/u, ""), project };
}

/** In words: `project acme of https://api.example.com/v1`. */
export function describeTarget({ origin, basePath, project }: StateTarget): string {
  return `project ${project} of ${origin}${basePath}`;
}

/** What is known of a target before anything is: nothing. Its first save has serial 1. */
export function newState(target: StateTarget, lineage: string, salt: string): RoutingState {
  return { lineage, serial: 0, target, salt, records: new Map(), pending: new Map() };
}

/**
 * Refuses a state that belongs elsewhere: production's on staging would make everything anew.
 * @throws {ConflictError} naming both
 */
export function assertSameTarget({ target: own }: RoutingState, target: StateTarget): void {
  const same =
    own.origin === target.origin &&
    own.basePath === target.basePath &&
    own.project === target.project;
  if (same) return;
  throw new ConflictError(`The state belongs to ${describeTarget(own)}`, {
    detail: `This run acts on ${describeTarget(target)}.`,
    remedy: "Name another state with --state, or the profile and project that it belongs to.",
    done: "Nothing was sent.",
    data: { state: own, target },
  });
}

type StateChange = (state: RoutingState) => RoutingState;

/** A create is about to be sent. */
export function withIntent(address: Address, pending: PendingCreate): StateChange {
  return (state) => ({ ...state, pending: new Map(state.pending).set(address, pending) });
}

/** It exists. */
export function withRecord(address: Address, record: KnownRecord): StateChange {
  return (state) => ({
    ...withoutIntent(address)(state),
    records: new Map(state.records).set(address, record),
  });
}

/** It was refused, or never sent. */
export function withoutIntent(address: Address): StateChange {
  return (state) => ({ ...state, pending: mapWithout(state.pending, address) });
}

/** It was sent, and nobody knows what became of it. */
export function withUnknownOutcome(
  address: Address,
  facts: { readonly horizon: string; readonly requestId?: string },
): StateChange {
  return (state) => {
    const begun = state.pending.get(address);
    // Its outcome came to be known in the meantime.
    if (begun === undefined) return state;
    return withIntent(address, { ...begun, ...facts, phase: "unknown" })(state);
  };
}

/** It is there no more. */
export function withoutRecord(address: Address): StateChange {
  return (state) => ({ ...state, records: mapWithout(state.records, address) });
}

function mapWithout<Value>(
  map: ReadonlyMap<Address, Value>,
  address: Address,
): Map<Address, Value> {
  const rest = new Map(map);
  rest.delete(address);
  return rest;
}
