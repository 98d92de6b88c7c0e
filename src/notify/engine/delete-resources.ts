import { OperationMissingError } from "../../api/operations/optional-operation.ts";
import { AmpError, isInterrupt, NotFoundError, PartialError } from "../../errors.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import { deleteResource } from "../model/operations.ts";
import { RESOURCES, type ResourceKind } from "../model/resource.ts";
import { indexLive, type LiveRouting } from "../plan/live.ts";
import { withMark } from "../state/change.ts";
import type { RoutingState } from "../state/state.ts";
import { beginWrite, commitHorizonOf, listService, type Run, withRun } from "./run.ts";
import type { EnginePorts } from "./types.ts";

/** A resource to delete. */
export interface Deletion {
  readonly address: Address;
  readonly kind: ResourceKind;
  readonly id: string;
}

/** The outcome of a delete: done now, or done before. */
export interface DeletionOutcome {
  readonly address: Address;
  readonly id: string;
  readonly outcome: "deleted" | "already deleted";
}

/** How long lists may still show what was deleted. */
const LOOK_MS = 5_000;
const FIRST_WAIT_MS = 500;

/**
 * Deletes resources one after another, each by its ID. That a delete begins is saved in every record
 * of the state that has the ID, before it is sent. It is sent once, unlike that of a prune, where
 * another run follows: the lists decide an unknown outcome at once, and say who deleted it.
 * @throws {PartialError} where an outcome is unknown, or only some were deleted
 * @throws {AmpError} the service's refusal, where nothing was deleted
 */
export function deleteResources(
  ports: EnginePorts,
  deletions: readonly Deletion[],
): Promise<readonly DeletionOutcome[]> {
  return withRun(ports, undefined, async (run) => {
    const done: DeletionOutcome[] = [];
    const held = Map.groupBy(run.manager.state.records.keys(), (address) => {
      const { id = "" } = run.manager.state.records.get(address) ?? {};
      return recordKey(addressParts(address).kind, id);
    });
    for (const one of deletions) {
      try {
        const outcome = await deleteOne(run, one, held.get(recordKey(one.kind, one.id)) ?? []);
        done.push({ address: one.address, id: one.id, outcome });
        ports.observe({ type: "deleted", address: one.address, id: one.id });
      } catch (error) {
        if (!(error instanceof AmpError)) throw error;
        throw withProgress(error, done, deletions.slice(done.length));
      }
    }
    return done;
  });
}

async function deleteOne(
  run: Run,
  one: Deletion,
  held: readonly Address[],
): Promise<DeletionOutcome["outcome"]> {
  const { ports, manager } = run;
  const { records } = manager.state;
  const isBegun = held.some((address) => records.get(address)?.deleting !== undefined);
  await beginWrite(run, "deleting", held);
  const begun = { held, isBegun, isSentOnce: true };
  const outcome = await sendDelete(run, one, begun).catch((error: unknown) => {
    if (!(error instanceof AmpError) || ports.signal.aborted) throw error;
    if (error instanceof PartialError) throw unknownOutcome(error, one);
    throw error.setFacts({ done: "Nothing was deleted." });
  });
  for (const address of held) {
    await manager.removeRecord(address);
  }
  return outcome;
}

interface BegunDelete {
  /** The records that say that it began. If they said so before this run, a 404 means that it is done. */
  readonly held: readonly Address[];
  readonly isBegun: boolean;
  /** Whether it is never repeated: the lists then decide about a lost answer, too. */
  readonly isSentOnce?: boolean;
}

/**
 * Sends a delete that was begun. Whether one that was not found or only accepted is done, the lists
 * decide.
 * @throws {AmpError} if it was not done, or that is unknown
 */
export async function sendDelete(
  run: Run,
  one: Deletion,
  { held, isBegun, isSentOnce = false }: BegunDelete,
): Promise<DeletionOutcome["outcome"]> {
  const { ports, manager } = run;
  try {
    await deleteResource(ports, one.kind, one.id, { notRepeatable: isSentOnce });
    return "deleted";
  } catch (error) {
    if (!(error instanceof AmpError)) throw error;
    const isUnknown = error instanceof PartialError;
    const isNotFound = error.facts.status === 404 && !(error instanceof OperationMissingError);
    if (isNotFound || isOnlyAccepted(error) || (isUnknown && isSentOnce)) {
      const isSeenGone = await isGone(run, one, error);
      if (isSeenGone ?? (isNotFound && isBegun)) return isUnknown ? "deleted" : "already deleted";
    }
    // An interrupted delete may have arrived: the next run looks.
    if (isUnknown || ports.signal.aborted) throw error;
    // What an earlier run began may have been done, whatever this one was answered.
    if (!isBegun) await manager.note(withMark("deleting", held)).catch(() => {});
    throw isNotFound ? notFound(error, one) : error;
  }
}

