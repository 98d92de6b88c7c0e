import {
  type AttemptRecord,
  type EventEntry,
  isFinished,
  type JournalEntry,
  type SandboxEvent,
  type TrackedMessage,
} from "./delivery.ts";

/** How many finished events are kept, so that they can be shown and delivered again. */
const KEPT_EVENTS = 10_000;
/** And how many characters of them, since an event may have 300 KB. */
const KEPT_CHARACTERS = 32_000_000;
const KEPT_ATTEMPTS = 10_000;

/** An event that is kept, with its size and its messages that are not finished. */
interface KeptEvent {
  readonly entry: EventEntry;
  readonly size: number;
  open: number;
}

/**
 * The events of a sandbox, with their messages and attempts: all that are not finished, and the
 * latest of those that are. It is made of the entries of the journal alone, so a new process that
 * reads them has the same.
 */
export class EventHistory {
  /** The attempts, the oldest first. */
  readonly attempts: AttemptRecord[] = [];
  /** The times since when destinations have only failed. */
  readonly failing = new Map<string, string>();
  readonly disabled = new Map<string, string>();
  /** The destinations to which nothing is sent for now. */
  readonly paused = new Set<string>();
  /** How far the clock is ahead of that of this machine; undefined if nobody set it. */
  aheadMs: number | undefined;
  readonly #events = new Map<string, KeptEvent>();
  readonly #messages = new Map<string, TrackedMessage>();
  /** The finished events, in the order in which they finished. */
  readonly #finished: KeptEvent[] = [];
  #characters = 0;
  #lastCaused: string | undefined;
  /** The number of events and of attempts ever, also of those that are no longer kept. */
  counts = { events: 0, attempts: 0 };

  apply(entry: JournalEntry): void {
    if (entry.kind === "event") this.#addEvent(entry);
    else if (entry.kind === "caused") this.#lastCaused = entry.eventId;
    else if (entry.kind === "attempt") this.#addAttempt(entry.attempt);
    else if (entry.kind === "failing") this.failing.set(entry.destinationId, entry.time);
    else if (entry.kind === "disabled") this.disabled.set(entry.destinationId, entry.time);
    else if (entry.kind === "paused") this.paused.add(entry.destinationId);
    else if (entry.kind === "resumed") this.paused.delete(entry.destinationId);
    else if (entry.kind === "clock") this.aheadMs = entry.aheadMs;
    else if (entry.kind === "reset") this.#forgetAll();
    else {
      this.disabled.delete(entry.destinationId);
      this.failing.delete(entry.destinationId);
    }
  }

  /**
   * Takes note of what the last change caused, unless it is known: a kill may have come between.
   */
  applyCaused(entries: readonly EventEntry[]): void {
    if (entries.at(-1)?.event.id === this.#lastCaused) return;
    for (const entry of entries) this.apply(entry);
  }

  message(id: string): TrackedMessage | undefined {
    return this.#messages.get(id);
  }

  event(id: string): SandboxEvent | undefined {
    return this.#events.get(id)?.entry.event;
  }

  messagesOf(eventId: string): readonly TrackedMessage[] {
    const messages = this.#events.get(eventId)?.entry.messages ?? [];
    return messages.flatMap(({ id }) => this.#messages.get(id) ?? []);
  }

  /** The events that are kept, the newest first. */
  events(): readonly SandboxEvent[] {
    return [...this.#events.values()].reverse().map(({ entry }) => entry.event);
  }

  *open(): Generator<TrackedMessage> {
    for (const tracked of this.#messages.values()) if (!isFinished(tracked)) yield tracked;
  }

  /** The entries from which a new history is the same as this one. */
  *entries(): Generator<JournalEntry> {
    for (const { entry } of this.#events.values()) yield entry;
    if (this.#lastCaused !== undefined) yield { kind: "caused", eventId: this.#lastCaused };
    const listed = new Set(this.attempts.map(({ messageId }) => messageId));
    // A message whose attempts are no longer kept would be sent again.
    for (const { last } of this.#messages.values()) {
      if (last && !listed.has(last.messageId)) yield { kind: "attempt", attempt: last };
    }
    for (const attempt of this.attempts) {
      if (this.#messages.has(attempt.messageId)) yield { kind: "attempt", attempt };
    }
    // A new history derives the health of destinations from these attempts, which may lack the
    // delivery or the enabling that ended their failures. So it is cleared here, and then set to
    // what it is.
    for (const destinationId of new Set(this.attempts.map((each) => each.destinationId))) {
      yield { kind: "enabled", destinationId };
    }
    for (const [destinationId, time] of this.failing) {
      yield { kind: "failing", destinationId, time };
    }
    for (const [destinationId, time] of this.disabled) {
      yield { kind: "disabled", destinationId, time };
    }
    for (const destinationId of this.paused) yield { kind: "paused", destinationId };
    if (this.aheadMs !== undefined) yield { kind: "clock", aheadMs: this.aheadMs };
  }

  /** Counts go on, since clients ask for what came after one. */
  #forgetAll(): void {
    for (const list of [this.attempts, this.#finished]) list.length = 0;
    for (const all of [this.failing, this.disabled, this.paused]) all.clear();
    for (const all of [this.#events, this.#messages]) all.clear();
    this.#characters = 0;
    this.aheadMs = undefined;
  }

  #addEvent(entry: EventEntry): void {
    const { event, messages } = entry;
    if (entry.isCaused) this.#lastCaused = event.id;
    if (this.#events.has(event.id)) return;
    this.counts.events += 1;
    const size = JSON.stringify([event.data, event.replaced]).length;
    const kept = { entry, size, open: messages.length };
    this.#events.set(event.id, kept);
    for (const message of messages)
      this.#messages.set(message.id, { message, event, last: undefined });
    if (messages.length === 0) this.#finish(kept);
  }

  #addAttempt(attempt: AttemptRecord): void {
    this.counts.attempts = Math.max(this.counts.attempts, attempt.sequence);
    this.attempts.push(attempt);
    // Not at every attempt, since it moves all the others.
    if (this.attempts.length >= 2 * KEPT_ATTEMPTS) this.attempts.splice(0, KEPT_ATTEMPTS);
    this.#noteHealth(attempt);
    const tracked = this.#messages.get(attempt.messageId);
    if (tracked === undefined) return;
    const wasFinished = isFinished(tracked);
    tracked.last = attempt;
    if (wasFinished || !isFinished(tracked)) return;
    const kept = this.#events.get(attempt.eventId);
    if (kept === undefined) return;
    kept.open -= 1;
    if (kept.open === 0) this.#finish(kept);
  }

  /** A delivery ends a run of failures, and enables a destination again. */
  #noteHealth({ destinationId, outcome, time }: AttemptRecord): void {
    if (outcome === "delivered") {
      this.failing.delete(destinationId);
      this.disabled.delete(destinationId);
    } else if (outcome !== "not_sent" && !this.failing.has(destinationId)) {
      this.failing.set(destinationId, time);
    }
  }

  #finish(kept: KeptEvent): void {
    this.#finished.push(kept);
    this.#characters += kept.size;
    while (
      this.#finished.length > KEPT_EVENTS ||
      (this.#characters > KEPT_CHARACTERS && this.#finished.length > 1)
    ) {
      this.#forgetOldest();
    }
  }

  #forgetOldest(): void {
    const oldest = this.#finished.shift();
    if (oldest === undefined) return;
    this.#characters -= oldest.size;
    this.#events.delete(oldest.entry.event.id);
    for (const { id } of oldest.entry.messages) this.#messages.delete(id);
  }
}
