import { AmpError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { timeFields } from "../../values/service-clock.ts";
import { recordKey } from "../model/address.ts";
import { createdFacts } from "../model/operations.ts";
import { type LiveRecord, RESOURCES } from "../model/resource.ts";
import { keyFieldsOf } from "../model/routing.ts";
import { compare, isDigest, knownFields, listedField, sentFields } from "../plan/compare.ts";
import {
  changeEntry,
  entryAt,
  type Place,
  partAt,
  placeName,
  withoutIntent,
  withoutPending,
} from "../state/change.ts";
import { updatedEntry } from "../state/edit.ts";
import { type Entry, INSTEAD, kindOf, type Pending } from "../state/state.ts";
import type { Run } from "./run.ts";
import {
  existingRecords,
  explainRefusedCreate,
  explainRefusedDelete,
  explainRefusedUpdate,
  sendOnce,
  type Write,
  type WriteOutcome,
} from "./send.ts";
import { createdNow } from "./settle.ts";
import type { EngineOptions } from "./types.ts";

/** A write with what is known of it before its intent. */
export type PlannedWrite = Write & {
  /** Of a create: IDs that must not be taken for its result. */
  readonly before?: readonly string[];
  /** Of a create: the Idempotency-Key of an earlier one that was not done. */
  readonly idempotencyKey?: string | undefined;
};

/** A write that is done; `saved` resolves, and never rejects, once the state has its result. */
interface WriteBeingSaved {
  readonly saved: Promise<"continue" | "stop">;
}

interface Begun {
  readonly planned: PlannedWrite;
  readonly entry: Entry & { readonly pending: Pending };
  readonly since: Date;
}

/**
 * Writes one resource. In: a planned write. Out: its intent is saved, the request was sent, and its
 * outcome is in the outcomes of the run; where it is unknown, its intent stays. A resource without an
 * outcome was not sent: a signal came first, or (`not-begun`) it was not allowed to begin.
 * @param begin resolves to true once the request may be sent; false: not in this run any more
 * @throws {unknown} any error that is not amp's own; the intent stays, and the next run settles it
 */
export async function writeOne(
  run: Run,
  planned: PlannedWrite,
  begin: () => Promise<boolean>,
): Promise<"stop" | "not-begun" | WriteBeingSaved> {
  const { signal } = run.ports;
  if (signal.aborted) return "stop";
  const { place } = planned;
  let begun: Begun = { planned, entry: begunEntry(run, planned), since: run.ports.now() };
  try {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const entry = await saveIntent(run, begun, attempt);
      begun = { ...begun, entry };
      if (attempt === 1) {
        if (!(await begin())) break;
        begun = { ...begun, since: run.ports.now() };
      }
      const next = await attemptWrite(run, begun, attempt);
      if (next !== "again") return next;
    }
    // No attempt is open: one whose outcome is not known has returned above, and keeps its intent.
    await run.manager.note(withoutIntent(place));
    return signal.aborted ? "stop" : "not-begun";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    // The state could not be saved, or the lock is lost: nothing was sent, or not again.
    run.outcomes.fail(place, { error, write: planned.op }, { sent: false });
    return "stop";
  }
}

/** The entry that says what is about to be sent. */
function begunEntry(run: Run, planned: PlannedWrite): Begun["entry"] {
  const { manager, owner, ports } = run;
  const { key } = manager.state;
  const moment = timeFields(ports);
  if (planned.op === "create") {
    const { resource, ids, before = [], idempotencyKey = ports.uuid() } = planned;
    const fields = keyFieldsOf(resource, ids);
    const since = ports.serviceTime()?.earliest;
    return {
      owner,
      made: "amp",
      fields: sentFields(key, resource),
      key: RESOURCES[resource.kind].key.map(({ field }) => fields[field] ?? ""),
      ...moment,
      pending: {
        op: "create",
        idempotencyKey,
        // guard: the IDs of before
        before: [...before],
        // Its clock counts whole seconds.
        ...(since === undefined ? {} : { since: new Date(since - 1_000).toISOString() }),
        ...moment,
      },
    };
  }
  const known = entryAt(manager.state, planned.place);
  if (known === undefined) throw new Error(`${planned.place.address} has no entry`);
  const paths = planned.op === "update" ? planned.mask : Object.keys(known.fields);
  const was = knownFields(key, known, planned.found, paths);
  if (planned.op === "delete") return { ...known, pending: { op: "delete", was, ...moment } };
  const { resource, mask } = planned;
  const sent = sentFields(key, resource);
  const fields = mask.flatMap((path) => (sent[path] ? [[path, sent[path][0]] as const] : []));
  const name = mask.includes("name") ? resource.names[0] : undefined;
  const pending = {
    op: "update",
    fields: Object.fromEntries(fields),
    ...defined({ name }),
    was,
    ...moment,
  };
  return { ...known, pending: pending as Pending };
}