/**
 * Whether the lists no longer show a resource; they may show it for a while after its delete.
 * @param answer the error of the delete: what the service only accepted may take as long as a create
 * @returns undefined where the service has no lists
 */
async function isGone(
  run: Run,
  { address, kind, id }: Deletion,
  answer: AmpError,
): Promise<boolean | undefined> {
  const { ports } = run;
  const ms = isOnlyAccepted(answer) ? ports.options.commitHorizonMs : LOOK_MS;
  const until = ports.elapsed() + ms;
  for (let wait = 0; !ports.signal.aborted; ) {
    const began = ports.elapsed();
    const live = await listService(run).catch(() => "failed" as const);
    if (live === undefined) return undefined;
    if (live !== "failed" && indexLive(live).byId(kind, id) === undefined) return true;
    if (began >= until) return false;
    if (wait === 0 && isOnlyAccepted(answer)) {
      const why = "accepted, but still listed";
      ports.observe({ type: "waiting", address, ms, why, horizon: true });
    }
    wait = Math.min(3 * wait || FIRST_WAIT_MS, LOOK_MS);
    const left = Math.max(1, until - ports.elapsed());
    await ports.sleep(Math.min(wait, left), ports.signal).catch(() => {});
  }
  return false;
}

/** Whether the service accepted a delete, and may do it later. */
function isOnlyAccepted(error: AmpError): boolean {
  return error instanceof PartialError && error.facts.status === 202;
}

function unknownOutcome(error: PartialError, { kind, id, address }: Deletion): PartialError {
  const [noun] = RESOURCES[kind].words;
  return new PartialError(
    `It is unknown whether the ${noun} ${id} was deleted`,
    {
      ...error.facts,
      detail: [error.message, error.facts.detail].filter(Boolean).join(". "),
      remedy: "Run the same command again: it checks whether the resource still exists.",
      done: "The request was sent once. The service still lists the resource, or cannot list it.",
      data: { ...error.facts.data, settled: [{ address, outcome: "unknown", id }] },
    },
    { cause: error },
  );
}

/** The error for a delete that was answered 404, where nothing shows that the resource is gone. */
function notFound(error: AmpError, { kind, id }: Deletion): NotFoundError {
  const [noun] = RESOURCES[kind].words;
  return new NotFoundError(
    `Could not delete the ${noun} ${id}: not found, or the service cannot delete it`,
    error.facts,
    { cause: error },
  );
}

/** The error of a run that deleted a part; the first failure itself where it deleted nothing. */
function withProgress(
  error: AmpError,
  done: readonly DeletionOutcome[],
  left: readonly Deletion[],
): AmpError {
  if (done.length === 0) return error;
  const named = (all: readonly { readonly address: Address }[]) =>
    all.map(({ address }) => address).join(", ");
  const { settled = [] } = (error.facts.data ?? {}) as { readonly settled?: readonly object[] };
  const deleted = done.map(({ address, id }) => ({ address, outcome: "deleted", id }));
  const facts = {
    ...error.facts,
    done: `Deleted: ${named(done)}. Not deleted, or not known: ${named(left)}.`,
    data: {
      ...error.facts.data,
      settled: [...deleted, ...settled],
      notTried: left.slice(1).map(({ address }) => address),
    },
  };
  if (error instanceof PartialError || isInterrupt(error)) return error.setFacts(facts);
  return new PartialError(error.message, facts, { cause: error });
}

/**
 * A state without the records whose delete began in an earlier run and which the service no longer
 * lists: they were deleted, and are not missing.
 */
export function withoutDeleted<State extends Pick<RoutingState, "records">>(
  state: State,
  live: LiveRouting | undefined,
): State {
  const gone = deletedRecords(state, live);
  if (gone.length === 0) return state;
  const records = new Map(state.records);
  for (const address of gone) records.delete(address);
  return { ...state, records };
}

function deletedRecords(
  { records }: Pick<RoutingState, "records">,
  live: LiveRouting | undefined,
): Address[] {
  return [...records].flatMap(([address, { id, deleting }]) => {
    if (deleting === undefined || live === undefined) return [];
    return indexLive(live).byId(addressParts(address).kind, id) === undefined ? [address] : [];
  });
}

/**
 * Removes those records from the state. One that is still listed was not deleted, once the list has
 * had the time to leave it out.
 */
export async function settleDeletions(run: Run): Promise<void> {
  const { manager, ports } = run;
  const marked = [...manager.state.records].flatMap(([address, { deleting }]) =>
    deleting === undefined ? [] : address,
  );
  if (marked.length === 0) return;
  const looked = ports.elapsed();
  const live = await listService(run);
  if (live === undefined) return;
  const gone = new Set(deletedRecords(manager.state, live));
  for (const address of gone) {
    await manager.removeRecord(address);
  }
  const kept = marked.filter(
    (address) => !gone.has(address) && commitHorizonOf(run, address) <= looked,
  );
  await manager.note(withMark("deleting", kept));
}
