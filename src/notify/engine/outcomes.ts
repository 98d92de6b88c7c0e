import type { FoundResource, OutcomeDocument } from "../../documents/routing.ts";
import { AmpError, UnknownOutcomeError } from "../../errors.ts";
import { defined } from "../../values/json.ts";
import { timeFields } from "../../values/service-clock.ts";
import { durationText } from "../../values/time.ts";
import { routingErrors } from "../errors.ts";
import { type Address, recordKey } from "../model/address.ts";
import type { ResourceKind } from "../model/resource.ts";
import { type Place, partAt, placeName, withEntry, withoutIntent } from "../state/change.ts";
import type { RunChange } from "../state/history.ts";
import type { RescuedSave, StateManager } from "../state/manager.ts";
import {
  type ActTime,
  addressesById,
  type Entry,
  type KnownEntry,
  kindOf,
  type Pending,
  type StateEntry,
} from "../state/state.ts";
import type { EnginePorts } from "./types.ts";

/** A write that was not done; a delete may have been. */
export interface FailedResource {
  readonly address: Address;
  readonly error: unknown;
  /** Why it was not done, without the address; absent where the error's message says it. */
  readonly reason?: string;
  readonly write: Pending["op"];
  /** Whether its request was sent. */
  readonly sent: boolean;
  /** A delete that was begun, and may have been done. */
  readonly isOpen?: true;
}

/** A create or update that may or may not have been done. */
interface UnknownOutcome {
  readonly address: Address;
  /** Where the state has it: a single command writes beside another entry of the address. */
  readonly place: Place;
  /** The error of the request; absent for a write of an earlier run. */
  readonly error?: unknown;
  /** The IDs of several new records with the natural key: the user has to choose one. */
  readonly ids?: readonly string[];
  /** Whether it was created and only its ID is unknown. */
  readonly created?: true | undefined;
  /** Whether it exists, and may have been updated. */
  readonly isUpdate?: boolean;
}

/** An outcome and how it came about. */
interface OutcomeFacts
  extends Omit<OutcomeDocument, "address" | "kind" | "ms" | "requestId" | "created"> {
  readonly created?: true | undefined;
  readonly requestId?: string | undefined;
  /** When work on the resource began; absent where there was none. */
  readonly since?: Date | undefined;
}

/** The parts of a state once a resource is deleted: for one horizon, lists may still show it. */
function deletedParts(place: Place, id: string, moment: ActTime): StateEntry[] {
  return [
    partAt(place, null),
    ["mark", recordKey(kindOf(place.address), id), { was: "deleted", ...moment }],
  ];
}

/** The outcomes of a run so far. Each change is also an event. */
export class RunOutcomes {
  readonly failed: FailedResource[] = [];
  readonly unknown = new Map<Address, UnknownOutcome>();
  /** The errors of writes that this run has sent, and that are not settled yet, by place. */
  readonly errors = new Map<string, unknown>();
  /** Results that could not be saved in the state. */
  readonly rescued: {
    readonly address: Address;
    readonly id: string;
    readonly rescue: RescuedSave;
  }[] = [];
  readonly deleted: (OutcomeDocument & FoundResource)[] = [];
  /** The error because of which a result was saved late. */
  trouble: unknown;
  readonly #settled = new Map<Address, OutcomeDocument>();
  /** The addresses of the records that the state has or gets, by kind and ID. */
  readonly #addresses: Map<string, Address>;
  readonly #ports: EnginePorts;
  readonly #manager: StateManager;

  constructor(ports: EnginePorts, manager: StateManager) {
    this.#ports = ports;
    this.#manager = manager;
    this.#addresses = addressesById(manager.state);
  }

  /** The address of the record with an ID; undefined: neither the state nor this run knows it. */
  addressOf(kind: ResourceKind, id: string): Address | undefined {
    return this.#addresses.get(recordKey(kind, id));
  }

