import { DEFAULTS } from "../../values/setting.ts";
import { readDuration } from "../../values/time.ts";

/** The consequence of an outcome. `final`: an error; `unknown`: one that leaves the effect open. */
interface Rule {
  /** The consequence for requests that may be sent twice: GET, DELETE, HEAD, OPTIONS. */
  readonly safe: "again" | "final" | "follow";
  /** The consequence for all other requests. */
  readonly unsafe: "again" | "final" | "unknown";
}

/** The rule table of retries. A problem's `retryable: false` vetoes a retry. */
const RULES = {
  /** No byte was sent: the name lookup failed, or no connection was made. */
  unsent: { safe: "again", unsafe: "again" },
  /** The TLS certificate is not trusted. */
  untrusted: { safe: "final", unsafe: "final" },
  /** The request was sent, and no complete answer came. */
  lost: { safe: "again", unsafe: "unknown" },
  /** The answer is larger than the limit. */
  oversize: { safe: "final", unsafe: "unknown" },
  done: { safe: "final", unsafe: "final" },
  /** The service refused the request temporarily, without effect. */
  busy: { safe: "again", unsafe: "again" },
  /** The service, or a proxy before it, failed; the effect is unknown. */
  failing: { safe: "again", unsafe: "unknown" },
  refused: { safe: "final", unsafe: "final" },
  redirected: { safe: "follow", unsafe: "unknown" },
  /** The status is not in the table. */
  other: { safe: "final", unsafe: "unknown" },
} as const satisfies Readonly<Record<string, Rule>>;

/** The outcome of one attempt: a row of the rule table. */
export type AttemptOutcome = keyof typeof RULES;

const STATUSES: readonly (readonly [AttemptOutcome, readonly number[]])[] = [
  ["busy", [425, 429]],
  ["failing", [408, 500, 502, 503, 504]],
  ["refused", [400, 401, 403, 404, 405, 409, 410, 413, 415, 422]],
];

/** The limits of retries and waits. */
export const RETRY = {
  /** The maximum retries of one request, which makes three attempts. */
  perRequest: Number(DEFAULTS.retries),
  /** The maximum retries of all requests of a process together. */
  perProcess: 10,
  /** The wait before a retry: full jitter up to `min(longest, base · 2ⁿ)`, n from 0. */
  backoffMs: { base: 250, longest: 8_000 },
  /**
   * The longest wait that a service may ask for; beyond it amp exits and says when to try again.
   */
  maxWaitMs: readDuration(DEFAULTS.maxWait),
  /**
   * The total time of all attempts and amp's own waits; waits that the service asks for are extra.
   */
  allMs: 60_000,
} as const;

/** The outcome that the status of an answer means. */
export function outcomeOfStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return "done";
  if (status >= 300 && status < 400) return "redirected";
  return STATUSES.find(([, statuses]) => statuses.includes(status))?.[0] ?? "other";
}

/** The rule for an outcome and a kind of request. */
export function ruleFor(outcome: AttemptOutcome, kind: keyof Rule): Rule[keyof Rule] {
  return RULES[outcome][kind];
}

/** The facts that decide about a retry. Times are in milliseconds. */
interface RetryState {
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** The time left of {@link RETRY.allMs}. */
  readonly leftMs: number;
  readonly maxWaitMs: number;
  /** The wait that the service asks for. */
  readonly askedMs: number | undefined;
  /** The jitter, from 0 to 1. */
  readonly random: number;
}

/** The wait before a retry, in milliseconds; `undefined` for no retry. */
export function retryDelay(state: RetryState): number | undefined {
  const { retry, leftMs, maxWaitMs, askedMs = 0, random } = state;
  const { base, longest } = RETRY.backoffMs;
  const own = random * Math.min(longest, base * 2 ** (retry - 1));
  if (askedMs > maxWaitMs || own >= leftMs) return undefined;
  return Math.max(own, askedMs);
}

/**
 * The latest time that a service may ask for: later ones have no form that all programs can read.
 */
const LAST_TIME = Date.UTC(9999, 11, 31);

/** The wait that an answer asks for, by its header or its problem's `retryAfter`, if longer. */
export function requestedDelay(
  headers: Headers,
  retryAfter: string | undefined,
  now: number,
): number | undefined {
  // The clocks may differ: a time of the service is compared with the service's own clock.
  const served = Date.parse(headers.get("date") ?? "");
  const from = Number.isNaN(served) ? now : served;
  const header = headers.get("retry-after")?.trim() ?? "";
  const waits = [
    /^\d+$/u.test(header) ? Number(header) * 1000 : Date.parse(header) - from,
    Date.parse(retryAfter ?? "") - from,
  ].filter((wait) => !Number.isNaN(wait));
  return waits.length === 0 ? undefined : Math.min(Math.max(0, ...waits), LAST_TIME - now);
}

/**
 * The limits that all requests of a process share: the number of retries, and the waits that a
 * service asks for. A wait for one request delays all others.
 */
export interface RateGate {
  /** Takes one retry from the budget; false if none is left. */
  takeRetry(): boolean;
  blockFor(origin: string, ms: number): void;
  /** The time for which an origin is still blocked, in milliseconds; 0 if it is open. */
  blockedFor(origin: string): number;
  /**
   * Resolves once an origin is open. Waiting requests are spread.
   * @throws the reason of the signal, as soon as it is aborted
   */
  waitUntilOpen(origin: string, signal: AbortSignal): Promise<void>;
}

/** The milliseconds over which waiting requests are spread. */
const SPREAD_MS = 500;

/**
 * Creates the gate of a process.
 * @param random from 0 to 1: the place of a request in the spread
 */
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
      const { setTimeout: pause } = await import("node:timers/promises");
      // Another request may have extended the wait in the meantime.
      for (let ms = blockedFor(origin); ms > 0; ms = blockedFor(origin)) {
        await pause(ms + random() * SPREAD_MS, undefined, { signal });
      }
    },
  };
}
