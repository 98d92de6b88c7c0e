import { fitData } from "../../events/message/payloads.ts";
import type { SandboxClock } from "../clock.ts";
import { Refusal } from "../problem.ts";
import type { World, WorldDestination } from "../world.ts";
import { Deliverer, type DelivererParts } from "./deliverer.ts";
import {
  type AttemptRecord,
  type DeliveryFault,
  type EventEntry,
  type JournalEntry,
  longId,
  type Reach,
  type SandboxEvent,
  urlOf,
} from "./delivery.ts";
import { EventHistory } from "./history.ts";
import type { Journal, StreamName } from "./journal.ts";
import { eventsOf, type Occurrence, reachesOf } from "./occurrences.ts";

/** The options of delivery. */
export interface EventOptions {
  /** How many times as fast as the platform's the schedule passes; default 1. */
  readonly timeScale?: number | undefined;
  /** Whether messages are sent to other machines; default: to this one alone. */
  readonly deliverToAnyHost?: boolean | undefined;
  /** The time in which a receiver must answer; default: the platform's 15 s. */
  readonly attemptTimeoutMs?: number | undefined;
  /** The entries of an earlier process, and the journal that continues them. */
  readonly history?: EventHistory | undefined;
  readonly journal?: Journal | undefined;
  /** Appends a line to the file of a stream destination; default: it is kept nowhere. */
  readonly append?: ((stream: StreamName, line: string) => Promise<void>) | undefined;
  readonly onAttempt?: ((attempt: AttemptRecord) => void) | undefined;
  /** Called with each problem that no response reports. */
  readonly onRemark?: ((remark: string) => void) | undefined;
}

/** What whoever watches a sandbox is told: an event, an attempt at a message of it, or else a change. */
export interface Notice {
  readonly eventId?: string;
  readonly messageId?: string;
}

/** The events of a sandbox: what happens goes where the routes lead at this moment. */
export class PlatformEvents {
  readonly history: EventHistory;
  readonly timeScale: number;
  readonly deliversToAnyHost: boolean;
  readonly #watchers = new Set<(notice: Notice) => void>();
  readonly #options: EventOptions;
  readonly #parts: DelivererParts;
  #deliverer: Deliverer;
  readonly #world: () => World;
  readonly #clock: SandboxClock;
  #faults: readonly DeliveryFault[] = [];
  #forwarding: Promise<unknown> = Promise.resolve();
  /** The number of events ever; the time makes the ID of an event unique beyond this process. */
  #sequence: number;
  #origin = "http://127.0.0.1";

