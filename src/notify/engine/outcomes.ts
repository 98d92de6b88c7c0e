import { defined } from "../../values/json.ts";
import { timeFields } from "../../values/service-clock.ts";
import { type Address, addressParts, recordKey } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import type { Resource } from "../model/routing.ts";
import type { FoundResource } from "../plan/plan.ts";
import { withoutIntent } from "../state/change.ts";
import type { RunChange } from "../state/history.ts";
import type { StateManager } from "../state/manager.ts";
import type { RescuedSave } from "../state/saver.ts";
import type { KnownRecord, PendingUpdate, PendingWrite, RecordOrigin } from "../state/state.ts";
import type { EnginePorts, ResourceOutcome } from "./types.ts";

/**
 * A write that was not done; a delete may have been, and a create that was answered with another
 * resource.
 */
export interface FailedResource {
  readonly address: Address;
  readonly error: unknown;
  /** Why it was not done, without the address; absent where the error's message says it. */
  readonly reason?: string;
  readonly write: "create" | "update" | "delete";
  /** Whether its request was sent. */
  readonly sent: boolean;
  /** A delete that was begun, and may have been done. */
  readonly isOpen?: true;
}

/** The kind of a write that was begun. */
export function writeOf({ update }: Pick<PendingWrite, "update">): "create" | "update" {
  return update === undefined ? "create" : "update";
}

/** A create or update that may or may not have been done. */
export interface UnknownOutcome {
  readonly address: Address;
  /** The error of the request; absent for a write of an earlier run. */
  readonly error?: unknown;
  /** The IDs of several new records with the natural key: the user has to choose one. */
  readonly ids?: readonly string[];
  /** Whether it was created and only its ID is unknown. */
  readonly created?: true | undefined;
  /** Whether it exists, and may have been updated. */
  readonly isUpdate?: boolean;
  /** An update that was answered with success, and not seen in a list yet. */
  readonly confirmed?: { readonly resource: Resource; readonly requestId: string | undefined };
}

interface OutcomeSubject {
  readonly resource: Pick<Resource, "address" | "kind">;
  /** When work on the resource began; absent where there was none. */
  readonly since?: Date;
}

/** An outcome and how it came about. */
interface OutcomeFacts extends Pick<ResourceOutcome, "outcome" | "sent" | "differences"> {
  readonly id?: string;
  readonly requestId?: string | undefined;
}

type UnknownFacts = Omit<UnknownOutcome, "address"> & Omit<OutcomeFacts, "outcome">;

/** The outcomes of a run so far. Each change is also an event. */
export class RunOutcomes {
  readonly failed: FailedResource[] = [];
  readonly unknown = new Map<Address, UnknownOutcome>();
  /** Results that could not be saved in the state. */
  readonly rescued: {
    readonly address: Address;
    readonly id: string;
    readonly rescue: RescuedSave;
  }[] = [];
  readonly deleted: FoundResource[] = [];
  /** The error because of which a result was saved late. */
  trouble: unknown;
  readonly #settled = new Map<Address, ResourceOutcome>();
  /** The addresses of the records that the state has or gets, by kind and ID. */
  readonly #addresses: Map<string, Address>;
  readonly #ports: EnginePorts;
  readonly #manager: StateManager;