/** Saves the intent anew for each attempt: its horizon counts from then. */
async function saveIntent(run: Run, { planned, entry }: Begun, attempt: number) {
  const { ports, manager } = run;
  const { options } = ports;
  // A killed run cannot say when its request ended: the intent has a time that is late enough, and
  // also leaves the write some time to wait for others.
  const ended = timeFields(ports, longestWriteMs(options) + options.answerMs);
  const intent = { ...entry, pending: { ...entry.pending, ...ended } };
  await ports.assertMayWrite?.();
  await manager.recordIntent(planned.place, intent);
  const { address } = planned.place;
  const key = entry.pending.idempotencyKey ?? "";
  if (attempt === 1 && planned.op !== "delete") ports.onEvent({ type: "intent", address, key });
  return intent;
}

/** The longest time that a write takes in the client: the service may have asked it to wait. */
function longestWriteMs({ answerMs, longestWaitMs = MAX_WAIT_MS }: EngineOptions): number {
  return longestWaitMs + answerMs;
}

/**
 * Whether an intent was saved so long ago that its request would end after the time that the intent
 * says: while the write waited for others, or the machine slept.
 */
function isOutdated({ ports }: Run, { serviceTime }: Pending): boolean {
  const now = ports.serviceTime();
  if (serviceTime === undefined || now === undefined) return false;
  return now.latest + longestWriteMs(ports.options) > Date.parse(serviceTime);
}

async function attemptWrite(
  run: Run,
  begun: Begun,
  attempt: number,
): Promise<"stop" | "again" | WriteBeingSaved> {
  const { ports, locked } = run;
  const { planned, entry } = begun;
  await locked.check().catch((error: unknown) => {
    // A signal ends the check, too; the caller handles it.
    if (!ports.signal.aborted) throw error;
  });
  if (ports.signal.aborted || isOutdated(run, entry.pending)) return "again";
  if (attempt > 1) {
    const saved = await madeAfterAll(run, begun);
    if (saved) return saved;
  }
  const answer = await sendOnce(run, planned, entry.pending);
  if (answer.kind === "done") return { saved: recordDone(run, begun, answer) };
  if (answer.kind === "unknown" || answer.kind === "foreign") return keepOpen(run, begun, answer);
  if (answer.kind === "retryable") {
    const wait = await waitBeforeRetry(run, begun, answer.error, attempt);
    if (wait === "again") return wait;
  }
  return settleRefused(run, begun, answer.error, attempt);
}

/**
 * A create that was refused for now may have been done all the same: it is looked for before it is
 * sent again.
 */
async function madeAfterAll(
  run: Run,
  { planned, entry }: Begun,
): Promise<WriteBeingSaved | undefined> {
  if (planned.op !== "create" || planned.index === undefined) return undefined;
  const isDone = await createdNow(run, planned.place, entry);
  return isDone ? { saved: Promise.resolve("continue") } : undefined;
}

type Done = Extract<WriteOutcome, { kind: "done" }>;

async function recordDone(run: Run, begun: Begun, done: Done): Promise<"continue" | "stop"> {
  const { planned, entry, since } = begun;
  const { id, requestId, answer } = done;
  const { outcomes, horizons, manager, ports } = run;
  const { place } = planned;
  const { address } = place;
  const at = placeName(place);
  horizons.start(at);
  if (planned.op === "delete") {
    horizons.start(`${address.slice(0, address.indexOf("/"))} ${id}`);
    await outcomes.remove(place, id);
    return outcomes.rescued.length > 0 ? "stop" : "continue";
  }
  const { key } = manager.state;
  const moment = timeFields(ports);
  if (answer) run.records.set(at, answer);
  const sent =
    planned.op === "update" ? updatedEntry(entry, moment) : { ...withoutPending(entry), ...moment };
  const next = {
    ...sent,
    ...(answer && { fields: answeredFields(key, sent, entry.pending, answer) }),
    id,
    ...defined({ requestId }),
  };
  const { notKept } = compare(key, planned.resource, next, answer);
  const differences = notKept.length > 0 ? notKept : undefined;
  const facts = { requestId, since, sent: true, ...defined({ differences }) };
  if (planned.op === "update") {
    const change = { action: "updated", address, id } as const;
    return outcomes.record(place, next, { ...facts, outcome: "updated", change });
  }
  horizons.start(`${at} made`);
  const made = { ...next, madeAt: moment };
  const change = { action: "created", address, id } as const;
  const own = ownPlace(place, id);
  const saved = outcomes.record(own, made, { ...facts, outcome: "created", change });
  // In the same save: between two, a kill would leave the ID in no state.
  if (own !== place) manager.note(() => [partAt(place, null)]).catch(() => {});
  return saved;
}

/** The place of what was created: beside another entry of its address it is known by its ID. */
function ownPlace(place: Place, id: string): Place {
  if (place.left === undefined) return place;
  return { ...place, left: recordKey(kindOf(place.address), id) };
}

