import type { Address } from "../model/address.ts";
import { type Resource, resourceAt } from "../model/routing.ts";
import type { PendingCreate, RecordOrigin } from "../state/state.ts";
import type {
  DeletedRecord,
  EngineEvent,
  FailedResource,
  RescuedResult,
  ResourceOutcome,
  Run,
  RunOutcomes,
  UnknownOutcome,
} from "./types.ts";

/** Outcomes of a run that has done nothing yet. */
export function createRunOutcomes(observe: (event: EngineEvent) => void): RunOutcomes {
  const settled = new Map<Address, ResourceOutcome>();
  const failed: FailedResource[] = [];
  const unknown = new Map<Address, UnknownOutcome>();
  const rescued: RescuedResult[] = [];
  const deleted: DeletedRecord[] = [];
  let trouble: unknown;
  return {
    get trouble() {
      return trouble;
    },
    get settled() {
      return [...settled.values()];
    },
    failed,
    unknown,
    rescued,
    deleted,
    settle: (one) => {
      settled.set(one.address, one);
      observe({ type: "settled", settled: one });
    },
    fail: (one, how) => {
      failed.push(one);
      if (how) observe({ type: "settled", settled: how });
    },
    markUnknown: (one, how) => {
      unknown.set(one.address, one);
      observe({ type: "settled", settled: how });
    },
    clearUnknown: (address) => unknown.delete(address),
    rescue: (one) => {
      rescued.push(one);
      const { address, id, rescue } = one;
      const where = rescue.where === undefined ? {} : { where: rescue.where };
      observe({ type: "rescued", address, id, ...where });
    },
    saveLate: () => {
      trouble ??= rescued[0]?.rescue.error;
      rescued.length = 0;
    },
    remove: (one) => {
      deleted.push(one);
      observe({ type: "deleted", ...one });
    },
  };
}

/** The resource that an outcome is of. */
interface OutcomeSubject {
  readonly resource: Pick<Resource, "address" | "kind">;
  readonly intent: Pick<PendingCreate, "fingerprint">;
  /** When work on the resource began; absent where there was none. */
  readonly since?: Date;
}

/** A record that exists, and how that is known. */
interface ExistingRecord {
  readonly id: string;
  readonly origin: RecordOrigin;
  readonly requestId?: string | undefined;
  readonly sent: boolean;
}

/**
 * Saves that a resource exists. It never throws: a result that cannot be saved is in the outcomes as
 * rescued, and nothing more may be created then.
 */
export async function recordExisting(
  run: Run,
  subject: OutcomeSubject,
  { id, origin, requestId, sent }: ExistingRecord,
): Promise<"continue" | "stop"> {
  const { ports, manager, outcomes } = run;
  const { address } = subject.resource;
  const rescue = await manager.recordResult(address, {
    id,
    fingerprint: subject.intent.fingerprint,
    origin,
    ...(requestId === undefined ? {} : { requestId }),
    time: ports.now().toISOString(),
  });
  if (rescue) outcomes.rescue({ address, id, rescue });
  outcomes.clearUnknown(address);
  outcomes.settle(outcomeOf(run, subject, { outcome: origin, id, requestId, sent }));
  return rescue ? "stop" : "continue";
}

/** Tries once more, at the end of a run, to save rescued results. */
export async function saveRescued({ manager, outcomes }: Run): Promise<void> {
  const [first] = outcomes.rescued;
  if (first === undefined) return;
  // Every save holds all that is known; this one changes nothing else.
  await manager.dropIntent(first.address).then(
    () => outcomes.saveLate(),
    () => {},
  );
}

/** The outcome of a resource, as events and receipts have it. */
export function outcomeOf(
  { ports }: Run,
  { resource: { address, kind }, since }: Pick<OutcomeSubject, "resource" | "since">,
  how: Pick<ResourceOutcome, "outcome" | "sent"> & {
    readonly id?: string;
    readonly requestId?: string | undefined;
  },
): ResourceOutcome {
  const { outcome, sent, id, requestId } = how;
  return {
    address,
    kind,
    outcome,
    ...(id === undefined ? {} : { id }),
    ...(requestId === undefined ? {} : { requestId }),
    ms: since === undefined ? 0 : ports.now().getTime() - since.getTime(),
    sent,
  };
}

/** Leaves a create unknown that may be any of several new records: a person has to say which one. */
export function markAmbiguous(
  run: Run,
  { address, sent }: { readonly address: Address; readonly sent: boolean },
  ids: readonly string[],
  error?: unknown,
): void {
  const resource = resourceAt(address);
  run.outcomes.markUnknown(
    { address, kind: resource.kind, ids, error },
    outcomeOf(run, { resource }, { outcome: "ambiguous", sent }),
  );
}

/** Whether nothing more may be created. */
export function isStopped({ ports, outcomes }: Run): boolean {
  const { failed, unknown, rescued, trouble } = outcomes;
  const stopped = failed.length + unknown.size + rescued.length > 0;
  return ports.signal.aborted || stopped || trouble !== undefined;
}