  constructor(ports: EnginePorts, manager: StateManager) {
    this.#ports = ports;
    this.#manager = manager;
    this.#addresses = new Map(
      [...manager.state.records].map(([address, { id }]) => [
        recordKey(addressParts(address).kind, id),
        address,
      ]),
    );
  }

  /** The address of the record with an ID; undefined: neither the state nor this run knows it. */
  addressOf(kind: ResourceKind, id: string): Address | undefined {
    return this.#addresses.get(recordKey(kind, id));
  }

  /** Notes which record a resource is, before the state has it. */
  know({ kind, address }: OutcomeSubject["resource"], id: string): void {
    this.#addresses.set(recordKey(kind, id), address);
  }

  /** The last outcome of each address. */
  get settled(): readonly ResourceOutcome[] {
    return [...this.#settled.values()];
  }

  /** False if every resource was in place: nothing was sent, adopted or looked up. */
  get hasChanges(): boolean {
    const isChanged = ({ outcome }: ResourceOutcome) => outcome !== "in-place";
    return this.deleted.length > 0 || this.settled.some(isChanged);
  }

  /** Whether nothing more may be sent. */
  get isStopped(): boolean {
    const { failed, unknown, rescued, trouble } = this;
    const stopped = failed.length + unknown.size + rescued.length > 0;
    return this.#ports.signal.aborted || stopped || trouble !== undefined;
  }

  settle(subject: OutcomeSubject, facts: OutcomeFacts): void {
    this.#settled.set(subject.resource.address, this.#observed(subject, facts));
  }

  /**
   * Records a create or update that failed, which this run does not look up: it was certainly not
   * done, or was answered with another resource.
   */
  fail(
    subject: OutcomeSubject,
    failure: Omit<FailedResource, "address" | "isOpen" | "sent">,
    facts: OutcomeFacts,
  ): void {
    const { sent } = facts;
    this.failed.push({ address: subject.resource.address, ...failure, sent });
    this.#observed(subject, facts);
  }

  /** Records a write that was certainly not done, and drops its intent. */
  async giveUp(...failure: Parameters<RunOutcomes["fail"]>): Promise<void> {
    const [{ resource }] = failure;
    this.fail(...failure);
    // An intent that cannot be dropped is looked up by the next run, and found not done.
    await this.#manager.note(withoutIntent(resource.address)).catch(() => {});
  }

  markUnknown(subject: OutcomeSubject, facts: UnknownFacts): void {
    const { error, ids, created, isUpdate = false, ...how } = facts;
    const { address } = subject.resource;
    this.unknown.set(address, { address, error, created, ...defined({ ids }), isUpdate });
    const outcome = ids ? "ambiguous" : created ? "id-unknown" : "unknown";
    this.#observed(subject, { outcome, ...how });
  }

  remove(deleted: FoundResource): void {
    this.deleted.push(deleted);
    this.#ports.observe({ type: "deleted", ...deleted });
  }

  /**
   * Saves that a resource exists. It never throws: a result that cannot be saved is rescued, and
   * nothing more may be sent then.
   */
  async record(
    subject: OutcomeSubject & {
      readonly intent: Pick<PendingWrite, "fingerprint" | "fields" | "owners" | "update">;
    },
    found: Omit<OutcomeFacts, "outcome"> & {
      /** Absent where the origin, or an update, says it. */
      readonly outcome?: ResourceOutcome["outcome"];
      readonly id: string;
      readonly origin: RecordOrigin;
      /** The address before, of a resource that has another name now. */
      readonly from?: Address | undefined;
      /** As in a {@link KnownRecord}; for an update its intent says it. */
      readonly shown?: KnownRecord["shown"] | undefined;
    },
  ): Promise<"continue" | "stop"> {
    const { address } = subject.resource;
    const { id, origin, requestId } = found;
    const { fingerprint, fields, owners, update } = subject.intent;
    const { from = update?.from, shown = update?.shown } = found;
    const record = {
      ...defined({ id, fingerprint, origin, fields, shown, requestId, owners }),
      ...timeFields(this.#ports),
    };
    this.know(subject.resource, id);
    const made = this.#changeOf(address, { id, origin, from }, update);
    const rescue = await this.#manager.recordResult(address, record, { from, made });
    if (rescue) {
      this.rescued.push({ address, id, rescue });
      this.#ports.observe(defined({ type: "rescued", address, id, where: rescue.where }));
    }
    this.unknown.delete(address);
    const { outcome = update === undefined ? origin : "updated" } = found;
    this.settle(subject, { ...found, outcome });
    return rescue ? "stop" : "continue";
  }

  /** The entry of the history for a result; none for a resource that existed before. */
  #changeOf(
    address: Address,
    found: Pick<KnownRecord, "id" | "origin"> & { readonly from: Address | undefined },
    update: PendingUpdate | undefined,
  ): RunChange | undefined {
    const { id, origin, from } = found;
    if (update !== undefined) return { action: "updated", address, id };
    const isKnown = this.#manager.state.records.get(from ?? address)?.id === id;
    const isMade = origin === "created" || origin === "reconciled";
    return isMade && !isKnown ? { action: "created", address, id } : undefined;
  }

  /** Retries, at the end of a run, to save rescued results. */
  async saveRescued(): Promise<void> {
    const [first] = this.rescued;
    if (first === undefined) return;
    // Every save contains all results; dropping this intent changes nothing else.
    await this.#manager.note(withoutIntent(first.address)).then(
      () => {
        this.trouble ??= first.rescue.error;
        this.rescued.length = 0;
      },
      () => {},
    );
  }

  #observed({ resource: { address, kind }, since }: OutcomeSubject, facts: OutcomeFacts) {
    const { outcome, sent, id, differences, requestId } = facts;
    const ms = since === undefined ? 0 : this.#ports.now().getTime() - since.getTime();
    const settled = defined({ address, kind, outcome, id, differences, requestId, ms, sent });
    this.#ports.observe({ type: "settled", settled });
    return settled;
  }
}
