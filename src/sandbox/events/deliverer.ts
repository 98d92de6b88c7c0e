import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import type { SandboxClock } from "../clock.ts";
import type { World, WorldDestination } from "../world.ts";
import {
  type AttemptRecord,
  attempt,
  type DeliveryFacts,
  DISABLE_AFTER_MS,
  isFinished,
  type JournalEntry,
  RETRY_DELAYS_MS,
  type TrackedMessage,
  urlOf,
} from "./delivery.ts";
import type { EventHistory } from "./history.ts";

/** How many attempts at one destination run at the same time. */
const AT_ONCE = 8;

/** What deliveries need. */
export interface DelivererParts
  extends Pick<DeliveryFacts, "append" | "attemptTimeoutMs" | "deliverToAnyHost" | "takeFault"> {
  readonly history: EventHistory;
  readonly world: () => World;
  readonly clock: SandboxClock;
  /** How many times as fast as the platform's the waits between attempts pass. */
  readonly timeScale: number;
  /** Notes an entry in the history at once, and in the journal if there is one. Never rejects. */
  readonly record: (entry: JournalEntry) => Promise<void>;
  readonly onAttempt: (attempt: AttemptRecord) => void;
  /** Disables a webhook destination. Never rejects. */
  readonly disable: (destination: WorldDestination) => Promise<void>;
}

/** A message whose turn has come. */
interface Turn {
  readonly tracked: TrackedMessage;
  /** Called with the attempt; with nothing where the end came first. */
  readonly done: (attempt: AttemptRecord | undefined) => void;
}

/** What happens at a time of the sandbox. */
interface Planned {
  readonly at: number;
  readonly run: () => Promise<unknown> | undefined;
  readonly timer: NodeJS.Timeout;
}

