import { apiErrors } from "../../../src/api/errors.ts";
import type { Api, Endpoint, WriteInput } from "../../../src/api/operations/endpoint.ts";
import {
  ConflictError,
  InterruptedError,
  NotFoundError,
  RejectedError,
  ServiceError,
  UnknownOutcomeError,
} from "../../../src/errors.ts";
import type { ResourceKind } from "../../../src/notify/model/resource.ts";
import type { ServiceClock } from "../../../src/values/service-clock.ts";
import { answerCreate, type CreateFault } from "./create-faults.ts";
import type { Clock } from "./simulated-clock.ts";

/** A record of the simulated service. */
export interface StoredRecord {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** How long ago a list learned of what, in ms: each is behind on its own. */
export interface Lag {
  readonly created: number;
  readonly deleted: number;
  readonly values: number;
}

/**
 * What happens to a write beside the faults of creates: it is done after so many ms, or never, and
 * its answer is lost.
 */
export type LostWrite = { readonly doneAfter: number | undefined };

/** A write that was done, in its order. */
export interface DoneWrite {
  readonly op: "create" | "update" | "delete";
  /** Who sent it, by the options at that time. */
  readonly sender: number;
  readonly id: string;
  /** The record before it, or as it was created. */
  readonly record: StoredRecord;
}

/** A record with what it was, and when. */
interface Life {
  readonly id: string;
  readonly kind: ResourceKind;
  readonly from: number;
  until?: number;
  readonly versions: { readonly time: number; readonly fields: StoredRecord["fields"] }[];
}

/** How a service is. */
export interface ServiceOptions {
  readonly lists: boolean;
  readonly uniqueNames: boolean;
  /** How long a list is behind, in ms, told anew for each one. */
  readonly lag: () => number | Lag;
  /** By the number of the create, from 1. */
  readonly faults: ReadonlyMap<number, CreateFault>;
  /** Whether it has deletes. */
  readonly deletes: boolean;
  /** Whether it has updates. */
  readonly updates: boolean;
  /** What happens to the next write; undefined: nothing. */
  readonly lose: (op: DoneWrite["op"]) => LostWrite | undefined;
  readonly sender: number;
  /** Called when a write of a client is done. */
  readonly done: (write: DoneWrite) => void;
  readonly undeletable: ResourceKind | undefined;
  readonly listsFail: boolean;
  /** How far its clock is ahead, told anew for each answer; absent: its answers have no dates. */
  readonly dates: (() => number) | undefined;
  /** How a record is told by a list. */
  readonly asListed: (fields: StoredRecord["fields"]) => StoredRecord["fields"];
  /** Called when a create has come. */
  readonly atCreate: (nth: number) => void;
}

const LATENCY_MS = 20;

const KINDS: Readonly<Record<string, ResourceKind>> = {
  destinations: "destination",
  topics: "topic",
  "notification-event-topic-routes": "event-route",
  "topic-destination-routes": "destination-route",
};

const WHAT: Readonly<Record<ResourceKind, readonly string[]>> = {
  destination: ["name"],
  topic: ["name"],
  "event-route": ["topicId", "eventType"],
  "destination-route": ["topicId", "destinationId"],
};

/** What makes two records the same thing. */
export function naturalKey({ kind, fields }: Pick<StoredRecord, "kind" | "fields">): string {
  return JSON.stringify([kind, ...WHAT[kind].map((field) => fields[field])]);
}

/**
 * The platform in memory, with a network in front of it that fails as it is told. The sandbox with
 * faults cannot take its place: here time is simulated, so that a create may be committed 60 s late
 * and a list be behind, in hundreds of random runs a minute, and a process may be killed between any
 * two steps. `engine-over-http.test.ts` and the fault matrix run the same engine on the sandbox.
 */
export class SimulatedService {
  readonly records = new Map<string, StoredRecord>();
  /** Bodies and keys of every create that reached it, or should have. */
  readonly creates: { readonly kind: ResourceKind; readonly key: string | undefined }[] = [];
  readonly deleted: string[] = [];
  /** The most creates that it was at work with at once. */
  mostInFlight = 0;
  #inFlight = 0;
  options: ServiceOptions;
  readonly clock: Clock;
  readonly #lives: Life[] = [];
  #ids = 0;

