import type { Address } from "../address.ts";
import type { Rescue } from "../state/rescue.ts";
import type { StepKind } from "../steps.ts";
import type { EngineEvent, Settled } from "./engine.ts";

/** What certainly did not come about, and why. */
export interface Failed {
  readonly address: Address;
  readonly error: unknown;
  /** It was to be deleted, not created. */
  readonly isDelete?: true;
}

/** What may or may not have come about. */
export interface Unknown {
  readonly address: Address;
  readonly kind: StepKind;
  /** Absent for what an earlier run left behind. */
  readonly error?: unknown;
  /** New records of its natural key, where there are several. */
  readonly ids?: readonly string[];
  /** Until then the service may still create it; RFC 3339. */
  readonly horizon?: string | undefined;
}

/** A result that its place did not take. */
export interface Rescued {
  readonly address: Address;
  readonly id: string;
  readonly rescue: Rescue;
}

/** A record that was deleted. */
export interface Deleted {
  readonly address: Address;
  readonly id: string;
}

/** What has become of a run so far: grows, and is told as it does. */
export interface Ledger {
  /** One of each address: the last. */
  readonly settled: readonly Settled[];
  readonly failed: readonly Failed[];
  readonly unknown: ReadonlyMap<Address, Unknown>;
  readonly rescued: readonly Rescued[];
  readonly deleted: readonly Deleted[];
  /** Why a result was not saved at once, where it is saved by now. */
  readonly trouble: unknown;
  settle(one: Settled): void;
  /** Also tells how it has settled, where it was a create. */
  fail(failed: Failed, settled?: Settled): void;
  leaveUnknown(unknown: Unknown, settled: Settled): void;
  /** It is unknown no more. */
  clear(address: Address): void;
  rescue(rescued: Rescued): void;
  /** All that was rescued is saved where it belongs after all. */
  saveLate(): void;
  remove(deleted: Deleted): void;
}

/** A ledger with nothing in it. */
export function createLedger(observe: (event: EngineEvent) => void): Ledger {
  const settled = new Map<Address, Settled>();
  const failed: Failed[] = [];
  const unknown = new Map<Address, Unknown>();
  const rescued: Rescued[] = [];
  const deleted: Deleted[] = [];
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
