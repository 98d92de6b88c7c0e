import { ANSWER_LIMIT_MS, createPost } from "../../events/post-message.ts";
import type { World, WorldDestination } from "../world.ts";
import { attempt, urlOf } from "./attempt.ts";
import {
  type AttemptRecord,
  DISABLE_AFTER_MS,
  type JournalEntry,
  RETRY_DELAYS_MS,
} from "./delivery.ts";
import type { EventHistory, TrackedMessage } from "./event-history.ts";

/** How many attempts at one destination run at the same time. */
const AT_ONCE = 8;

/** The ports of a deliverer. */
export interface DelivererParts {
  readonly history: EventHistory;
  readonly world: () => World;
  readonly now: () => Date;
  /** How many times as fast as the platform's the waits between attempts pass. */
  readonly timeScale: number;
  readonly deliverToAnyHost: boolean;
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
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #client = createPost();
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
    this.#client.close();
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
    const { history, now, timeScale, record, onAttempt, world, attemptTimeoutMs } = this.#parts;
    const { message, event } = tracked;
    const time = now();
    const destination = world().destinations.find(({ id }) => id === message.destinationId);
    const { disables, ...result } = await attempt(tracked, destination, {
      ...this.#parts,
      time,
      post: this.#client.post,
      // Not scaled: the clock of the receiver is the real one.
      timeoutMs: attemptTimeoutMs ?? ANSWER_LIMIT_MS,
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
