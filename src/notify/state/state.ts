import * as z from "zod";
import { ConflictError } from "../../errors.ts";
import type { Address } from "../model/address.ts";
import {
  addressSchema,
  runBeingRecordedSchema,
  runEntrySchemas,
  runHistorySchema,
} from "./history.ts";

/** The ways in which amp came to know a record. */
export const RECORD_ORIGINS = ["created", "adopted", "reconciled", "imported"] as const;
/** One of {@link RECORD_ORIGINS}. */
export type RecordOrigin = (typeof RECORD_ORIGINS)[number];

const nonEmptyText = z.string().min(1);
const timestamp = z.iso.datetime({ offset: true });

/**
 * The service's time, by the `Date` of its answers, at which amp knew of the record or no request for it
 * was under way any more: not later than this. Absent if its answers have no date.
 */
const serviceTime = timestamp.exactOptional();

/** The names of the routings that want the resource; absent: no name is known. */
const owners = z.array(nonEmptyText).readonly().exactOptional();

/**
 * The fingerprints of the fields that can change, by their paths such as `metadata.url`: they say
 * which of them the routing changed. Absent for a kind without such fields.
 */
const fields = z.record(z.string(), z.string()).readonly().exactOptional();

/**
 * The fields, by their paths, that the service shows with another value than it was sent: the
 * fingerprint of that value, or empty while it is not known. All others it shows as they were sent.
 * Absent until a run has compared them; what differs from it was changed elsewhere.
 */
const shown = z.record(z.string(), z.string()).readonly().exactOptional();

const recordSchema = z.object({
  id: nonEmptyText,
  /** The fingerprint of the body that made the resource, or would have; see `fingerprint`. */
  fingerprint: z.string(),
  fields,
  shown,
  origin: z.enum(RECORD_ORIGINS),
  /** The service's request identifier; absent if it gave none, or nothing was sent. */
  requestId: z.string().exactOptional(),
  /** When amp learned of the resource, or began to delete it: RFC 3339, by this machine's clock. */
  time: timestamp,
  serviceTime,
  owners,
  /** When a delete of it began whose outcome is not known yet; absent: none did. */
  deleting: timestamp.exactOptional(),
  /** When a rotation of its signing secret began whose outcome is not known yet. */
  rotating: timestamp.exactOptional(),
});

/** A resource that exists, as far as amp knows. Holds no body, secret, header or whole URL. */
export type KnownRecord = Readonly<z.output<typeof recordSchema>>;

/** The part of an intent that makes it an update. */
const updateSchema = z.object({
  id: nonEmptyText,
  /** The paths of the fields that the update sends; `name` for a new name. */
  mask: z.array(nonEmptyText).readonly(),
  origin: z.enum(RECORD_ORIGINS),
  /** The fields of the record once the update is done. */
  shown,
  /** The address before a new name. */
  from: addressSchema.exactOptional(),
  /** The fingerprints of the values that the list showed before, by path. */
  before: z.record(z.string(), z.string()).readonly().exactOptional(),
});

const pendingSchema = z.object({
  fingerprint: z.string(),
  fields,
  /** Fingerprints of the values of a create, without their spelling: what lists others is not its result. */
  sent: fields,
  /** Absent for a create. */
  update: updateSchema.exactOptional(),
  /** The Idempotency-Key of every attempt; most servers ignore it. */
  key: nonEmptyText,
  /** 1 for the first. */
  attempt: z.int().min(1),
  /** The IDs that the list showed for the natural key before the create; empty without a list. */
  idsBefore: z.array(z.string()).readonly(),
  /** The IDs of a route's topic and destination, as they were sent. */
  ends: z.array(z.string()).readonly().exactOptional(),
  /** RFC 3339. */
  started: timestamp,
  /** The time until which the service may still commit a request with an unknown outcome. */
  horizon: timestamp.exactOptional(),
  /** `intent`: about to be sent, or sent by a killed run. `unknown`: sent, no usable answer. */
  phase: z.enum(["intent", "unknown"]),
  /** The service said that it created the resource, without saying its ID. */
  created: z.literal(true).exactOptional(),
  requestId: z.string().exactOptional(),
  serviceTime,
  /** The same moment by this machine's clock. */
  time: timestamp.exactOptional(),
  owners,
  /** The run that sent it: the history gives it the change, also where a later run settles it. */
  run: runBeingRecordedSchema.exactOptional(),
});

