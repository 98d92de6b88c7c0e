import { setTimeout as pause } from "node:timers/promises";

/** The consequence of an outcome. `final`: an error; `unknown`: an error that leaves the effect open. */
interface Rule {
  /** For requests that may be sent twice: GET, DELETE, HEAD, OPTIONS. */
  readonly safe: "again" | "final" | "follow";
  /** For creates, and all other requests. */
  readonly create: "again" | "final" | "unknown";
}

/** The rule table of retries. A problem's `retryable: false` vetoes a retry. */
const RULES = {
  /** No byte was sent: the name lookup failed, or no connection was made. */
  unsent: { safe: "again", create: "again" },
  /** The TLS certificate is not trusted. */
  untrusted: { safe: "final", create: "final" },
  /** The request was sent, and no complete answer came. */
  lost: { safe: "again", create: "unknown" },
  /** The answer is larger than the limit. */
  oversize: { safe: "final", create: "unknown" },
  done: { safe: "final", create: "final" },
  /** The service turned the request away for the moment, without effect. */
  busy: { safe: "again", create: "again" },
  /** The service, or a proxy before it, failed; the effect is unknown. */
  failing: { safe: "again", create: "unknown" },
  refused: { safe: "final", create: "final" },
  redirected: { safe: "follow", create: "unknown" },
  /** The status is not in the table. */
  other: { safe: "final", create: "unknown" },
} as const satisfies Readonly<Record<string, Rule>>;

/** The outcome of one attempt: a row of the rule table. */
export type AttemptOutcome = keyof typeof RULES;

const STATUSES: readonly (readonly [AttemptOutcome, readonly number[]])[] = [
  ["busy", [425, 429]],
  ["failing", [408, 500, 502, 503, 504]],
  ["refused", [400, 401, 403, 404, 405, 409, 413, 415, 422]],
];

/** The limits of retries and waits. */
export const RETRY = {
  /** Retries of one request, which makes three attempts. */
  perRequest: 2,
  /** Retries of all requests of a process together. */
  perProcess: 10,
  /** Full jitter up to `min(longest, base · 2ⁿ)`, n from 0. */
  backoffMs: { base: 250, longest: 8_000 },
  /** The longest wait that a service may ask for; beyond it amp exits and says when to come back. */
  maxWaitMs: 60_000,
  /** The total of all attempts and amp's own waits; waits that the service asks for come on top. */
  allMs: 60_000,
} as const;

/** The outcome that the status of an answer stands for. */
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
export interface RetryState {
  /** 1 for the first retry. */
  readonly retry: number;
  /** What is left of {@link RETRY.allMs}. */
  readonly leftMs: number;
  readonly maxWaitMs: number;
  /** The wait that the service asks for. */
  readonly askedMs: number | undefined;
  /** From 0 to 1: the jitter. */
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

/** The wait that an answer asks for, by its header or its problem's `retryAfter`: the longer one. */
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
  ].filter((wait) => Number.isFinite(wait));
  return waits.length === 0 ? undefined : Math.max(0, ...waits);
}

/**
 * The limits that all requests of a process share: the number of retries, and the waits that a
 * service asks for. A request that is told to wait makes all others wait.
 */
export interface RateGate {
  /** Takes one retry from the budget; false if none is left. */
  takeRetry(): boolean;
  /** Blocks an origin for some milliseconds. */
  blockFor(origin: string, ms: number): void;
  /** How long an origin is still blocked, in milliseconds; 0 if it is open. */
  blockedFor(origin: string): number;
  /**
   * Resolves once an origin is open. Requests that waited are spread, so that they do not all go at once.
   * @throws the reason of the signal, as soon as it is aborted
   */
  waitUntilOpen(origin: string, signal: AbortSignal): Promise<void>;
}

/** The milliseconds over which waiting requests are spread. */
const SPREAD_MS = 500;

/** @param random from 0 to 1: the place of a request in the spread */
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
      // Meanwhile another request may have been told to wait longer.
      for (let ms = blockedFor(origin); ms > 0; ms = blockedFor(origin)) {
        await pause(ms + random() * SPREAD_MS, undefined, { signal });
      }
    },
  };
}