/**
 * Delivers messages by the platform's schedule. Nothing that it waits for keeps the process alive.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #end = new AbortController();
  readonly #agents = {
    "http:": new HttpAgent({ keepAlive: true, timeout: 5_000 }),
    "https:": new HttpsAgent({ keepAlive: true, timeout: 5_000 }),
  };
  readonly #ready = new Map<string, { turns: Turn[]; running: number }>();
  /** The next attempts at messages, and the ends of the time in which destinations may recover. */
  readonly #plan = new Map<TrackedMessage | string, Planned>();
  #running = 0;
  #isClosed = false;
  #idle = Promise.withResolvers<void>();

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /** Takes up what an earlier process left open. */
  resume(): void {
    for (const tracked of this.#parts.history.open()) this.#schedule(tracked);
    for (const destinationId of this.#parts.history.failing.keys()) this.#doubt(destinationId);
  }

  /** @returns the attempt, once it is made; undefined where the end came first */
  deliver(tracked: TrackedMessage): Promise<AttemptRecord | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const { destinationId } = tracked.message;
    this.#drop(tracked);
    const queue = this.#ready.get(destinationId) ?? { turns: [], running: 0 };
    this.#ready.set(destinationId, queue);
    const made = Promise.withResolvers<AttemptRecord | undefined>();
    queue.turns.push({ tracked, done: made.resolve });
    this.start(destinationId);
    return made.promise;
  }

  /** Lets time pass until a moment; what is due on the way is attempted in its order. */
  async passUntil(time: number): Promise<void> {
    const { clock } = this.#parts;
    while (!this.#isClosed) {
      // What is being attempted may be due again.
      await this.#attempted();
      const due = Math.min(...[...this.#plan.values()].map(({ at }) => at));
      if (due > time) break;
      clock.reach(due);
      const now = clock.now().getTime();
      const ready = [...this.#plan].filter(([, { at }]) => at <= now);
      // What is attempted at this very moment may still save its destination.
      for (const isMessage of [true, false]) {
        const all = ready.filter(([key]) => (typeof key === "object") === isMessage);
        await Promise.all(all.map(([key, { run }]) => this.#plan.has(key) && run()));
      }
    }
    if (this.#isClosed) return;
    clock.reach(time);
    // Their waits are by the clock as it was.
    for (const [key, { at, run }] of [...this.#plan]) this.#set(key, at, run);
  }

  /** Plans what is to be done for a message or a destination, in place of what was planned. */
  #set(key: TrackedMessage | string, at: number, run: Planned["run"]): void {
    if (this.#isClosed) return;
    this.#drop(key);
    const wait = Math.max(0, at - this.#parts.clock.now().getTime());
    this.#plan.set(key, { at, run, timer: setTimeout(() => void run(), wait).unref() });
  }

  #drop(key: TrackedMessage | string): void {
    clearTimeout(this.#plan.get(key)?.timer);
    this.#plan.delete(key);
  }

  /** Resolves when no message is waiting for an attempt any more, not even for a later one. */
  async settled(): Promise<void> {
    await this.#attempted();
    if (![...this.#plan.keys()].some((key) => typeof key === "object")) return;
    await this.#idle.promise;
    return this.settled();
  }

  /** Resolves when no attempt is in progress. */
  async #attempted(): Promise<void> {
    while (this.#running > 0) await this.#idle.promise;
  }

  /** Ends all waits, and resolves when the attempts in progress have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const key of [...this.#plan.keys()]) this.#drop(key);
    const waiting = [...this.#ready.values()].flatMap(({ turns }) => turns.splice(0));
    for (const { done } of waiting) done(undefined);
    this.#ready.clear();
    // Connections that hang would hold up the end; their messages are attempted again.
    this.#end.abort();
    await this.settled();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  /** The destination was changed, so that what was known of its failures no longer counts. */
  async enable(destinationId: string): Promise<void> {
    const { history, record } = this.#parts;
    if (!history.failing.has(destinationId) && !history.disabled.has(destinationId)) return;
    this.#drop(destinationId);
    await record({ kind: "enabled", destinationId });
  }

  /** Attempts what waits for a destination, as much at once as may be. */
  start(destinationId: string): void {
    if (this.#isClosed || this.#parts.history.paused.has(destinationId)) return;
    const queue = this.#ready.get(destinationId);
    while (queue !== undefined && queue.running < AT_ONCE) {
      const next = queue.turns.shift();
      if (next === undefined) break;
      queue.running += 1;
      this.#running += 1;
      void this.#attempt(next.tracked)
        .then(next.done)
        .finally(() => {
          queue.running -= 1;
          this.#running -= 1;
          this.start(destinationId);
          this.#idle.resolve();
          this.#idle = Promise.withResolvers();
        });
    }
    if (queue?.running === 0 && queue.turns.length === 0) this.#ready.delete(destinationId);
  }

  async #attempt(tracked: TrackedMessage): Promise<AttemptRecord | undefined> {
    const { history, clock, timeScale, record, onAttempt, world } = this.#parts;
    const { message, event } = tracked;
    const time = clock.now();
    const destination = world().destinations.find(({ id }) => id === message.destinationId);
    const { disables, ...result } = await attempt(tracked, destination, {
      ...this.#parts,
      time,
      signedAt: clock.machine(),
      agents: this.#agents,
      signal: this.#end.signal,
      isDisabled: history.disabled.has(message.destinationId),
    });
    // Cut off by the end of this process: the next one attempts it again.
    if (this.#isClosed) return undefined;
    // Counted only now: another attempt may have been made by hand meanwhile.
    const number = (tracked.last?.attempt ?? 0) + 1;
    const delay = result.outcome === "failed" ? RETRY_DELAYS_MS[number - 1] : undefined;
    // A message that was delivered again, by hand, has no schedule any more.
    const isScheduled = delay !== undefined && !isFinished(tracked);
    const due = isScheduled ? new Date(clock.now().getTime() + delay / timeScale) : undefined;
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
    // Another attempt that failed meanwhile may have planned one more.
    else this.#drop(tracked);
    if (destination === undefined) return made;
    if (disables) await this.#disable(destination.id);
    else if (made.outcome === "delivered") this.#drop(destination.id);
    else this.#doubt(destination.id);
    return made;
  }

  #schedule(tracked: TrackedMessage): void {
    const { last, message } = tracked;
    this.#set(tracked, Date.parse(last?.nextAttemptTime ?? "") || 0, () => {
      const made = this.deliver(tracked);
      // Nobody waits for what waits until it is resumed.
      return this.#parts.history.paused.has(message.destinationId) ? undefined : made;
    });
  }

  /** Disables a destination unless something is delivered to it in time. */
  #doubt(destinationId: string): void {
    const { history, timeScale } = this.#parts;
    const since = Date.parse(history.failing.get(destinationId) ?? "");
    if (Number.isNaN(since) || this.#plan.has(destinationId)) return;
    const end = since + DISABLE_AFTER_MS / timeScale;
    this.#set(destinationId, end, () => this.#disable(destinationId));
  }

  async #disable(destinationId: string): Promise<void> {
    const { history, world, disable } = this.#parts;
    this.#drop(destinationId);
    const destination = world().destinations.find(({ id }) => id === destinationId);
    if (destination === undefined || history.disabled.has(destinationId)) return;
    await disable(destination);
  }
}
