import { DESTINATION_TYPES } from "../../api/catalogue/destination-types.ts";
import { ConflictError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";
import { type Address, addressParts } from "../model/address.ts";
import { type Metadata, withValueAt } from "../model/metadata.ts";
import type { DestinationPart, RoutingModel, TopicPart } from "../model/routing.ts";
import type { RecordedRun, RunChange, RunHistory } from "../state/history.ts";
import type { RoutingState } from "../state/state.ts";

/** What takes a run back: a routing to apply, and what to delete. */
export interface TakeBack {
  /** What the run changed or deleted, as it was before. */
  readonly model: RoutingModel;
  /** The addresses of what the run created. */
  readonly remove: ReadonlySet<Address>;
  /** What cannot be taken back, each a sentence. */
  readonly left: readonly string[];
}

type Records = Pick<RoutingState, "records">["records"];

/**
 * Works out what takes a run back, from what the state kept of it: deletes what it created, restores
 * what it updated and creates what it deleted, as far as the values are known. What another run did
 * since is not touched.
 * @throws {ConflictError} if a later run changed the same, or the run made more changes than are kept
 */
export function takeBack(
  { records, runs = new Map() }: Pick<RoutingState, "records" | "runs">,
  id: string,
  run: RecordedRun,
): TakeBack {
  if (run.isCut) {
    throw new ConflictError(`Run ${id} made more changes than the state keeps`, {
      remedy: "Apply an earlier version of its routing file instead.",
      done: "Nothing was changed.",
    });
  }
  const replaced = run.changes.find(({ address, action }) => {
    return action === "deleted" && ASIDE.test(address);
  });
  if (replaced !== undefined) {
    throw new ConflictError(`Run ${id} replaced a resource, which cannot be taken back`, {
      remedy: "Apply an earlier version of its routing file with --replace instead.",
      done: "Nothing was changed.",
    });
  }
  assertLast(runs, id, run);
  const builder = new ModelBuilder(records);
  for (const change of run.changes) builder.add(change);
  return builder.result(run.routing);
}

/** The address of a resource that was replaced, before it is deleted; see `asideAddress`. */
const ASIDE = /-replaced-[\da-f]{6}(?:\/|$)/u;

/**
 * Refuses to take back what a later run builds on. The runs that take this one back do not count, nor
 * does a later run that was taken back itself.
 */
function assertLast(runs: RunHistory, id: string, run: RecordedRun): void {
  const ids = [...runs.keys()];
  const addresses = new Set(run.changes.flatMap(addressesOf));
  const after = ids.slice(ids.indexOf(id) + 1);
  const settled = new Set<string>();
  for (const other of after.toReversed()) {
    const { undoes } = runs.get(other) ?? {};
    if (undoes === undefined || settled.has(other)) continue;
    settled.add(other).add(undoes);
  }
  const later = after.filter((other) => {
    const { changes = [] } = runs.get(other) ?? {};
    return (
      !settled.has(other) && changes.flatMap(addressesOf).some((address) => addresses.has(address))
    );
  });
  const [last] = later.toReversed();
  if (last === undefined) return;
  throw new ConflictError(
    `${later.length === 1 ? "A later run has" : "Later runs have"} changed the same: ${later.join(", ")}`,
    {
      remedy: "Take the latest one back first.",
      done: "Nothing was changed.",
      suggestion: suggest("notify undo", [last]),
      data: { runs: later },
    },
  );
}

function addressesOf({ address, from }: RunChange): Address[] {
  return from === undefined ? [address] : [address, from];
}

/** Collects the parts of the routing that takes a run back. */
class ModelBuilder {
  readonly #records: Records;
  readonly #destinations = new Map<string, DestinationPart>();
  readonly #topics = new Map<string, TopicPart>();
  readonly #remove = new Set<Address>();
  readonly #left: string[] = [];

  constructor(records: Records) {
    this.#records = records;
  }

  add(change: RunChange): void {
    const { address, id, action, from } = change;
    const isThere = this.#records.get(address)?.id === id;
    if (action === "created") {
      if (isThere) this.#remove.add(address);
    } else if (action === "deleted") {
      if (!this.#records.has(address)) this.#create(change);
    } else if (isThere || (from !== undefined && this.#records.get(from)?.id === id)) {
      this.#restore(change, isThere);
    }
  }

  result(name: string | undefined): TakeBack {
    const model = {
      ...(name === undefined ? {} : { name }),
      destinations: this.#destinations,
      topics: this.#topics,
    };
    return { model, remove: this.#remove, left: this.#left };
  }

  /** Gives a resource its earlier values and name. */
  #restore({ address, from = address, before = {}, hidden = [] }: RunChange, isRenamed: boolean) {
    const { kind, names } = addressParts(from);
    const [name = ""] = names;
    const [current] = addressParts(address).names;
    const rename =
      isRenamed && current !== name && current !== undefined ? { renamedFrom: current } : {};
    const unknown = hidden.filter((path) => path !== "type");
    const added = Object.keys(before).filter((path) => before[path] === null);
    if (unknown.length > 0) {
      this.#left.push(
        `${address}: the earlier ${listed(unknown)} was not kept, because it is secret or was not shown.`,
      );
    }
    if (added.length > 0) {
      this.#left.push(`${address}: ${listed(added)} had no value before, and stays as it is.`);
    }
    if (kind === "topic") {
      this.#topics.set(name, { ...this.#topic(name), ...rename });
      return;
    }
    const { type } = before;
    if (typeof type !== "string") {
      this.#left.push(`${address}: its type is not known, so that it stays as it is.`);
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
      if (typeof type !== "string" || hidden.length > 0 || needsSecrets(type)) {
        this.#left.push(
          `${address} cannot be created again: its type, or a secret of it, is not kept.`,
        );
        return;
      }
      const metadata = metadataOf(before);
      this.#destinations.set(first, { kind: "new", type, metadata, secrets: {} });
    }
  }

  #connect(address: Address, topicName: string, destination: string): void {
    const known = this.#records.get(`destination/${destination}` as Address);
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
