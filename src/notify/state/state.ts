import * as z from "zod";
import { asList } from "../../values/basics.ts";
import { routingErrors } from "../errors.ts";
import { type Address, recordKey } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import {
  addressSchema,
  runBeingRecordedSchema,
  runEntrySchemas,
  runHistorySchema,
} from "./history.ts";

const text = z.string().min(1);
const timestamp = z.iso.datetime({ offset: true });

/**
 * When amp did something, by two clocks. `time` is that of this machine, RFC 3339. `serviceTime` is
 * that of the service, by the `Date` of its answers: it was not later. Absent if these have no date.
 */
const actTimeSchema = z.object({ time: timestamp, serviceTime: timestamp.exactOptional() });

/** When amp did something, by the clock of the machine and by that of the service; see the schema. */
export type ActTime = Readonly<z.output<typeof actTimeSchema>>;

/**
 * Who may change a resource: the file with a name, a file without one, or a person by a single
 * command.
 */
type Owner = `file:${string}` | "nameless" | "person";

const ownerSchema = z.custom<Owner>(
  (given) => given === "nameless" || given === "person" || /^file:./su.test(`${given}`),
  "not an owner",
);

/** The owner for the routing of a file. */
export function ownerOf({ name }: { readonly name?: string | undefined }): Owner {
  return name === undefined ? "nameless" : `file:${name}`;
}

/** The name of the file that an owner is; undefined for one without name, and for a person. */
export function fileOf(owner: Owner): string | undefined {
  return owner.startsWith("file:") ? owner.slice("file:".length) : undefined;
}

/** The files that declare a resource: the one that owns it, then the others. */
export function filesOf({ owner, alsoIn = [] }: Pick<Entry, "owner" | "alsoIn">): string[] {
  return [...asList(fileOf(owner)), ...alsoIn];
}

/**
 * What amp knows of one field. `sent` is the digest of the value that amp sent, or `unknown` after
 * an update that no list confirmed. `shown` is what a list has shown since: a digest, `hidden` for a
 * mask, or `unseen` until one has shown it; `instead:` and a digest: unseen, and another value was
 * shown, by the answer to the write, or by the list before it was sent again.
 */
const fieldSchema = z.tuple([text, text]);

/** Before the digest of what was shown in place of a value that no list has shown; see the schema. */
export const INSTEAD = "instead:";

/** A write that was begun: saved before it is sent, and removed when its outcome is known. */
const pendingSchema = z.object({
  op: z.enum(["create", "update", "delete"]),
  /** Of an update: the digests of the fields that it sends, by their paths. */
  fields: z.record(z.string(), z.string()).readonly().exactOptional(),
  /** Of an update: the new name. */
  name: text.exactOptional(),
  /** Of an update or a delete: the digests of what was there before, for the history. */
  was: z.record(z.string(), z.string()).readonly().exactOptional(),
  /** Of a create: the Idempotency-Key, which most servers ignore. */
  idempotencyKey: text.exactOptional(),
  /** Of a create: the IDs that the list showed for its key before. */
  before: z.array(z.string()).readonly().exactOptional(),
  /** Of a create: the service's time before it was sent; what was made earlier is not its result. */
  since: timestamp.exactOptional(),
  /** Of a create: the service said that it was done, without an ID. */
  created: z.literal(true).exactOptional(),
  /** When the request had ended at the latest, or its outcome became unknown. */
  ...actTimeSchema.shape,
  requestId: z.string().exactOptional(),
  /** The run that sent it: the history gives it the change, also where a later run settles it. */
  run: runBeingRecordedSchema.exactOptional(),
});

/** A write that was begun; see the schema. */
export type Pending = Readonly<z.output<typeof pendingSchema>>;

const entrySchema = z.object({
  /** Absent only while its create is pending. */
  id: text.exactOptional(),
  owner: ownerSchema,
  /** The names of other files that found it as they say. */
  alsoIn: z.array(text).readonly().exactOptional(),
  /** `amp`: amp created it. `found`: it was adopted or imported, or is not provably amp's. */
  made: z.enum(["amp", "found"]),
  /** The fields that a file or command named, by paths such as `metadata.url`. */
  fields: z.record(z.string(), fieldSchema).readonly(),
  /** The name as it was sent; of a route the values of its key. Absent where it is not known. */
  key: z.array(z.string()).readonly().exactOptional(),
  /** The last act of amp on it; absent while amp has only found it. */
  time: timestamp.exactOptional(),
  serviceTime: timestamp.exactOptional(),
  /** When amp created it; absent for what was found. */
  madeAt: actTimeSchema.exactOptional(),
  /** The service's request identifier of the last write; absent if it gave none. */
  requestId: z.string().exactOptional(),
  /** When a rotation of its signing secret began whose outcome is not known yet. */
  rotating: timestamp.exactOptional(),
  pending: pendingSchema.exactOptional(),
});