  constructor(clock: Clock, options: Partial<ServiceOptions> = {}) {
    this.clock = clock;
    this.options = {
      lists: true,
      uniqueNames: true,
      lag: () => 0,
      dates: () => 0,
      faults: new Map(),
      deletes: true,
      updates: true,
      lose: () => undefined,
      sender: 0,
      done: () => {},
      undeletable: undefined,
      listsFail: false,
      asListed: (fields) => fields,
      atCreate: () => {},
      ...options,
    };
  }

  /** Creates a record past the network. */
  add(kind: ResourceKind, fields: StoredRecord["fields"]): StoredRecord {
    this.#ids += 1;
    const record = { kind, id: `${kind}-${this.#ids}`, fields };
    this.records.set(record.id, record);
    const time = this.clock.elapsed();
    this.#lives.push({ id: record.id, kind, from: time, versions: [{ time, fields }] });
    return record;
  }

  /** Changes a record past the network. */
  change(id: string, changed: StoredRecord["fields"]): void {
    const record = this.records.get(id);
    if (record === undefined) return;
    const fields = { ...record.fields, ...changed };
    this.records.set(id, { ...record, fields });
    this.#lifeOf(id)?.versions.push({ time: this.clock.elapsed(), fields });
  }

  remove(id: string): void {
    if (!this.records.delete(id)) return;
    const life = this.#lifeOf(id);
    if (life) life.until = this.clock.elapsed();
  }

  #lifeOf(id: string): Life | undefined {
    return this.#lives.find((life) => life.id === id);
  }

  ofKind(kind: ResourceKind): readonly StoredRecord[] {
    return [...this.records.values()].filter((record) => record.kind === kind);
  }

  /** Natural keys that several records have. */
  duplicates(): readonly string[] {
    const keys = [...this.records.values()].map(naturalKey);
    return keys.filter((key, at) => keys.indexOf(key) !== at);
  }