/** A create or update that was begun: saved before it is sent, and removed when its outcome is known. */
export type PendingWrite = Readonly<z.output<typeof pendingSchema>>;

/** An update that was begun: what its intent says beyond that of a create. */
export type PendingUpdate = NonNullable<PendingWrite["update"]>;

/** The facts that a write with an unknown outcome is saved with. */
export type UnknownOutcomeFacts = Required<Pick<PendingWrite, "horizon">> &
  Pick<PendingWrite, "created" | "requestId" | "serviceTime" | "time">;

const targetSchema = z.object({
  origin: nonEmptyText,
  /** The path of the base URL, for example `/v1`. */
  basePath: z.string(),
  /** The ID; where the service did not report it, the ID or name that was given. */
  project: nonEmptyText,
  /** The name; absent where the service did not report it. */
  name: nonEmptyText.exactOptional(),
  /** The world of the sandbox; absent for a service. */
  world: nonEmptyText.exactOptional(),
});

/** The service and project that a state belongs to; the state of another target is refused. */
export type StateTarget = Readonly<z.output<typeof targetSchema>>;

function byAddress<Schema extends z.ZodType>(schema: Schema) {
  return z
    .record(addressSchema, schema)
    .transform((fields): ReadonlyMap<Address, z.output<Schema>> => {
      return new Map(Object.entries(fields) as [Address, z.output<Schema>][]);
    });
}

/** The fields of a saved state. Unknown ones are dropped: a later format has another version. */
export const stateSchema = z.object({
  /** A UUID that never changes: two states of one target with different ones know different things. */
  lineage: nonEmptyText,
  /** Grows by one with each save. */
  serial: z.int().min(0),
  target: targetSchema,
  /** Whether the service lists what exists; absent until that is known. */
  lists: z.boolean().exactOptional(),
  /** The random key of the fingerprints. */
  salt: nonEmptyText,
  records: byAddress(recordSchema),
  pending: byAddress(pendingSchema),
  /** The runs that changed something; absent until there is one. */
  runs: runHistorySchema.exactOptional(),
});

/**
 * The saved knowledge about one project's routing. Only its owner changes it, by `setEntries`; to
 * all others it is read-only.
 */
export type RoutingState = Readonly<z.output<typeof stateSchema>>;

/**
 * A new value of one entry, the smallest part of a change: an array, since a journal has many.
 * `null` removes the entry.
 */
const entrySchema = z.union([
  z.tuple([z.literal("record"), addressSchema, recordSchema.nullable()]),
  z.tuple([z.literal("pending"), addressSchema, pendingSchema.nullable()]),
  z.tuple([z.literal("lists"), z.boolean().nullable()]),
  ...runEntrySchemas,
]);

/** A part of a change: the kind of an entry, its address and its new value. */
export type StateEntry = Readonly<z.output<typeof entrySchema>>;

/** A save in a journal. */
export const journaledSaveSchema = z.object({
  serial: z.int().min(1),
  changes: z.array(entrySchema),
});

/** Makes the target of a base URL and a project. */
export function stateTarget(baseUrl: string, project: string): StateTarget {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/u, ""), project };
}

/** Makes the empty state of a target. Its first save has serial 1. */
export function newState(target: StateTarget, lineage: string, salt: string): RoutingState {
  return { lineage, serial: 0, target, salt, records: new Map(), pending: new Map() };
}

/**
 * Refuses the state of another target, with which everything would be created again.
 * @throws {ConflictError} that names both targets
 */
export function assertSameTarget({ target: own }: RoutingState, target: StateTarget): void {
  if (isSameTarget(own, target)) return;
  throw new ConflictError(`The state belongs to ${describeTarget(own)}`, {
    detail: `This command targets ${describeTarget(target)}.`,
    remedy: "Choose another state with --state, or the profile and project of this state.",
    done: "Nothing was sent.",
    data: { state: own, target },
  });
}

/**
 * Whether two targets are the same project of one service. A project that is not identified yet has
 * one word, its ID or its name.
 */
export function isSameTarget(one: StateTarget, other: StateTarget): boolean {
  if (one.origin !== other.origin || one.basePath !== other.basePath) return false;
  if (one.project === other.project) return true;
  if (one.name !== undefined && other.name !== undefined) return false;
  return one.project === other.name || one.name === other.project;
}

/** The description, for example `project acme of https://api.example.com/v1`. */
export function describeTarget({ origin, basePath, project }: StateTarget): string {
  return `project ${project} of ${origin}${basePath}`;
}