/** What amp knows of one resource. Holds no body, secret, header or whole URL. */
export type Entry = Readonly<z.output<typeof entrySchema>>;

/** An entry whose resource has an ID. */
export type KnownEntry = Entry & { readonly id: string };

const leftSchema = entrySchema.extend({ address: addressSchema });

/** The entry of a resource whose address another one has taken, with the address that it had. */
export type LeftEntry = Readonly<z.output<typeof leftSchema>>;

/**
 * A resource that the state does not have any more: for one horizon, lists may still show what was
 * `deleted`, and not show yet what was `forgotten`.
 */
const markSchema = z.object({ was: z.enum(["deleted", "forgotten"]), ...actTimeSchema.shape });

/** The mark of an ID; see the schema. */
export type Mark = Readonly<z.output<typeof markSchema>>;

const targetSchema = z.object({
  origin: text,
  /** The path of the base URL, for example `/v1`. */
  basePath: z.string(),
  /** The ID; where the service did not report it, the ID or name that was given. */
  project: text,
  /** The name; absent where the service did not report it. */
  name: text.exactOptional(),
  /** The world of the sandbox; absent for a service. */
  world: text.exactOptional(),
});

/** The service and project that a state belongs to; the state of another target is refused. */
export type StateTarget = Readonly<z.output<typeof targetSchema>>;

/** A map, as an object of a JSON text has it. */
function mapOf<Key extends string, Schema extends z.ZodType>(key: z.ZodType<Key>, schema: Schema) {
  return z
    .record(key as z.ZodType<Key> & z.core.$ZodRecordKey, schema)
    .transform(
      (fields): ReadonlyMap<Key, z.output<Schema>> =>
        new Map(Object.entries(fields) as [Key, z.output<Schema>][]),
    );
}

/** State format 1. Unknown fields are dropped: a later format has another version. */
export const stateSchema = z.object({
  /** A UUID that never changes: two states of one target with different ones know different things. */
  lineage: text,
  /** Grows by one with each save. */
  serial: z.int().min(0),
  target: targetSchema,
  /** Whether the service lists what exists; absent until that is known. */
  lists: z.boolean().exactOptional(),
  /** The random key of the digests. */
  key: text,
  entries: mapOf(addressSchema, entrySchema),
  /** By kind and ID. */
  left: mapOf(text, leftSchema).default(new Map()),
  /** By kind and ID. */
  marks: mapOf(text, markSchema).default(new Map()),
  /** The runs that changed something; absent until there is one. */
  runs: runHistorySchema.exactOptional(),
});

/**
 * The saved knowledge about one project's routing. Only its owner changes it, by `setEntries`; to
 * all others it is read-only.
 */
export type RoutingState = Readonly<z.output<typeof stateSchema>>;

/**
 * A new value of one part of a state: an array, since a journal has many. `null` removes it.
 */
const stateEntrySchema = z.union([
  z.tuple([z.literal("entry"), addressSchema, entrySchema.nullable()]),
  z.tuple([z.literal("left"), text, leftSchema.nullable()]),
  z.tuple([z.literal("mark"), text, markSchema.nullable()]),
  z.tuple([z.literal("lists"), z.boolean().nullable()]),
  ...runEntrySchemas,
]);

/** A part of a change of the state, with its new value. */
export type StateEntry = Readonly<z.output<typeof stateEntrySchema>>;

/** A save in a journal. */
export const journaledSaveSchema = z.object({
  serial: z.int().min(1),
  changes: z.array(stateEntrySchema),
});

/** The keys of all resources that a state knows by their ID, each with its address. */
export function addressesById({ entries }: Pick<RoutingState, "entries">): Map<string, Address> {
  const found = new Map<string, Address>();
  for (const [address, { id }] of entries) {
    if (id !== undefined) found.set(recordKey(kindOf(address), id), address);
  }
  return found;
}

/** The kind of a resource by its address. */
export function kindOf(address: Address): ResourceKind {
  return address.slice(0, address.indexOf("/")) as ResourceKind;
}

/** Makes the target of a base URL and a project. */
export function stateTarget(baseUrl: string, project: string): StateTarget {
  const { origin, pathname } = new URL(baseUrl);
  return { origin, basePath: pathname.replace(/\/+$/u, ""), project };
}

/** Makes the empty state of a target. Its first save has serial 1. */
export function newState(target: StateTarget, lineage: string, key: string): RoutingState {
  const none = { entries: new Map(), left: new Map(), marks: new Map() };
  return { lineage, serial: 0, target, key, ...none };
}

/**
 * Refuses the state of another target, with which everything would be created again.
 * @throws {ConflictError} that names both targets
 */
export function assertSameTarget({ target: own }: RoutingState, target: StateTarget): void {
  if (isSameTarget(own, target)) return;
  const data = { state: own, target };
  throw routingErrors.state_of_another_target(describeTarget(own), describeTarget(target), data);
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