/** Fields with what the answer shows in place of what was sent: that is not sent again. */
function answeredFields(
  key: string,
  { fields }: Entry,
  { fields: changed }: Pending,
  answer: LiveRecord,
): Entry["fields"] {
  const shown = Object.entries(fields).map(([path, [sent, before]]): [string, [string, string]] => {
    const isSent = changed === undefined || path in changed;
    const listed = path.startsWith("secrets.") ? "unseen" : listedField(key, answer, path);
    const isOther = isSent && isDigest(listed) && listed !== sent;
    return [path, [sent, isOther ? INSTEAD + listed : before]];
  });
  return Object.fromEntries(shown);
}

async function keepOpen(
  run: Run,
  { planned, since }: Begun,
  { kind, error }: Extract<WriteOutcome, { kind: "unknown" | "foreign" }>,
): Promise<"stop"> {
  const { place } = planned;
  const { requestId } = error.facts;
  const created = createdFacts(error)?.id === null || undefined;
  run.horizons.start(placeName(place));
  // Nothing may be routed to what was answered. The state has it as unknown: the next run looks it up.
  if (kind === "foreign") {
    run.outcomes.fail(place, { error, write: "create" }, { requestId, since, sent: true });
  } else run.outcomes.errors.set(placeName(place), error);
  const facts = { ...timeFields(run.ports), ...defined({ created, requestId }) };
  const change = changeEntry(place, (entry) =>
    entry.pending ? { ...entry, pending: { ...entry.pending, ...facts } } : entry,
  );
  // Where this cannot be saved, the saved intent says nearly the same.
  await run.manager.note(change).catch(() => {});
  return "stop";
}

/** Resolves a write that was refused: unless it is done all the same, its intent is dropped. */
async function settleRefused(
  run: Run,
  begun: Begun,
  error: AmpError,
  attempt: number,
): Promise<"stop" | WriteBeingSaved> {
  const { planned, since, entry } = begun;
  const { requestId } = error.facts;
  const give = async (why: AmpError) => {
    const failure = { error: why, write: planned.op };
    await run.outcomes.giveUp(planned.place, failure, { requestId, since, sent: true });
    return "stop" as const;
  };
  if (planned.op === "delete") return give(explainRefusedDelete(planned.place, error));
  if (planned.op === "update") return give(await explainRefusedUpdate(run, planned, error));
  const { status } = error.facts;
  // What an earlier attempt was refused for now, it may have done all the same: it is settled.
  if (attempt > 1 && status === 409) return keepOpen(run, begun, { kind: "unknown", error });
  // A single command creates: it takes nothing that exists, and says what the service said.
  if (run.owner === "person") return give(error);
  const found = await existingRecords(run, planned, { status, before: entry.pending.before ?? [] });
  const [one, another] = found;
  if (one === undefined || another !== undefined) {
    return give(explainRefusedCreate(run, planned, error, found));
  }
  const { key } = run.manager.state;
  if (compare(key, planned.resource, undefined, one).fields !== "same") {
    return give(explainRefusedCreate(run, planned, error, found));
  }
  const { learned } = compare(key, planned.resource, entry, one);
  const { time: _, serviceTime: __, ...taken } = withoutPending(entry);
  const next: Entry & { id: string } = {
    ...taken,
    ...(learned && { fields: learned }),
    id: one.id,
    made: "found",
  };
  return {
    saved: run.outcomes.record(planned.place, next, { outcome: "adopted", since, sent: true }),
  };
}

/** The maximum attempts at a write that was certainly not done, and the first wait between. */
const MAX_ATTEMPTS = 6;
const FIRST_WAIT_MS = 500;
/** The longest wait that a service may ask for; beyond it the error says when to try again. */
const MAX_WAIT_MS = 60_000;

/**
 * Waits until a write may be sent again.
 * @returns `enough` where no attempts are left, or the wait would be too long
 */
async function waitBeforeRetry(
  { ports }: Run,
  { planned: { place } }: Begun,
  { facts: { status, retryAfter } }: AmpError,
  attempt: number,
): Promise<"again" | "enough"> {
  const asked = retryAfter === undefined ? 0 : Date.parse(retryAfter) - ports.now().getTime();
  const ms = Math.max(FIRST_WAIT_MS * 2 ** (attempt - 1), asked);
  // A signal makes a wait pointless; the caller handles it.
  if (ports.signal.aborted) return "again";
  const { attempts = MAX_ATTEMPTS, longestWaitMs = MAX_WAIT_MS } = ports.options;
  if (attempt >= attempts || ms > longestWaitMs) return "enough";
  const why = status === undefined ? "the service cannot be reached" : "the service asked to wait";
  ports.onEvent({ type: "waiting", address: place.address, ms, why });
  // A signal ends the wait; the caller handles it.
  await ports.sleep(ms, ports.signal).catch(() => {});
  return "again";
}
