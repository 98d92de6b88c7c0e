import { isUnavailable } from "../../api/operations/optional-operation.ts";
import { AmpError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { type SuggestedCommand, suggest } from "../../values/suggested-command.ts";
import { routingErrors } from "../errors.ts";
import { type Address, recordKey, splitField } from "../model/address.ts";
import { listResources } from "../model/operations.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "../model/resource.ts";
import { type ExistingIds, keyFieldsOf, type Resource } from "../model/routing.ts";
import { sentFields } from "../plan/compare.ts";
import { KnownEntries } from "../plan/known-entries.ts";
import { indexOfKind } from "../plan/live.ts";
import { entryAt, type Place, partAt, placeName, placesOfId, withLists } from "../state/change.ts";
import {
  type ActTime,
  type Entry,
  kindOf,
  type Pending,
  type RoutingState,
} from "../state/state.ts";
import { bareReceipt, failedRunError } from "./failure.ts";
import { type Run, withRun } from "./run.ts";
import { openPlaces, settle } from "./settle.ts";
import type { EnginePorts, Receipt } from "./types.ts";
import { writeAll } from "./write.ts";
import type { PlannedWrite } from "./write-one.ts";

/**
 * The writes of single commands: they ask nothing of the state, and write it as an apply does, so
 * that a later one knows what they did. What they create is a person's.
 */

/** A resource that a single command has created. */
interface CreatedOne {
  readonly id: string;
  /** Whether the service lists such resources: else an equal route may have existed. */
  readonly isListed: boolean;
  /** The record as the service answered; absent where its answer shows none. */
  readonly record: LiveRecord | undefined;
}

/**
 * Creates a resource.
 * @param ids the IDs of a route's topic and destination
 * @throws {PartialError} where it is unknown whether it was created
 * @throws {ConflictError} where an equal route is listed: the service would create a second one
 * @throws {AmpError} the service's refusal
 */
export function createSingle(
  ports: EnginePorts,
  resource: Resource,
  ids: ExistingIds,
): Promise<CreatedOne> {
  return withRun(ports, "person", async (run) => {
    const { address, kind } = resource;
    const ends = new Set(ids.values());
    const equal = new Set(placesOfSame(run, resource, ids).map(placeName));
    // Also one beside an entry of its address: the resource of that one may be gone; and one of a
    // route whose ends were typed otherwise. And a delete of what a route connects: it would come
    // later, and take the route's end away.
    const earlier = openPlaces(run).filter((one) => {
      const { id = "", pending } = entryAt(run.manager.state, one) ?? {};
      if (pending?.op === "delete") return ends.has(id);
      return (one.address === address || equal.has(placeName(one))) && pending?.op === "create";
    });
    const settled = await settle(run, earlier);
    const [notDone]: Iterable<Pending | undefined> = settled.notDone.values();
    await throwIfStopped(run, address);
    const found = run.outcomes.settled.find(({ id }) => id !== undefined);
    if (found?.id !== undefined) {
      assertAsTyped(run, resource, found.id);
      return { id: found.id, record: undefined, isListed: true };
    }
    // A list that fails would hide an equal route, and what there was before.
    const listed = await listResources(ports, kind).catch((error: unknown) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
    const index = listed && indexOfKind(kind, listed);
    const before = index ? index.matches(resource, ids).map(({ id }) => id) : [];
    // A name that is taken is for the service to judge; and a list may still show what was deleted.
    const isRoute = RESOURCES[kind].key.some(({ references }) => references !== undefined);
    const { marks } = run.manager.state;
    const isDeleted = (one: string) => {
      const mark = marks.get(recordKey(kind, one));
      return mark?.was === "deleted" && isYoung(run, recordKey(kind, one), mark);
    };
    const same = before.find((one) => !isDeleted(one)) ?? youngId(run, resource, ids);
    if (isRoute && same !== undefined) throw routingErrors.route_exists(address, same);
    if (index) await run.manager.prepare(withLists(true));
    const place = freePlace(run, address, `${kind} ?${ports.uuid()}`);
    // One that arrives late is the same create to a service that knows the key.
    const key = defined({ idempotencyKey: notDone?.idempotencyKey });
    const write = { op: "create", place, resource, ids, before, index, ...key } as const;
    await writeAll(run, [write], index !== undefined);
    await throwIfStopped(run, address);
    const [made] = run.outcomes.settled;
    if (made?.earlier && made.id !== undefined) assertAsTyped(run, resource, made.id);
    const record = run.records.get(placeName(place));
    return { id: made?.id ?? "", record, isListed: index !== undefined };
  });
}

/**
 * Checks what a create whose answer was lost has made. An apply sends again what no list shows; a
 * single command would create another one, so it says what to send.
 * @throws {PartialError} for values that no list shows
 * @throws {ConflictError} for values that an earlier command sent otherwise
 */
function assertAsTyped({ manager: { state } }: Run, resource: Resource, id: string): void {
  const { kind, address } = resource;
  const [place] = placesOfId(state, kind, id);
  const { fields = {} } = (place && entryAt(state, place)) ?? {};
  const typed = sentFields(state.key, resource);
  const paths = [...new Set([...Object.keys(fields), ...Object.keys(typed)])];
  const other = paths.filter((path) => fields[path]?.[0] !== typed[path]?.[0]);
  const unknown = other.filter((path) => fields[path]?.[0] === "unknown");
  if (other.length > unknown.length)
    throw routingErrors.created_earlier_otherwise(address, id, other, setAgain(id, other));
  if (unknown.length > 0)
    throw routingErrors.create_not_shown(address, id, unknown, setAgain(id, unknown));
}

/** The command that sets values of a destination: other kinds have none. */
function setAgain(id: string, paths: readonly string[]): SuggestedCommand {
  const of = (wanted: string, value: string) =>
    paths.flatMap((path) => {
      const { part, key } = splitField(path);
      return part === wanted && key !== undefined ? [`${key}=${value}`] : [];
    });
  const [metadata, secret] = [of("metadata", "VALUE"), of("secrets", "env:VARIABLE")];
  if (metadata.length + secret.length === 0) return suggest("notify destinations get", [id]);
  return suggest("notify destinations update", [id], { metadata, secret });
}

/** Whether amp did something less than a horizon ago: a list may not show it yet. */
function isYoung({ horizons, ports }: Run, at: string, { time, serviceTime }: ActTime): boolean {
  return horizons.of(at, defined({ time, serviceTime })) > ports.elapsed();
}

/** The ID of what amp made with these ends less than a horizon ago. */
function youngId(run: Run, resource: Resource, ids: ExistingIds): string | undefined {
  const { state } = run.manager;
  const made = placesOfSame(run, resource, ids).find((place) => {
    const { time, serviceTime, pending } = entryAt(state, place) ?? {};
    if (time === undefined || pending !== undefined) return false;
    return isYoung(run, placeName(place), defined({ time, serviceTime }));
  });
  return made && entryAt(state, made)?.id;
}

/** Where the state has what was sent with the name, or the ends, of a resource. */
function placesOfSame(run: Run, resource: Resource, ids: ExistingIds): readonly Place[] {
  const { kind } = resource;
  const fields = keyFieldsOf(resource, ids);
  const key = RESOURCES[kind].key.map(({ field }) => fields[field]);
  return new KnownEntries(run.manager.state).placesOfKey(kind, key);
}

/** The address, or the place of an entry that another one at the address keeps out of it. */
function freePlace({ manager: { state } }: Run, address: Address, left: string): Place {
  return state.entries.has(address) ? { address, left } : { address };
}

/** A change of one resource by its ID. */
interface SingleUpdate {
  readonly resource: Resource;
  readonly id: string;
  /** The paths of the fields that are sent. */
  readonly mask: readonly string[];
  /** The name that the service lists. */
  readonly listedName: string;
  /** The address that an unknown resource gets in the state. */
  readonly address: Address;
}

/**
 * Changes fields of a resource by its ID.
 * @throws {PartialError} where it is unknown whether it was changed
 * @throws {AmpError} the service's refusal
 */
export function updateSingle(ports: EnginePorts, update: SingleUpdate): Promise<Receipt> {
  return withRun(ports, "person", async (run) => {
    const { resource, id, mask, listedName, address } = update;
    const { kind } = resource;
    // An earlier write that comes later would change again what this one changes.
    await settle(run, begunAt(run, [{ address, kind, id }]));
    await throwIfStopped(run, address);
    const place = await placeFor(run, { address, kind, id }, [listedName]);
    const write = { op: "update", place, resource, ids: new Map(), id, mask } as const;
    await writeAll(run, [write], true);
    await throwIfStopped(run, place.address);
    await moveRenamed(run, place, resource);
    const { lists = true } = run.manager.state;
    return bareReceipt(run, run.outcomes.settled, { lists });
  });
}

/** The entry of a person's resource follows its new name; that of a file stays where the file has it. */
async function moveRenamed({ manager }: Run, place: Place, { address }: Resource): Promise<void> {
  const entry = entryAt(manager.state, place);
  const isMoved =
    entry?.owner === "person" && place.left === undefined && place.address !== address;
  if (!isMoved || manager.state.entries.has(address)) return;
  await manager.note(() => [partAt(place, null), ["entry", address, entry]]);
}

/** A resource to delete. */
export interface Deletion {
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly id: string;
}

/**
 * Deletes resources by their IDs, one after another.
 * @param hasLists whether the service lists them
 * @param saved the state as it was when the user was asked
 * @throws {PartialError} where an outcome is unknown, or only some were deleted
 * @throws {AmpError} the service's refusal, where nothing was deleted
 */
export function deleteSingle(
  ports: EnginePorts,
  deletions: readonly Deletion[],
  hasLists: boolean,
  saved: RoutingState | undefined,
): Promise<readonly Pick<Deletion, "address" | "id">[]> {
  return withRun(ports, "person", async (run) => {
    const begun = [...begunAt(run, deletions), ...routesBegun(run, deletions)];
    await settle(run, [...new Map(begun.map((place) => [placeName(place), place])).values()]);
    assertUnused(run, deletions, saved);
    for (const one of deletions) {
      if (run.outcomes.isStopped) break;
      if (run.outcomes.deleted.some(({ id }) => id === one.id)) continue;
      const isKnown = placesOfId(run.manager.state, one.kind, one.id).length > 0;
      const place = await placeFor(run, one);
      const write: PlannedWrite = { op: "delete", place, id: one.id, hasLists };
      await writeAll(run, [write], true);
      // What amp knew only for this delete, and was not deleted, is not its to keep.
      const entry = entryAt(run.manager.state, place);
      if (!isKnown && entry && !entry.pending) await run.manager.note(() => [partAt(place, null)]);
    }
    await throwIfStopped(run, ...deletions.map(({ address }) => address));
    return run.outcomes.deleted;
  });
}

/** The places of resources with a write of unknown outcome, also with a create that may have made one. */
function begunAt({ manager }: Run, all: readonly Deletion[]): readonly Place[] {
  const ids = new Set(all.map(({ id }) => id));
  const unknown = all.filter(({ kind, id }) => placesOfId(manager.state, kind, id).length === 0);
  return openPlaces({ manager }).filter((place) => {
    const { id } = entryAt(manager.state, place) ?? {};
    return id ? ids.has(id) : unknown.some(({ address }) => address === place.address);
  });
}

/** The places of routes at these resources whose create has an unknown outcome. */
function routesBegun(run: Run, all: readonly Deletion[]): readonly Place[] {
  const ids = new Set(all.map(({ id }) => id));
  return openPlaces(run).filter((place) => {
    const { pending, key = [] } = entryAt(run.manager.state, place) ?? {};
    return pending?.op === "create" && key.some((one) => ids.has(one));
  });
}

/**
 * Checks that no route came after the lists were read: nobody was asked about it.
 * @throws {ConflictError} if one did
 */
function assertUnused(
  { manager: { state } }: Run,
  all: readonly Deletion[],
  saved: RoutingState | undefined,
): void {
  const ids = new Set(all.map(({ id }) => id));
  const before = new KnownEntries(saved);
  const made = [...new KnownEntries(state).all()].flatMap(([{ address }, { id, key = [] }]) => {
    if (id === undefined || ids.has(id) || before.placeOf(kindOf(address), id)) return [];
    return key.some((one) => ids.has(one)) ? [address] : [];
  });
  const { address } = all.at(-1) as Deletion;
  if (made.length === 0) return;
  throw routingErrors.resource_in_use(address, "is", `Routes: ${made.join(", ")}`, "delete it", {
    done: "Nothing was deleted.",
  });
}

/** The place of a resource in the state, which gets an entry for it where it has none. */
async function placeFor(
  run: Run,
  { address, kind, id }: Deletion,
  key?: readonly string[],
): Promise<Place> {
  const { manager } = run;
  const [known] = placesOfId(manager.state, kind, id);
  if (known !== undefined) return known;
  const place = freePlace(run, address, recordKey(kind, id));
  const entry: Entry = {
    id,
    owner: "person",
    made: "found",
    fields: {},
    ...(key && { key }),
  };
  await manager.prepare(() => [partAt(place, entry)]);
  return place;
}

/** Throws what ended a single command: a refusal as the service said it. */
async function throwIfStopped(run: Run, ...addresses: readonly Address[]): Promise<void> {
  if (!run.outcomes.isStopped) return;
  const { failed, unknown, deleted, rescued } = run.outcomes;
  const [refused] = failed;
  const isAlone = unknown.size + deleted.length + rescued.length === 0 && failed.length === 1;
  if (isAlone && refused && !refused.isOpen && !run.ports.signal.aborted) {
    const { error, write } = refused;
    if (write !== "delete" || !(error instanceof AmpError)) throw error;
    throw error.setFacts({ done: "Nothing was deleted." });
  }
  throw await failedRunError(run, addresses, addresses.length);
}
