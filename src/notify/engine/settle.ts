import { AmpError, ConflictError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { timeFields } from "../../values/service-clock.ts";
import { type Address, addressOf, addressParts, recordKey, splitField } from "../model/address.ts";
import { deleteResource } from "../model/operations.ts";
import { type LiveRecord, RESOURCES, type ResourceKind } from "../model/resource.ts";
import { type ExistingIds, resourceAt } from "../model/routing.ts";
import { isDigest, listedField } from "../plan/compare.ts";
import type { LiveIndex, LiveRouting, Observation } from "../plan/live.ts";
import { type SettleRow, settlement, type WriteEvidence } from "../plan/table.ts";
import { entryAt, type Place, partAt, placeName, withoutIntent } from "../state/change.ts";
import { updatedEntry } from "../state/edit.ts";
import { type Entry, kindOf, type Pending } from "../state/state.ts";
import { type Observer, observe } from "./observe.ts";
import type { Run } from "./run.ts";
import { deleteOutcomeOf } from "./send.ts";

/**
 * Settles what was begun. In: the places of writes of unknown outcome, of earlier runs and of this
 * one. Out: the state without them. What cannot be settled is in the outcomes as unknown, and ends
 * the run.
 */
interface SettleResult {
  /** The creates that were not done: a later one has the same Idempotency-Key. */
  readonly notDone: ReadonlyMap<Address, Pending>;
}

/** A write of unknown outcome. */
interface Open {
  readonly place: Place;
  readonly entry: Entry & { readonly pending: Pending };
}

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;
/** The number of times that the list is read after the last horizon: a list may fail. */
const LATE_LOOKS = 4;

/** The places of all writes of unknown outcome. */
export function openPlaces({ manager: { state } }: Pick<Run, "manager">): Place[] {
  return [
    ...[...state.entries].flatMap(([address, { pending }]) => (pending ? [{ address }] : [])),
    ...[...state.left].flatMap(([left, { address, pending }]) =>
      pending ? [{ address, left }] : [],
    ),
  ];
}

/**
 * Settles writes of unknown outcome by the table, looking at the lists until each horizon has passed.
 * @param isOwn whether this run sent them
 */
export async function settle(
  run: Run,
  places: readonly Place[],
  isOwn = false,
): Promise<SettleResult> {
  const { ports, manager } = run;
  const notDone = new Map<Address, Pending>();
  const opens = () =>
    places.flatMap((place): Open[] => {
      const entry = entryAt(manager.state, place);
      return entry?.pending && !isStuck(run, place)
        ? [{ place, entry: { ...entry, pending: entry.pending } }]
        : [];
    });
  const { patienceMs = Number.POSITIVE_INFINITY } = ports.options;
  const enough = ports.elapsed() + patienceMs;
  let wait = FIRST_WAIT_MS;
  for (let lateLooks = 0; ; ) {
    const open = opens();
    if (open.length === 0) break;
    const { seen, failure } = await tryToObserve(observerOf(run));
    const last = Math.max(
      ...open.map((one) => run.horizons.of(placeName(one.place), one.entry.pending)),
    );
    const isEnough = ports.elapsed() >= enough;
    if (ports.elapsed() >= last) lateLooks += 1;
    if (seen) for (const one of open) await settleOne(run, one, seen, { notDone, isOwn, isEnough });
    const still = opens();
    if (still.length === 0) break;
    if (ports.signal.aborted || isEnough || lateLooks >= LATE_LOOKS) {
      for (const one of still) markUnknown(run, one, isOwn);
      break;
    }
    if (wait === FIRST_WAIT_MS) reportWaiting(run, still, { failure, enough });
    const most = Math.max(1, Math.min(last, enough) - ports.elapsed());
    await ports.sleep(lateLooks > 0 ? wait : Math.min(wait, most), ports.signal).catch(() => {});
    wait = Math.min(2 * wait, LONGEST_WAIT_MS);
  }
  return { notDone };
}

/** The observer of a run. */
export function observerOf({ ports, manager, horizons }: Run): Observer {
  return { ports, state: manager.state, horizons };
}

async function tryToObserve(observer: Observer) {
  try {
    return { seen: await observe(observer), failure: undefined };
  } catch (failure) {
    if (!(failure instanceof AmpError)) throw failure;
    return { seen: undefined, failure };
  }
}

/** Whether only the user can settle a write, or its delete failed: the run ends. */
function isStuck({ outcomes }: Run, { address }: Place): boolean {
  return outcomes.unknown.has(address) || outcomes.failed.some((one) => one.address === address);
}

async function settleOne(
  run: Run,
  open: Open,
  seen: Observation,
  {
    notDone,
    isOwn,
    isEnough,
  }: {
    readonly notDone: Map<Address, Pending>;
    readonly isOwn: boolean;
    readonly isEnough: boolean;
  },
): Promise<void> {
  const { place, entry } = open;
  const { op } = entry.pending;
  const found = evidenceIn(run, open, seen);
  if (found === undefined) return;
  const isPast = isEnough && op === "delete";
  const evidence = isPast ? ({ ...found.evidence, time: "past" } as const) : found.evidence;
  const { outcome } = settlement(evidence);
  if (outcome === "wait") return;
  if (outcome === "stop") return markUnknown(run, open, isOwn, found.records);
  if (op === "create") {
    const [record] = found.records;
    if (outcome === "not done" || record === undefined) {
      notDone.set(place.address, entry.pending);
      await run.manager.note(withoutIntent(place));
      const others = found.records.map((one) => ({ address: calledBy(place, one), id: one.id }));
      return run.outcomes.absent(place, { entry, isOwn, others });
    }
    return createDone(run, open, { record, outcome, isOwn });
  }
  const isOther = found.evidence.look === "otherwise";
  if (op === "update") return settleUpdate(run, open, outcome, { isOwn, isOther, seen });
  return settleDelete(run, open, outcome, isOwn);
}

/** What the list shows of a write; undefined where it has a record of its key without an ID. */
function evidenceIn(...input: Parameters<typeof evidenceOf>) {
  try {
    return evidenceOf(...input);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    return undefined;
  }
}

/**
 * What the list shows of a write, in the words of the table.
 * @throws {ConflictError} where a record of its key has no ID
 */
function evidenceOf(
  run: Run,
  { place, entry }: Open,
  { live, index, isYoung }: Observation,
): { readonly evidence: WriteEvidence; readonly records: readonly LiveRecord[] } {
  const { pending } = entry;
  const at = placeName(place);
  const time = isYoung(at, pending) ? "within" : "past";
  const facts = { op: pending.op, time, lists: index === undefined ? "no" : "yes" } as const;
  const kind = kindOf(place.address);
  if (index === undefined || live === undefined) {
    return { evidence: { ...facts, look: "-", sure: pending.created ? "yes" : "no" }, records: [] };
  }
  if (pending.op === "create") {
    const found = findCreated(run, place.address, { ...entry, pending }, { live, index });
    const sure = pending.created ? "yes" : "no";
    return { evidence: { ...facts, look: found.look, sure }, records: found.records };
  }
  const record = index.byId(kind, entry.id ?? "");
  if (pending.op === "update") {
    // guard: the values after an update
    const look = record === undefined ? "gone" : shownOf(run, entry, [record, live[kind]]);
    return { evidence: { ...facts, look, sure: "no" }, records: [] };
  }
  // What was found, or confirmed by its ID, may have been made a moment before.
  const made = entry.madeAt ?? entry;
  const isOld = made.time !== undefined && !isYoung(`${at} made`, made);
  const look = record === undefined ? "not listed" : "listed";
  return { evidence: { ...facts, look, sure: isOld ? "yes" : "no" }, records: [] };
}

/** What of the values of an update a record shows. */
function shownOf(
  { manager: { state } }: Run,
  { pending: { fields = {}, name } }: Open["entry"],
  [record, all]: readonly [LiveRecord, readonly LiveRecord[]],
): WriteEvidence["look"] {
  const shown = Object.entries(fields).map(([path, sent]) => {
    const has = path.startsWith("secrets.") ? "unseen" : listedField(state.key, record, path);
    return has === sent || (isDigest(has) && !isLeftOut(record, path, all) ? false : undefined);
  });
  if (name !== undefined) shown.push(record.name ? record.name === name : undefined);
  if (shown.includes(false)) return "otherwise";
  return shown.length === 0 || shown.includes(undefined) ? "unshown" : "sent";
}

interface Lists {
  readonly live: LiveRouting;
  readonly index: LiveIndex;
}

/** The records that a create may have made: what is new, of its key, and with the values it sent. */
function findCreated(
  run: Run,
  address: Address,
  { key = [], fields, pending }: Open["entry"],
  { live, index }: Lists,
): { readonly look: WriteEvidence["look"]; readonly records: readonly LiveRecord[] } {
  const { kind } = addressParts(address);
  const { state } = run.manager;
  const isNew = (record: LiveRecord) =>
    !(pending.before ?? []).includes(record.id) &&
    run.outcomes.addressOf(kind, record.id) === undefined &&
    !state.left.has(recordKey(kind, record.id)) &&
    !isMadeBefore(record, pending);
  const resource = resourceAt(address);
  const ids = endsAsSent(kind, resource.names, key);
  const listed = [
    ...index.matches(resource, ids),
    ...index.candidates(resource, ids),
    ...index.lookalikes(resource, ids),
  ];
  const fresh = [...new Set(listed)].filter(isNew);
  const hidden = new Set(index.candidates(resource, ids));
  const judged = fresh.map((record) => ({
    record,
    says: judge(state.key, fields, record, live[kind]),
  }));
  const own = judged.filter(({ says }) => says !== "other");
  const records = own.map(({ record }) => record);
  const [one, another] = own;
  if (another !== undefined) return { look: "several", records };
  if (one !== undefined) {
    const isBare = one.says === "bare" || hidden.has(one.record);
    return { look: isBare ? "bare" : "one", records };
  }
  const renamed = renamedTo(run, kind, live[kind], { fields, pending }).filter(isNew);
  const look = kind === "topic" ? "other" : "renamed";
  if (renamed.length > 0) return { look, records: renamed };
  return { look: judged.length > 0 ? "other" : "nothing", records: fresh };
}

/** The address of what a create may have made: a topic may have another name by now. */
function calledBy({ address }: Place, { name }: LiveRecord): Address {
  return name && kindOf(address) === "topic" ? addressOf("topic", name) : address;
}

/** The IDs of a route's topic and destination, as they were sent. */
function endsAsSent(
  kind: ResourceKind,
  names: readonly string[],
  key: readonly string[],
): ExistingIds {
  return new Map(
    RESOURCES[kind].key.flatMap(({ references }, at): [Address, string][] => {
      const [id, name] = [key[at], names[at]];
      return references && id && name ? [[addressOf(references, name), id]] : [];
    }),
  );
}

/** Whether the service says that a record was made before a create was sent. */
function isMadeBefore({ createTime }: LiveRecord, { since }: Pending): boolean {
  const made = Date.parse(createTime ?? "");
  return since !== undefined && made < Date.parse(since);
}

/** Whether a record shows all that was sent, only a part of it, or something else. */
function judge(
  key: string,
  fields: Entry["fields"],
  record: LiveRecord,
  listed: readonly LiveRecord[],
): "one" | "bare" | "other" {
  let says: "one" | "bare" = "one";
  for (const [path, [sent]] of Object.entries(fields)) {
    const shown = path.startsWith("secrets.") ? "unseen" : listedField(key, record, path);
    if (isDigest(shown) && shown === sent) continue;
    // guard: the values of what may be created
    if (isDigest(shown) && !isLeftOut(record, path, listed)) return "other";
    says = "bare";
  }
  return says;
}

/** Whether a list leaves a field of metadata out, of all records of a type. */
function isLeftOut({ type }: LiveRecord, path: string, listed: readonly LiveRecord[]): boolean {
  const { part, key } = splitField(path);
  if (key === undefined) return false;
  return !listed.some((one) => one.type === type && Object.hasOwn(Object(one[part]), key));
}

/**
 * Records with all the values of a create under another name. A topic has no values: it is only
 * told, and only if it was made while the create could be done.
 */
function renamedTo(
  { manager, ports }: Run,
  kind: ResourceKind,
  listed: readonly LiveRecord[],
  { fields, pending }: Pick<Open["entry"], "fields" | "pending">,
): readonly LiveRecord[] {
  const isTopic = kind === "topic";
  const hasValues = Object.keys(fields).some((path) => path.startsWith("metadata."));
  if (!(isTopic || hasValues) || pending.since === undefined) return [];
  const { time, serviceTime = time } = pending;
  // Its clock counts whole seconds.
  const done = Date.parse(serviceTime) + ports.options.commitHorizonMs + 1_000;
  const last = isTopic ? done : Number.POSITIVE_INFINITY;
  const { key, entries } = manager.state;
  const isIt = (one: LiveRecord) =>
    // Without the time of its making, it may be anybody's.
    Date.parse(one.createTime ?? "") <= last &&
    // What has the name of another create is that one's.
    entries.get(addressOf(kind, one.name ?? ""))?.pending?.op !== "create" &&
    judge(key, fields, one, listed) === "one";
  return listed.filter(isIt);
}

/**
 * Whether the list shows now what a create of this run has made, although the service refused it; it
 * is saved then.
 */
export async function createdNow(run: Run, place: Place, entry: Open["entry"]): Promise<boolean> {
  const { seen } = await tryToObserve(observerOf(run));
  if (!seen?.index || !seen.live) return false;
  const found = findCreated(run, place.address, entry, { live: seen.live, index: seen.index });
  const [record] = found.records;
  if (found.look !== "one" || record === undefined) return false;
  await createDone(run, { place, entry }, { record, outcome: "done", isOwn: true });
  return true;
}

async function createDone(
  run: Run,
  { place, entry }: Open,
  found: {
    readonly record: LiveRecord;
    readonly outcome: SettleRow["outcome"];
    readonly isOwn: boolean;
  },
): Promise<void> {
  const { record, outcome, isOwn } = found;
  const { key } = run.manager.state;
  const { pending, ...rest } = entry;
  // Another replica of the service may not list it yet.
  run.horizons.start(placeName(place));
  const moment = timeFields(run.ports);
  const { temporary } = run.ports;
  // The name of temporary routing is random: only amp has made what has it.
  const isFound = outcome === "found" && (temporary === undefined || rest.key?.[0] !== temporary);
  const fields = Object.entries(rest.fields).map(([path, [sent]]): [string, [string, string]] => {
    const listed = path.startsWith("secrets.") ? "unseen" : listedField(key, record, path);
    return [path, isFound && !isDigest(listed) ? ["unknown", "unseen"] : [sent, listed]];
  });
  const made = {
    ...rest,
    id: record.id,
    fields: Object.fromEntries(fields),
    made: isFound ? "found" : "amp",
    ...moment,
    ...(isFound ? {} : { madeAt: moment }),
    ...defined({ requestId: pending.requestId }),
  } as const;
  const { outcomes, owner } = run;
  const error = outcomes.errors.get(placeName(place));
  const change = { action: "created", address: place.address, id: record.id } as const;
  await outcomes.record(place, made, { outcome: "created", earlier: true, sent: isOwn, change });
  // Nothing shows all that was sent, so the next run sends it; a single create says it by itself.
  if (isOwn && owner !== "person" && fields.some(([, [sent]]) => sent === "unknown"))
    outcomes.markUnknown(place, { error, isUpdate: true, sent: true });
}

async function settleUpdate(
  run: Run,
  { place, entry }: Open,
  outcome: SettleRow["outcome"],
  {
    isOwn,
    isOther,
    seen,
  }: { readonly isOwn: boolean; readonly isOther: boolean; readonly seen: Observation },
): Promise<void> {
  const { address } = place;
  const { id = "", pending } = entry;
  if (outcome === "done") {
    const change = { action: "updated", address, id } as const;
    // Past its horizon, no list is older than it.
    const { time, serviceTime } = pending;
    const done = { ...updatedEntry(entry, defined({ time, serviceTime })), id };
    await run.outcomes.record(place, done, { outcome: "updated", sent: isOwn, change });
    return;
  }
  // What the service has is not known: the file's values are sent again.
  const unknown = Object.keys({ ...pending.fields, ...(pending.name ? { name: "" } : {}) });
  const { pending: _, ...rest } = entry;
  const listed = seen.index?.byId(kindOf(address), id)?.name;
  const sent = unknown
    .filter((path) => path !== "name" || !listed)
    .map((path): [string, [string, string]] => [path, ["unknown", "unseen"]]);
  // Unlisted, it may have either name: it is found by its address and by its key.
  const isAtNewName = addressParts(address).names[0] === pending.name;
  const name = pending.name && (listed ?? (isAtNewName ? undefined : pending.name));
  const fields = { ...rest.fields, ...Object.fromEntries(sent) };
  const next: Entry = { ...rest, ...(name ? { key: [name] } : {}), fields };
  await run.manager.note(() => [partAt(place, next)]);
  if (!isOwn) return;
  const { requestId } = pending;
  if (isOther) run.outcomes.notWritten(place, { write: "update", requestId });
  // Nothing shows whether it was done.
  else run.outcomes.markUnknown(place, { requestId, isUpdate: true, sent: true });
}

async function settleDelete(
  run: Run,
  { place, entry }: Open,
  outcome: SettleRow["outcome"],
  isOwn: boolean,
): Promise<void> {
  const { id = "", pending } = entry;
  if (outcome === "again") return deleteAgain(run, place, id);
  if (outcome === "done") return run.outcomes.remove(place, id);
  await run.manager.note(withoutIntent(place));
  // What it used may not be deleted now.
  if (isOwn) run.outcomes.notWritten(place, { write: "delete", requestId: pending.requestId });
}

/** Sends a delete again that may have been done, where no list can tell: a 404 is done. */
async function deleteAgain(run: Run, place: Place, id: string): Promise<void> {
  const { ports, outcomes, manager } = run;
  const { address } = place;
  try {
    await ports.assertMayWrite?.();
    await deleteResource(ports, kindOf(address), id);
    return await outcomes.remove(place, id);
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    const outcome = deleteOutcomeOf(error, ports.signal);
    if (outcome === "gone") return outcomes.remove(place, id);
    if (outcome === "refused") return manager.note(withoutIntent(place));
    outcomes.failed.push({ address, error, write: "delete", sent: true, isOpen: true });
  }
}

function markUnknown(
  run: Run,
  { place, entry: { pending } }: Open,
  isOwn: boolean,
  records: readonly LiveRecord[] = [],
): void {
  const { requestId, created, op } = pending;
  if (op === "delete") {
    const failed = { address: place.address, error: run.outcomes.errors.get(placeName(place)) };
    run.outcomes.failed.push({ ...failed, write: "delete", sent: isOwn, isOpen: true });
    return;
  }
  const ids = records.length > 0 ? { ids: records.map(({ id }) => id).sort() } : {};
  const facts = { requestId, created, isUpdate: op === "update", sent: isOwn, ...ids };
  run.outcomes.markUnknown(place, facts);
}

/**
 * @param options.failure why the list could not be read, if so
 * @param options.enough until when at most is waited
 */
function reportWaiting(
  { ports, horizons }: Run,
  still: readonly Open[],
  { failure, enough }: { readonly failure: unknown; readonly enough: number },
): void {
  for (const { place, entry } of still) {
    const until = Math.min(enough, horizons.of(placeName(place), entry.pending));
    const ms = Math.max(0, until - ports.elapsed());
    const why =
      failure instanceof Error
        ? `cannot be looked up: ${failure.message}`
        : WAITS_FOR[entry.pending.op];
    ports.onEvent({ type: "waiting", address: place.address, ms, why, horizon: true });
  }
}

const WAITS_FOR = {
  create: "not listed yet, and may still be created",
  update: "may still be updated",
  delete: "may still be deleted",
} as const satisfies Record<Pending["op"], string>;
