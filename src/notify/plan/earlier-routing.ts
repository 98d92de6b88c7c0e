import { DESTINATION_TYPES } from "../../api/catalogue/destination-types.ts";
import { defined } from "../../values/json.ts";
import {
  type Address,
  addressOf,
  addressParts,
  heldAddresses,
  recordKey,
} from "../model/address.ts";
import { type Metadata, withValueAt } from "../model/metadata.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model/routing.ts";
import { movedRoute } from "../state/change.ts";
import type { EarlierValues, RunChange } from "../state/history.ts";
import type { RoutingState } from "../state/state.ts";
import { addressBefore } from "./field-values.ts";
import { otherOwners } from "./plan-change.ts";
import { MADE_BY_AMP } from "./prune.ts";

/** The plan of an undo: a routing to apply, and the resources to delete. */
export interface UndoPlan {
  /** The resources that the run changed or deleted, as they were before. */
  readonly model: RoutingModel;
  /** The addresses of what the run created. */
  readonly remove: ReadonlySet<Address>;
  /** What the run created, and neither the state has nor any run deleted: it may exist. */
  readonly lost: readonly Pick<RunChange, "address" | "id">[];
  /** The changes that cannot be undone, each a sentence. */
  readonly left: readonly string[];
}

type Records = Pick<RoutingState, "records">["records"];

/** Collects the parts of the routing that takes a run back, from one change after the other. */
export class EarlierRouting {
  readonly #records: Records;
  readonly #destinations = new Map<string, DestinationPart>();
  readonly #topics = new Map<string, TopicPart>();
  readonly #remove = new Set<Address>();
  readonly #left: string[] = [];
  readonly #renames = new Map<Address, Address>();
  readonly #lost: RunChange[] = [];
  readonly #name: string | undefined;
  readonly #deleted: ReadonlySet<string>;

  /** @param run the name of its routing, and what any run deleted, each `KIND ID` */
  constructor(
    records: Records,
    run: { readonly name: string | undefined; readonly deleted: ReadonlySet<string> },
  ) {
    this.#records = records;
    this.#name = run.name;
    this.#deleted = run.deleted;
  }