  /** A client; it may be killed, and the service goes on. */
  api(serviceClock?: ServiceClock): Api {
    const call = async (endpoint: Endpoint, input: Input) => {
      const listen = serviceClock?.listen();
      const { sender } = this.options;
      await this.clock.sleep(LATENCY_MS);
      const { dates } = this.options;
      if (dates !== undefined) {
        const date = new Date(this.clock.elapsed() + dates()).toUTCString();
        listen?.(new Headers({ date }));
      }
      const [, , , collection = ""] = endpoint.path.split("/");
      const kind = KINDS[collection];
      if (kind === undefined) return [];
      if (endpoint.method === "GET") return this.#list(kind, endpoint);
      if (endpoint.method === "DELETE")
        return this.#delete(Object.values(input.path ?? {}), endpoint, sender);
      if (endpoint.method === "PATCH")
        return this.#update(Object.values(input.path ?? {}), endpoint, { ...input, sender });
      this.#inFlight += 1;
      this.mostInFlight = Math.max(this.mostInFlight, this.#inFlight);
      return this.#create(kind, { ...input, sender }).finally(() => {
        this.#inFlight -= 1;
      });
    };
    return {
      call: call as Api["call"],
      list: () => Promise.reject(new Error("no long lists here")),
      raw: () => Promise.reject(new Error("no raw requests here")),
    };
  }

  #list(kind: ResourceKind, endpoint: Endpoint): readonly object[] {
    if (!this.options.lists) throw missing(endpoint, 404);
    if (this.options.listsFail) throw new ServiceError("the list fails (500)", { status: 500 });
    const now = this.clock.elapsed();
    const lag = this.options.lag();
    const { created, deleted, values } =
      typeof lag === "number" ? { created: lag, deleted: lag, values: lag } : lag;
    const isListed = ({ kind: own, from, until = Number.POSITIVE_INFINITY }: Life) =>
      own === kind && from <= now - created && until > now - deleted;
    return this.#lives.filter(isListed).map(({ id, from, versions }) => {
      const version = versions.findLast(({ time }) => time <= now - values) ?? versions[0];
      const { dates } = this.options;
      const createTime = dates && new Date(from + dates()).toISOString();
      return {
        ...this.options.asListed(version?.fields ?? {}),
        id,
        ...(createTime && { createTime }),
      };
    });
  }

  #delete(path: readonly string[], endpoint: Endpoint, sender: number): undefined {
    if (!this.options.deletes) throw missing(endpoint, 405);
    const id = path.at(-1) ?? "";
    const { undeletable } = this.options;
    if (undeletable !== undefined && this.records.get(id)?.kind === undeletable) {
      throw new RejectedError("in use (422)", { status: 422 });
    }
    const remove = () => {
      const record = this.records.get(id);
      if (record === undefined) throw new NotFoundError("not found (404)", { status: 404 });
      this.options.done({ op: "delete", sender, id, record });
      this.remove(id);
      this.deleted.push(id);
    };
    this.#answered("delete", remove);
    return undefined;
  }

  #update(path: readonly string[], endpoint: Endpoint, { body = {}, sender }: Sent): object {
    if (!this.options.updates) throw missing(endpoint, 405);
    const id = path.at(-1) ?? "";
    const sent = (body.destination ?? body) as StoredRecord["fields"];
    this.#answered("update", () => {
      const record = this.records.get(id);
      if (record === undefined) throw new NotFoundError("not found (404)", { status: 404 });
      this.options.done({ op: "update", sender, id, record });
      this.change(id, {
        ...sent,
        ...(sent.metadata ? { metadata: merged(record.fields.metadata, sent.metadata) } : {}),
      });
    });
    return { ...this.records.get(id)?.fields, id };
  }

  /** Does a write, unless its answer is lost: then it may be done later, or never. */
  #answered(op: DoneWrite["op"], write: () => void): void {
    const lost = this.options.lose(op);
    if (lost === undefined) {
      write();
      return;
    }
    this.#commitLater(write, lost.doneAfter);
    throw new UnknownOutcomeError("It is unknown whether it was done", {}, { reason: "reset" });
  }

  async #create(kind: ResourceKind, sent: Sent) {
    const { body = {}, idempotencyKey, signal, onRequestId, sender } = sent;
    const nth = this.creates.push({ kind, key: idempotencyKey });
    this.options.atCreate(nth);
    const requestId = `req#${nth}`;
    const commit = () => this.#commit(kind, body, sender);
    const lost = this.options.lose("create");
    const fault: CreateFault = lost
      ? { do: "reset", ...(lost.doneAfter === undefined ? {} : { commit: lost.doneAfter }) }
      : { do: "slow", ms: 0 };
    const record = await answerCreate(this.options.faults.get(nth) ?? fault, {
      requestId,
      commit,
      commitLater: (ms) => this.#commitLater(commit, ms),
      wait: (ms) => this.#wait(ms, signal),
      after: (seconds) => new Date(this.clock.now().getTime() + 1000 * seconds).toISOString(),
    });
    onRequestId?.(requestId);
    return { ...record.fields, id: record.id };
  }

  async #wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.clock.sleep(ms, signal).catch(() => {
      throw new InterruptedError("Interrupted");
    });
  }

  #commitLater(commit: () => unknown, ms: number | undefined): void {
    if (ms === undefined) return;
    const attempt = () => {
      try {
        commit();
      } catch {
        // Refused, and nobody is there to hear it.
      }
    };
    if (ms === 0) attempt();
    else void this.clock.sleep(ms).then(attempt);
  }

  #commit(kind: ResourceKind, fields: StoredRecord["fields"], sender: number): StoredRecord {
    const { name, topicId, destinationId } = fields;
    const isTaken = this.ofKind(kind).some((record) => record.fields.name === name);
    if (this.options.uniqueNames && name !== undefined && isTaken) {
      throw new ConflictError("taken (409)", { status: 409 });
    }
    for (const end of [topicId, destinationId]) {
      if (end !== undefined && !this.records.has(end as string)) {
        throw new NotFoundError("no such end (404)", { status: 404 });
      }
    }
    const record = this.add(kind, fields);
    this.options.done({ op: "create", sender, id: record.id, record });
    return record;
  }
}

interface Input extends WriteInput {
  readonly path?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
}

interface Sent extends Input {
  readonly sender: number;
}

/** Metadata with some of its fields changed; null removes one. */
function merged(before: unknown, changed: unknown): object {
  const all = Object.entries({ ...(before as object), ...(changed as object) });
  return Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined));
}

/** The client's error for an operation that a service lacks. */
function missing({ optional }: Endpoint, status: number): NotFoundError {
  if (optional === undefined) throw new Error("every service has this operation");
  return apiErrors.operation_missing(optional, status);
}
