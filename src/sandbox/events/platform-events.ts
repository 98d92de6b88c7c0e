import { fitData } from "../../events/message/payloads.ts";
import type { World, WorldDestination } from "../world.ts";
import {
  type AttemptRecord,
  attempt,
  DISABLE_AFTER_MS,
  type EventEntry,
  EventHistory,
  type JournalEntry,
  longId,
  RETRY_DELAYS_MS,
  type Reach,
  type SandboxEvent,
  type TrackedMessage,
  urlOf,
} from "./delivery.ts";
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

/** The events of a sandbox: what happens goes where the routes lead at this moment. */
export class PlatformEvents {
  readonly history: EventHistory;
  readonly timeScale: number;
  readonly deliversToAnyHost: boolean;
  /** Who waits for the next attempt at a message. */
  readonly #awaited = new Map<string, ((attempt: AttemptRecord) => void)[]>();
  readonly #options: EventOptions;
  readonly #deliverer: Deliverer;
  readonly #world: () => World;
  readonly #now: () => Date;
  /** The number of events ever; the time makes the ID of an event unique beyond this process. */
  #sequence: number;
  #origin = "http://127.0.0.1";

  constructor(world: () => World, now: () => Date, options: EventOptions = {}) {
    this.#options = options;
    this.#world = world;
    this.#now = now;
    this.history = options.history ?? new EventHistory();
    this.#sequence = this.history.counts.events;
    this.timeScale = options.timeScale ?? 1;
    this.deliversToAnyHost = options.deliverToAnyHost ?? false;
    this.#deliverer = new Deliverer({
      world,
      now,
      history: this.history,
      timeScale: this.timeScale,
      deliverToAnyHost: this.deliversToAnyHost,
      attemptTimeoutMs: options.attemptTimeoutMs,
      record: (entry) => this.#record(entry),
      append: (destination, line) => this.#append(destination, line),
      onAttempt: (attempt) => this.#attempted(attempt),
      disable: (destination) => this.#disable(destination),
    });
    this.#deliverer.resume();
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
    const time = this.#now().toISOString();
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
      for (const tracked of this.history.messagesOf(entry.event.id))
        this.#deliverer.deliver(tracked);
    }
  }

  /** The events that a change of the world causes, to be saved with it. */
  causedBy(before: World, after: World): readonly EventEntry[] {
    return eventsOf(before, after, this.#now()).map((event) => ({
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
    if (before.destinations === after.destinations) return;
    const old = new Set(before.destinations);
    for (const destination of after.destinations) {
      if (!old.has(destination)) await this.#deliverer.enable(destination.id);
    }
  }

  /**
   * Delivers a message again, or all messages of an event.
   * @returns the attempts, when they are made; undefined if none has this ID
   */
  async redeliver(projectId: string, id: string): Promise<readonly AttemptRecord[] | undefined> {
    const one = this.history.message(id);
    const event = one?.event ?? this.history.event(id);
    if (event?.projectId !== projectId) return undefined;
    const all = one === undefined ? this.history.messagesOf(id) : [one];
    return Promise.all(
      all.map(
        (tracked) =>
          new Promise<AttemptRecord>((resolve) => {
            const { id: messageId } = tracked.message;
            this.#awaited.set(messageId, [...(this.#awaited.get(messageId) ?? []), resolve]);
            this.#deliverer.deliver(tracked);
          }),
      ),
    );
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

  #attempted(attempt: AttemptRecord): void {
    const awaited = this.#awaited.get(attempt.messageId) ?? [];
    this.#awaited.delete(attempt.messageId);
    for (const resolve of awaited) resolve(attempt);
    this.#options.onAttempt?.(attempt);
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

/** How many attempts at one destination run at the same time. */
const AT_ONCE = 8;

interface DelivererParts {
  readonly history: EventHistory;
  readonly world: () => World;
  readonly now: () => Date;
  /** How many times as fast as the platform's the waits between attempts pass. */
  readonly timeScale: number;
  readonly deliverToAnyHost: boolean;
  /** Not scaled: the clock of the receiver is the real one. */
  readonly attemptTimeoutMs?: number | undefined;
  /** Notes an entry in the history at once, and in the journal if there is one. Never rejects. */
  readonly record: (entry: JournalEntry) => Promise<void>;
  /** Appends what a stream destination receives. */
  readonly append: (destination: WorldDestination, line: string) => Promise<void>;
  readonly onAttempt: (attempt: AttemptRecord) => void;
  /** Disables a webhook destination. Never rejects. */
  readonly disable: (destination: WorldDestination) => Promise<void>;
}

/**
 * Delivers messages by the platform's schedule. Nothing that it waits for keeps the process alive.
 */
class Deliverer {
  readonly #parts: DelivererParts;
  readonly #end = new AbortController();
  readonly #ready = new Map<string, { messages: TrackedMessage[]; running: number }>();
  /** The waits for the next attempt. */
  readonly #timers = new Map<TrackedMessage, NodeJS.Timeout>();
  /** The waits for the end of the time in which a failing destination may recover. */
  readonly #doubts = new Map<string, NodeJS.Timeout>();
  #running = 0;
  #isClosed = false;
  #idle: (() => void)[] = [];

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /** Takes up what an earlier process left open. */
  resume(): void {
    for (const tracked of this.#parts.history.open()) this.#schedule(tracked);
    for (const destinationId of this.#parts.history.failing.keys()) this.#doubt(destinationId);
  }

  deliver(tracked: TrackedMessage): void {
    const { destinationId } = tracked.message;
    clearTimeout(this.#timers.get(tracked));
    this.#timers.delete(tracked);
    let queue = this.#ready.get(destinationId);
    if (queue === undefined) {
      queue = { messages: [], running: 0 };
      this.#ready.set(destinationId, queue);
    }
    queue.messages.push(tracked);
    this.#start(destinationId);
  }

  /** Resolves when no message is waiting for an attempt any more, not even for a later one. */
  async settled(): Promise<void> {
    while (this.#running > 0 || this.#timers.size > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve));
    }
  }

  /** Ends all waits, and resolves when the attempts in progress have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of [...this.#timers.values(), ...this.#doubts.values()]) clearTimeout(timer);
    this.#timers.clear();
    this.#doubts.clear();
    this.#ready.clear();
    // Connections that hang would hold up the end; their messages are attempted again.
    this.#end.abort();
    await this.settled();
  }

  /** The destination was changed, so that what was known of its failures no longer counts. */
  async enable(destinationId: string): Promise<void> {
    const { history, record } = this.#parts;
    if (!history.failing.has(destinationId) && !history.disabled.has(destinationId)) return;
    this.#settleDoubt(destinationId);
    await record({ kind: "enabled", destinationId });
  }

  #start(destinationId: string): void {
    const queue = this.#ready.get(destinationId);
    while (queue !== undefined && queue.running < AT_ONCE && !this.#isClosed) {
      const next = queue.messages.shift();
      if (next === undefined) break;
      queue.running += 1;
      this.#running += 1;
      void this.#attempt(next).finally(() => {
        queue.running -= 1;
        this.#running -= 1;
        this.#start(destinationId);
        this.#wake();
      });
    }
    if (queue?.running === 0 && queue.messages.length === 0) this.#ready.delete(destinationId);
  }

  #wake(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }

  async #attempt(tracked: TrackedMessage): Promise<void> {
    const { history, now, timeScale, record, onAttempt, world } = this.#parts;
    const { message, event } = tracked;
    const time = now();
    const destination = world().destinations.find(({ id }) => id === message.destinationId);
    const { disables, ...result } = await attempt(tracked, destination, {
      ...this.#parts,
      time,
      signal: this.#end.signal,
      isDisabled: history.disabled.has(message.destinationId),
    });
    // Cut off by the end of this process: the next one attempts it again.
    if (this.#isClosed) return;
    // Counted only now: another attempt may have been made by hand meanwhile.
    const number = tracked.attempts + 1;
    const delay = result.outcome === "failed" ? RETRY_DELAYS_MS[number - 1] : undefined;
    // A message that was delivered again, by hand, has no schedule any more.
    const isScheduled = delay !== undefined && !tracked.isFinished;
    const due = isScheduled ? new Date(now().getTime() + delay / timeScale) : undefined;
    const made: AttemptRecord = {
      sequence: history.counts.attempts + 1,
      projectId: event.projectId,
      messageId: message.id,
      eventId: event.id,
      eventType: event.type,
      topicId: message.topicId,
      destinationId: message.destinationId,
      destinationName: destination?.name,
      url: urlOf(destination),
      attempt: number,
      time: time.toISOString(),
      ...result,
      nextAttemptTime: due?.toISOString(),
    };
    await record({ kind: "attempt", attempt: made });
    onAttempt(made);
    if (due !== undefined) this.#schedule(tracked);
    if (destination === undefined) return;
    if (disables) await this.#disable(destination.id);
    else if (made.outcome === "delivered") this.#settleDoubt(destination.id);
    else if (history.failing.has(destination.id)) this.#doubt(destination.id);
  }

  #schedule(tracked: TrackedMessage): void {
    if (this.#isClosed) return;
    const due = tracked.due === undefined ? 0 : Date.parse(tracked.due);
    const wait = Math.max(0, due - this.#parts.now().getTime());
    this.#timers.set(tracked, setTimeout(() => this.deliver(tracked), wait).unref());
  }

  /** Disables a destination unless something is delivered to it in time. */
  #doubt(destinationId: string): void {
    const { history, now, timeScale } = this.#parts;
    if (this.#doubts.has(destinationId) || this.#isClosed) return;
    const since = Date.parse(history.failing.get(destinationId) ?? "");
    const wait = since + DISABLE_AFTER_MS / timeScale - now().getTime();
    const timer = setTimeout(() => void this.#disable(destinationId), Math.max(0, wait)).unref();
    this.#doubts.set(destinationId, timer);
  }

  #settleDoubt(destinationId: string): void {
    clearTimeout(this.#doubts.get(destinationId));
    this.#doubts.delete(destinationId);
  }

  async #disable(destinationId: string): Promise<void> {
    const { history, world, disable } = this.#parts;
    this.#settleDoubt(destinationId);
    const destination = world().destinations.find(({ id }) => id === destinationId);
    if (destination === undefined || history.disabled.has(destinationId)) return;
    await disable(destination);
  }
}