  constructor(world: () => World, clock: SandboxClock, options: EventOptions = {}) {
    this.#options = options;
    this.#world = world;
    this.#clock = clock;
    this.history = options.history ?? new EventHistory();
    clock.aheadMs = this.history.aheadMs ?? clock.aheadMs;
    this.#sequence = this.history.counts.events;
    this.timeScale = options.timeScale ?? 1;
    this.deliversToAnyHost = options.deliverToAnyHost ?? false;
    this.#parts = {
      world,
      clock,
      history: this.history,
      timeScale: this.timeScale,
      deliverToAnyHost: this.deliversToAnyHost,
      attemptTimeoutMs: options.attemptTimeoutMs,
      record: (entry) => this.#record(entry),
      append: (destination, line) => this.#append(destination, line),
      onAttempt: (attempt) => {
        this.#tell(attempt);
        this.#options.onAttempt?.(attempt);
      },
      disable: (destination) => this.#disable(destination),
      takeFault: (destinationId) => this.#takeFault(destinationId),
    };
    this.#deliverer = new Deliverer(this.#parts);
    this.#deliverer.resume();
  }

  /**
   * Calls a function with each change.
   * @returns ends it
   */
  watch(watcher: (notice: Notice) => void): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  #tell(notice: Notice): void {
    for (const watcher of this.#watchers) watcher(notice);
  }

  /**
   * Accepts an event, as often as it occurs: it will be delivered even if the process is killed, if
   * it has a state.
   * @param origin that of the sandbox's own URL, for the addresses of configs
   * @throws the error of the journal; nothing has occurred then
   */
  async occur(
    event: Occurrence,
    { repeat = 1, origin }: { repeat?: number | undefined; origin?: string } = {},
  ): Promise<{ readonly eventIds: readonly string[]; readonly reaches: readonly Reach[] }> {
    this.#origin = origin ?? this.#origin;
    const reaches = reachesOf(this.#world(), event);
    const entries = Array.from({ length: repeat }, () => this.#entryOf(event, reaches));
    await this.#options.journal?.append(entries, { isDurable: true });
    this.#begin(entries);
    return { eventIds: entries.map(({ event }) => event.id), reaches };
  }

  /** An event that has not occurred yet, with a message for each way. */
  #entryOf({ projectId, type, data }: Occurrence, reaches: readonly Reach[]): EventEntry {
    const time = this.#clock.now().toISOString();
    const id = longId("evt", ++this.#sequence, time, type);
    const event = this.#fitted({ id, projectId, type, time, data });
    const messages = reaches.map((reach) => ({
      id: longId("msg", id, reach.topicId ?? "", reach.destinationId),
      ...reach,
    }));
    return { kind: "event", event, messages };
  }

  /** Lets events occur that are saved. */
  #begin(entries: readonly EventEntry[]): void {
    for (const entry of entries) {
      this.history.apply(entry);
      this.#tell({ eventId: entry.event.id });
      for (const tracked of this.history.messagesOf(entry.event.id))
        void this.#deliverer.deliver(tracked);
    }
  }

  /** The events that a change of the world causes, to be saved with it. */
  causedBy(before: World, after: World): readonly EventEntry[] {
    return eventsOf(before, after, this.#clock.now()).map((event) => ({
      ...this.#entryOf(event, reachesOf(after, event)),
      isCaused: true,
    }));
  }

  /** Fires the events of a change that is saved. Never rejects. */
  async changed(before: World, after: World, caused: readonly EventEntry[]): Promise<void> {
    if (caused.length > 0) {
      await this.#save(caused);
      this.#begin(caused);
    }
    this.#tell({});
    if (before.destinations === after.destinations) return;
    const old = new Set(before.destinations);
    for (const destination of after.destinations) {
      if (!old.has(destination)) await this.#deliverer.enable(destination.id);
    }
  }

  /**
   * Delivers a message again, or all messages of an event.
   * @returns the attempts, when they are made; undefined if none has this ID
   * @throws {Refusal} for a destination that is paused
   */
  async redeliver(id: string, projectId?: string): Promise<readonly AttemptRecord[] | undefined> {
    const one = this.history.message(id);
    const event = one?.event ?? this.history.event(id);
    if (event === undefined || ![event.projectId, undefined].includes(projectId)) return undefined;
    const all = one === undefined ? this.history.messagesOf(id) : [one];
    if (all.some(({ message }) => this.history.paused.has(message.destinationId))) {
      throw new Refusal("wrong-state", "The destination is paused, so nothing was sent.", {
        remedy: "Resume it with amp sandbox resume, then deliver the message again.",
      });
    }
    const made = await Promise.all(all.map((tracked) => this.#deliverer.deliver(tracked)));
    return made.flatMap((attempt) => attempt ?? []);
  }

  /** The deliveries that are still to fail. */
  get faults(): readonly DeliveryFault[] {
    return this.#faults;
  }

  /** Fails the next deliveries, after those of earlier faults. */
  fail(fault: DeliveryFault): void {
    this.#faults = [...this.#faults, fault];
    this.#tell({});
  }

  #takeFault(destinationId: string): DeliveryFault | undefined {
    const found = this.#faults.find(
      (one) => (one.destinationId ?? destinationId) === destinationId,
    );
    if (found === undefined) return undefined;
    this.#faults = this.#faults.flatMap((one) => {
      if (one !== found) return one;
      return one.left > 1 ? { ...one, left: one.left - 1 } : [];
    });
    this.#tell({});
    return found;
  }

  /** Lets the messages to a destination wait, or sends those that wait. */
  async pause(destinationId: string, isPaused: boolean): Promise<void> {
    await this.#record({ kind: isPaused ? "paused" : "resumed", destinationId });
    if (!isPaused) this.#deliverer.start(destinationId);
    this.#tell({});
  }

  /** Sets the clock forward. What is due meanwhile is attempted, each at its own time. */
  async forward(ms: number): Promise<void> {
    const pass = async () => {
      await this.#deliverer.passUntil(this.#clock.now().getTime() + ms);
      await this.#record({ kind: "clock", aheadMs: this.#clock.aheadMs });
      this.#tell({});
    };
    const passed = this.#forwarding.then(pass);
    this.#forwarding = passed.catch(() => undefined);
    return passed;
  }

  /** Forgets every event, attempt and fault, and sets the clock back. */
  async reset(): Promise<void> {
    await this.#deliverer.close();
    this.history.apply({ kind: "reset" });
    this.#faults = [];
    this.#clock.reset();
    this.#deliverer = new Deliverer(this.#parts);
    await this.#save([{ kind: "reset" }]);
    this.#tell({});
  }

  /** Resolves when no message is waiting for an attempt any more. */
  settled(): Promise<void> {
    return this.#deliverer.settled();
  }

  /** Ends all deliveries. What is open is delivered by the next process that has the same state. */
  async close(): Promise<void> {
    await this.#deliverer.close();
    await this.#options.journal?.close();
  }

  async #append({ id, name, projectId }: WorldDestination, line: string): Promise<void> {
    const project = this.#world().projects.find((each) => each.id === projectId)?.name;
    await this.#options.append?.({ project: project ?? projectId, destination: name, id }, line);
  }

  #fitted(event: SandboxEvent): SandboxEvent {
    const replaced: Record<string, unknown> = {};
    const data = fitData(event.type, event.data, (field) => {
      replaced[field] = event.data[field];
      return `${this.#origin}/v1/sandbox/events/${event.id}/${field}`;
    });
    return data === event.data ? event : { ...event, data, replaced };
  }

  async #record(entry: JournalEntry): Promise<void> {
    this.history.apply(entry);
    await this.#options.journal?.append([entry]).catch((error: Error) => {
      this.#options.onRemark?.(`An attempt could not be saved: ${error.message}`);
    });
  }

  /** Disables a destination, which is an event. Both are saved at once, the event first. */
  async #disable(destination: WorldDestination): Promise<void> {
    const { id, name, projectId } = destination;
    const data = { projectId, destinationId: id, destinationName: name, url: urlOf(destination) };
    const event = { projectId, type: "destination.webhook.disabled", data };
    const entry = this.#entryOf(event, reachesOf(this.#world(), event));
    const disabled = { kind: "disabled", destinationId: id, time: entry.event.time } as const;
    // At once, so that no further message is attempted meanwhile.
    this.history.apply(disabled);
    await this.#save([entry, disabled]);
    this.#begin([entry]);
    this.#tell({});
  }

  /** Saves what has happened whether it can be saved or not. */
  async #save(entries: readonly JournalEntry[]): Promise<void> {
    await this.#options.journal?.append(entries, { isDurable: true }).catch((error: Error) => {
      const types = entries.flatMap((entry) => (entry.kind === "event" ? entry.event.type : []));
      this.#options.onRemark?.(
        `The event ${types.join(", ")} could not be saved: ${error.message}`,
      );
    });
  }
}