  add(change: RunChange): void {
    const { address, id, action } = change;
    const from = addressBefore(change);
    const isThere = this.#records.get(address)?.id === id;
    if (action === "created") {
      this.#removeCreated(change, isThere ? address : this.#movedTo(change));
    } else if (action === "deleted") {
      if (!this.#records.has(address)) this.#create(change);
    } else if (isThere || (from !== undefined && this.#records.get(from)?.id === id)) {
      this.#restore(from === undefined ? change : { ...change, from }, isThere);
    }
  }

  result(): UndoPlan {
    // The routes of what gets its earlier name move with it before they are deleted.
    for (const [from, to] of this.#renames) {
      for (const route of [...this.#remove]) {
        const moved = movedRoute(route, from, to);
        if (moved !== undefined && !this.#records.has(moved)) this.#remove.add(moved);
      }
    }
    const name = this.#name;
    const model = {
      ...defined({ name }),
      destinations: this.#destinations,
      topics: this.#topics,
    };
    return { model, remove: this.#remove, left: this.#left, lost: this.#lost };
  }

  /** Deletes what the run created, as far as it is still its own. */
  #removeCreated(change: RunChange, at: Address | undefined): void {
    const record = at && this.#records.get(at);
    if (at === undefined || record === undefined) {
      const { kind } = addressParts(change.address);
      if (!this.#deleted.has(recordKey(kind, change.id))) this.#lost.push(change);
      return;
    }
    const others = otherOwners(record, { name: this.#name });
    if (!MADE_BY_AMP[record.origin]) {
      this.#left.push(`${at} is kept: it was ${record.origin} since, and is not amp's to delete.`);
    } else if (others.length > 0) {
      this.#left.push(`${at} is kept: ${listed(others)} contains it, too.`);
    }
    this.#remove.add(at);
  }

  /** The address of a resource that has another name since, or whose topic or destination has. */
  #movedTo({ address, id }: RunChange): Address | undefined {
    return heldAddresses({ records: this.#records }, addressParts(address).kind, id)[0];
  }

  /** Gives a resource its earlier values and name. */
  #restore({ address, from = address, before = {}, hidden = [] }: RunChange, isRenamed: boolean) {
    const { kind, names } = addressParts(from);
    const [name = ""] = names;
    const [current] = addressParts(address).names;
    const rename =
      isRenamed && current !== name && current !== undefined ? { renamedFrom: current } : {};
    if (rename.renamedFrom !== undefined) this.#renames.set(address, from);
    const unknown = hidden.filter((path) => path !== "type");
    const added = Object.keys(before).filter((path) => before[path] === null);
    if (unknown.length > 0) {
      this.#left.push(
        `${address}: the earlier ${listed(unknown)} was not saved, because it is secret or was not returned.`,
      );
    }
    if (added.length > 0) {
      this.#left.push(`${address}: ${listed(added)} had no value before, and stays unchanged.`);
    }
    if (kind === "topic") {
      this.#topics.set(name, { ...this.#topic(name), ...rename });
      return;
    }
    const { type } = before;
    if (typeof type !== "string") {
      this.#left.push(`${address}: its type is unknown, so it stays unchanged.`);
      return;
    }
    const metadata = metadataOf(before);
    this.#destinations.set(name, { kind: "new", type, metadata, secrets: {}, ...rename });
  }

  /** Creates what was deleted. */
  #create({ address, before = {}, hidden = [] }: RunChange): void {
    const { kind, names } = addressParts(address);
    const [first = "", second = ""] = names;
    if (kind === "topic") {
      this.#topics.set(first, this.#topic(first));
    } else if (kind === "event-route") {
      const topic = this.#topic(first);
      this.#topics.set(first, { ...topic, events: [...topic.events, second] });
    } else if (kind === "destination-route") {
      this.#connect(address, first, second);
    } else {
      const { type } = before;
      const why = whyNotCreated({ before, hidden });
      if (typeof type !== "string" || why !== undefined) {
        this.#left.push(`${address} cannot be created again: ${why}.`);
        return;
      }
      const metadata = metadataOf(before);
      this.#destinations.set(first, { kind: "new", type, metadata, secrets: {} });
    }
  }

  #connect(address: Address, topicName: string, destination: string): void {
    const known = this.#records.get(addressOf("destination", destination));
    if (known === undefined && !this.#destinations.has(destination)) {
      this.#left.push(`${address} cannot be created again without its destination.`);
      return;
    }
    if (known !== undefined && !this.#destinations.has(destination)) {
      this.#destinations.set(destination, { kind: "existing", id: known.id });
    }
    const topic = this.#topic(topicName);
    this.#topics.set(topicName, {
      ...topic,
      destinations: [...topic.destinations, destination],
    });
  }

  #topic(name: string): TopicPart {
    return this.#topics.get(name) ?? { events: [], destinations: [] };
  }
}

function metadataOf(before: NonNullable<RunChange["before"]>): Metadata {
  return Object.entries(before).reduce<Metadata>((metadata, [path, value]) => {
    const isMetadata = path.startsWith("metadata.") && value !== null;
    return isMetadata ? withValueAt(metadata, [path.slice("metadata.".length)], value) : metadata;
  }, {});
}

/**
 * Why a deleted destination cannot be created again from what is kept of it; undefined if it can.
 */
export function whyNotCreated({
  before: { type } = {},
  hidden = [],
}: EarlierValues): string | undefined {
  if (typeof type !== "string") return "its values were not saved";
  if (hidden.length > 0) return `its ${listed(hidden)} was not saved, because it may be secret`;
  return needsSecrets(type) ? "its secrets were not saved" : undefined;
}

/** Whether a destination needs secrets; one of an unknown type may. */
function needsSecrets(type: string): boolean {
  const known = (
    DESTINATION_TYPES as Readonly<Record<string, { readonly secrets: readonly unknown[] }>>
  )[type];
  return known === undefined || known.secrets.length > 0;
}

function listed(paths: readonly string[]): string {
  return paths.join(", ");
}
