import type { Address } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { Rescue } from "../state/manager.ts";
import type { PendingCreate, RecordOrigin } from "../state/state.ts";
import type { Run } from "./run.ts";
import type { EngineEvent, ResourceOutcome } from "./types.ts";

/** What certainly did not come about, and why. */
export interface FailedResource {
  readonly address: Address;
  readonly error: unknown;
  /** It was to be deleted, not created. */
  readonly isDelete?: true;
}

/** What may or may not have come about. */
export interface UnknownOutcome {
  readonly address: Address;
  readonly kind: ResourceKind;
  /** Absent for what an earlier run left behind. */
  readonly error?: unknown;
  /** New records of its natural key, where there are several. */
  readonly ids?: readonly string[];
  /** Until then the service may still create it; RFC 3339. */
  readonly horizon?: string | undefined;
}

/** A result that its place did not take. */
export interface RescuedResult {
  readonly address: Address;
  readonly id: string;
  readonly rescue: Rescue;
}

/** A record that was deleted. */
export interface DeletedRecord {
  readonly address: Address;
  readonly id: string;
}

/** What has become of a run so far: grows, and is told as it does. */
export interface RunOutcomes {
  /** One of each address: the last. */
  readonly settled: readonly ResourceOutcome[];
  readonly failed: readonly FailedResource[];
  readonly unknown: ReadonlyMap<Address, UnknownOutcome>;
  readonly rescued: readonly RescuedResult[];
  readonly deleted: readonly DeletedRecord[];
  /** Why a result was not saved at once, where it is saved by now. */
  readonly trouble: unknown;
  settle(one: ResourceOutcome): void;
  /** Also tells how it has settled, where it was a create. */
  fail(failed: FailedResource, settled?: ResourceOutcome): void;
  leaveUnknown(unknown: UnknownOutcome, settled: ResourceOutcome): void;
  /** It is unknown no more. */
  clear(address: Address): void;
  rescue(rescued: RescuedResult): void;
  /** All that was rescued is saved where it belongs after all. */
  saveLate(): void;
  remove(deleted: DeletedRecord): void;
}

/** A ledger with nothing in it. */
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
    leaveUnknown: (one, how) => {
      unknown.set(one.address, one);
      observe({ type: "settled", settled: how });
    },
    clear: (address) => unknown.delete(address),
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

/** What something is that settles. */
export interface OutcomeSubject {
  readonly resource: Pick<Resource, "address" | "kind">;
  readonly intent: Pick<PendingCreate, "fingerprint">;
  /** When the work on it began; absent where there was none. */
  readonly since?: Date;
}

/** That it exists, and how that is known. */
export interface ExistingRecord {
  readonly id: string;
  readonly origin: RecordOrigin;
  readonly requestId?: string | undefined;
  readonly sent: boolean;
}

/**
 * Saves that something exists. It never throws: what cannot be saved is in the ledger, and nothing
 * more may be created then.
 */
export async function recordExisting(
  run: Run,
  about: OutcomeSubject,
  found: ExistingRecord,
): Promise<"on" | "stop"> {
  const { ports, journal, ledger } = run;
  const { address } = about.resource;
  const { id, origin, requestId, sent } = found;
  const rescue = await journal.recordResult(address, {
    id,
    fingerprint: about.intent.fingerprint,
    origin,
    ...(requestId === undefined ? {} : { requestId }),
    time: ports.now().toISOString(),
  });
  if (rescue) ledger.rescue({ address, id, rescue });
  ledger.clear(address);
  ledger.settle(outcomeOf(run, about, { outcome: origin, id, requestId, sent }));
  return rescue ? "stop" : "on";
}

/** Saves once more, at the end of a run, what could not be saved. */
export async function saveRescued({ journal, ledger }: Run): Promise<void> {
  const [first] = ledger.rescued;
  if (first === undefined) return;
  // Every save holds all that is known; this one changes nothing else.
  await journal.dropIntent(first.address).then(
    () => ledger.saveLate(),
    () => {},
  );
}

/** How something has settled, as it is told. */
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