  /** The last outcome of each address. */
  get settled(): readonly OutcomeDocument[] {
    return [...this.#settled.values()];
  }

  /** Whether the outcome of a resource is known already. */
  isSettled(address: Address): boolean {
    return this.#settled.has(address);
  }

  /** False if every resource was in place: nothing was sent, adopted or looked up. */
  get hasChanges(): boolean {
    const isChanged = ({ outcome }: OutcomeDocument) => outcome !== "in_place";
    return this.deleted.length > 0 || this.settled.some(isChanged);
  }

  /** Whether nothing more may be sent. */
  get isStopped(): boolean {
    const { failed, unknown, rescued, trouble } = this;
    const stopped = failed.length + unknown.size + rescued.length > 0;
    return this.#ports.signal.aborted || stopped || trouble !== undefined;
  }

  settle(address: Address, facts: OutcomeFacts): void {
    const { others } = this.#settled.get(address) ?? {};
    this.#settled.set(address, { ...defined({ others }), ...this.#announced(address, facts) });
  }

  /** Records a write that was certainly not done, or a create that was answered with another resource. */
  fail(
    place: Place,
    failure: Omit<FailedResource, "address" | "isOpen" | "sent">,
    facts: Omit<OutcomeFacts, "outcome"> & { readonly outcome?: "failed" | "not_created" },
  ): void {
    const { sent } = facts;
    const { address } = place;
    this.failed.push({ address, ...failure, sent });
    this.errors.delete(placeName(place));
    this.#announced(address, { outcome: "failed", ...facts });
  }

  /** Records a write that was certainly not done, and drops its intent. */
  async giveUp(place: Place, ...failure: Tail<Parameters<RunOutcomes["fail"]>>): Promise<void> {
    this.fail(place, ...failure);
    // An intent that cannot be dropped is settled by the next run, and found not done.
    await this.#manager.note(withoutIntent(place)).catch(() => {});
  }

  /**
   * Records a create that was not done after all. One that this run has sent ends the run.
   * @param others new records that it may have become: of its name with other values, or topics
   */
  absent(
    place: Place,
    { entry, isOwn, others }: { entry: Entry; isOwn: boolean; others: FoundResource[] },
  ): void {
    const requestId = entry.pending?.requestId;
    const seen = others.length > 0 ? { others } : {};
    if (isOwn) {
      this.notWritten(place, { write: "create", requestId, ...seen });
      return;
    }
    this.settle(place.address, { outcome: "not_created", requestId, sent: false, ...seen });
  }

  /** Records a write of this run that was not done within the horizon. */
  notWritten(
    place: Place,
    { write, ...facts }: Pick<FailedResource, "write"> & Pick<OutcomeFacts, "requestId" | "others">,
  ): void {
    const { address } = place;
    const error = this.errors.get(placeName(place));
    const { commitHorizonMs, patienceMs = commitHorizonMs } = this.#ports.options;
    const after = `after ${durationText(Math.min(commitHorizonMs, patienceMs))}`;
    const seen = `${SEEN_INSTEAD[write]} ${after}`;
    // The outcome is known by now, so only the reason is left of the message.
    const why = error instanceof UnknownOutcomeError ? error.reason : (error as Error)?.message;
    const reason = why ? `${why} (${seen})` : seen;
    // What it said of the outcome is known better now.
    const known = { ...(error instanceof AmpError && error.facts), done: NOTHING_DONE[write] };
    const failed = routingErrors.write_not_done(address, write, reason, known, error);
    const failure = { reason, error: failed, write };
    const outcome = write === "create" ? "not_created" : "failed";
    this.fail(place, failure, { ...facts, outcome, sent: true });
  }

  markUnknown(
    place: Place,
    facts: Omit<UnknownOutcome, "address" | "place"> & Omit<OutcomeFacts, "outcome">,
  ): void {
    const { address } = place;
    const {
      error = this.errors.get(placeName(place)),
      ids,
      created,
      isUpdate = false,
      ...how
    } = facts;
    this.errors.delete(placeName(place));
    this.unknown.set(address, { address, place, error, created, ...defined({ ids }), isUpdate });
    const isCreated = created && !ids ? { created } : {};
    this.#announced(address, { outcome: "unknown", ...isCreated, ...how });
  }

  /** Saves that a resource was deleted, with the mark that hides it from lists that are behind. */
  async remove(place: Place, id: string): Promise<void> {
    const { address } = place;
    this.errors.delete(placeName(place));
    const parts = deletedParts(place, id, timeFields(this.#ports));
    const change = { action: "deleted", address, id } as const;
    const rescue = await this.#manager.recordResult(place, () => parts, change);
    if (rescue) this.#rescue(address, id, rescue);
    const kind = kindOf(address);
    const settled = { address, kind, outcome: "deleted", id, sent: true } as const;
    this.deleted.push(settled);
    this.#ports.onEvent({ type: "settled", settled });
  }

  /**
   * Saves that a resource exists. It never throws: a result that cannot be saved is rescued, and
   * nothing more may be sent then.
   * @param entry without the write that was begun
   */
  async record(
    place: Place,
    entry: KnownEntry,
    { change, ...facts }: OutcomeFacts & { readonly change?: RunChange },
  ): Promise<"continue" | "stop"> {
    const { address } = place;
    const { id } = entry;
    this.#addresses.set(recordKey(kindOf(address), id), address);
    const rescue = await this.#manager.recordResult(place, withEntry(place, entry), change);
    if (rescue) this.#rescue(address, id, rescue);
    this.unknown.delete(address);
    this.errors.delete(placeName(place));
    this.settle(address, { ...facts, id });
    return rescue ? "stop" : "continue";
  }

  #rescue(address: Address, id: string, rescue: RescuedSave): void {
    this.rescued.push({ address, id, rescue });
    this.#ports.onEvent(defined({ type: "rescued", address, id, where: rescue.where }));
  }

  /** Retries, at the end of a run, to save rescued results. */
  async saveRescued(): Promise<void> {
    const [first] = this.rescued;
    if (first === undefined) return;
    const { serial } = this.#manager.state;
    // Every save contains all results; this one changes nothing else.
    const again = this.#manager.recordResult({ address: first.address }, () => []);
    const rescue = await again;
    if (rescue !== undefined || this.#manager.state.serial === serial) return;
    this.trouble ??= first.rescue.error;
    this.rescued.length = 0;
  }

  #announced(address: Address, facts: OutcomeFacts): OutcomeDocument {
    const { outcome, earlier, created, sent, id, differences, others, requestId, since } = facts;
    const ms = since === undefined ? 0 : this.#ports.now().getTime() - since.getTime();
    const kind = kindOf(address);
    const found = { earlier, created, id, differences, others, requestId };
    const settled = defined({ address, kind, outcome, ...found, ms, sent });
    this.#ports.onEvent({ type: "settled", settled });
    return settled;
  }
}

/** What a write that was not done has changed. */
export const NOTHING_DONE = {
  create: "Nothing was created.",
  update: "Nothing was changed.",
  delete: "Nothing was deleted.",
} as const satisfies Record<Pending["op"], string>;

/** What the list shows of a write that was not done. */
const SEEN_INSTEAD = {
  create: "not listed",
  update: "other settings shown",
  delete: "still listed",
} as const satisfies Record<Pending["op"], string>;

type Tail<List extends readonly unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;
