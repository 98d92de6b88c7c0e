import { setTimeout as pause } from "node:timers/promises";

/** What became of an attempt, as far as it matters for what comes next. */
export type AttemptOutcome =
  /** No byte of it left this machine: name lookup, refused, no connection in time. */
  | "unsent"
  /** The TLS certificate is not accepted. */
  | "untrusted"
  /** Time-out, reset, end of stream or half a body, after sending. */
  | "lost"
  /** The answer goes on beyond the limit. */
  | "oversize"
  | "done"
  /** The service has turned it away for the moment, and done nothing. */
  | "not-now"
  /** The service, or something before it, has failed; what was done is not said. */
  | "failing"
  | "refused"
  | "redirected"
  /** A status that nothing is agreed about. */
  | "odd";

/** What follows. `final`: the error as it is; `unknown`: nobody can say what was done. */
interface Rule {
  /** For what may be done twice: GET, DELETE, HEAD, OPTIONS. */
  readonly safe: "again" | "final" | "follow";
  /** For a create, and whatever else is not safe. */
  readonly create: "again" | "final" | "unknown";
}

/** Which request is sent again: the one table. A problem's `retryable: false` vetoes. */
const RULES = {
  unsent: { safe: "again", create: "again" },
  untrusted: { safe: "final", create: "final" },
  lost: { safe: "again", create: "unknown" },
  oversize: { safe: "final", create: "unknown" },
  done: { safe: "final", create: "final" },
  "not-now": { safe: "again", create: "again" },
  failing: { safe: "again", create: "unknown" },
  refused: { safe: "final", create: "final" },
  redirected: { safe: "follow", create: "unknown" },
  odd: { safe: "final", create: "unknown" },
} as const satisfies Record<AttemptOutcome, Rule>;

const STATUS_OUTCOMES: Readonly<Record<number, AttemptOutcome>> = {
  ...allOf([425, 429], "not-now"),
  ...allOf([408, 500, 502, 503, 504], "failing"),
  ...allOf([400, 401, 403, 404, 405, 409, 413, 415, 422], "refused"),
};

/** How often, and how long. */
export const RETRY = {
  /** Three attempts. */
  perRequest: 2,
  /** All requests of a process together. */
  perProcess: 10,
  /** Full jitter up to `min(longest, base · 2ⁿ)`, n from 0. */
  backoffMs: { base: 250, longest: 8_000 },
  /** The longest wait that a server may ask for; the person is told to come back beyond. */
  maxWaitMs: 60_000,
  /** All attempts of a request and amp's own waits; what the server asks for comes on top. */
  allMs: 60_000,
} as const;

/** What the status of an answer means. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return "done";
  if (status >= 300 && status < 400) return "redirected";
  return STATUS_OUTCOMES[status] ?? "odd";
}

/** What follows from what happened to a request of this kind. */
export function ruleFor(outcome: AttemptOutcome, kind: keyof Rule): Rule[keyof Rule] {
  return RULES[outcome][kind];
}

/** How far a request is from being sent again. Times in milliseconds. */
export interface RetryState {
  /** 1 for the first retry. */
  readonly retry: number;
  /** Of {@link RETRY.allMs}. */
  readonly leftMs: number;
  readonly maxWaitMs: number;
  /** What the server asks for. */
  readonly askedMs: number | undefined;
  /** From 0 to 1. */
  readonly random: number;
}

/** How long to wait before sending again; `undefined` for not at all. */
export function retryDelay(standing: RetryState): number | undefined {
  const { retry, leftMs, maxWaitMs, askedMs = 0, random } = standing;
  const { base, longest } = RETRY.backoffMs;
  const own = random * Math.min(longest, base * 2 ** (retry - 1));
  if (askedMs > maxWaitMs || own >= leftMs) return undefined;
  return Math.max(own, askedMs);
}

/** When a retry makes sense, from the header and from a problem's `retryAfter`: the later one. */
export function requestedDelay(
  headers: Headers,
  retryAfter: string | undefined,
  now: number,
): number | undefined {
  // Two clocks differ: a time of the server's is compared with the server's own.
  const served = Date.parse(headers.get("date") ?? "");
  const from = Number.isNaN(served) ? now : served;
  const header = headers.get("retry-after")?.trim() ?? "";
  const waits = [
    /^\d+$/u.test(header) ? Number(header) * 1000 : Date.parse(header) - from,
    Date.parse(retryAfter ?? "") - from,
  ].filter((wait) => Number.isFinite(wait));
  return waits.length === 0 ? undefined : Math.max(0, ...waits);
}

function allOf(
  statuses: readonly number[],
  outcome: AttemptOutcome,
): Record<number, AttemptOutcome> {
  return Object.fromEntries(statuses.map((status) => [status, outcome]));
}

/**
 * What all requests of a process share: how often they may be sent again altogether, and until when
 * a service wants to be left alone. One that is told to wait waits for all of them.
 */
export interface RateGate {
  /** Takes one of the retries; false where none is left. */
  takeRetry(): boolean;
  /** Nothing more goes to this origin for so many milliseconds. */
  blockFor(origin: string, ms: number): void;
  /** How long an origin is still to be left alone, in milliseconds; 0 for not at all. */
  blockedFor(origin: string): number;
  /**
   * Resolves once an origin may be asked. Those that were held back do not all go at once.
   * @throws the reason of the signal, as soon as it is aborted
   */
  waitUntilOpen(origin: string, signal: AbortSignal): Promise<void>;
}

/** Over so many milliseconds those that were held back are spread. */
const SPREAD_MS = 500;

/** @param random from 0 to 1: where in the spread a request goes */
export function createRateGate(random: () => number = Math.random): RateGate {
  const until = new Map<string, number>();
  let retries: number = RETRY.perProcess;
  const blockedFor = (origin: string) => Math.max(0, (until.get(origin) ?? 0) - performance.now());
  return {
    takeRetry() {
      if (retries === 0) return false;
      retries -= 1;
      return true;
    },
    blockFor(origin, ms) {
      until.set(origin, Math.max(until.get(origin) ?? 0, performance.now() + ms));
    },
    blockedFor,
    async waitUntilOpen(origin, signal) {
      // Once more: meanwhile another one may have been told to wait longer.
      for (let ms = blockedFor(origin); ms > 0; ms = blockedFor(origin)) {
        await pause(ms + random() * SPREAD_MS, undefined, { signal });
      }
    },
  };
}
