/**
 * Which request is sent again, and when. A POST never is: nobody knows what the first one did.
 */
export const RETRY = {
  methods: ["get", "delete"],
  /** Retries, so three attempts. */
  limit: 2,
  statuses: [408, 425, 429, 500, 502, 503, 504],
  /** Full jitter up to `min(longest, base · 2ⁿ)`, n from 0. */
  backoffMs: { base: 250, longest: 8_000 },
  /** The longest wait that a server may ask for; it is told to come back itself beyond. */
  longestWaitMs: 60_000,
  /** What all retries of one call share, waits included; the first attempt has its own time-out. */
  allMs: 60_000,
} as const;

/** Why an attempt failed, as far as the decision needs it. */
export type Failure =
  | {
      readonly kind: "status";
      readonly status: number;
      /** What the problem says: only `false` is obeyed. */
      readonly retryable?: boolean | undefined;
      /** What the server asks for. */
      readonly waitMs?: number | undefined;
    }
  /** Nothing came back, or half of it. `final`: it would not be better the next time. */
  | { readonly kind: "network"; readonly final: boolean; readonly sent: boolean }
  /** A whole time-out has gone by already, or the answer has no end. */
  | { readonly kind: "other" };

/** How often a request of this method may be sent again. */
export function retriesOf(method: string): number {
  return (RETRY.methods as readonly string[]).includes(method.toLowerCase()) ? RETRY.limit : 0;
}

/**
 * How long to wait before sending again; `undefined` for not at all.
 * @param retry 1 for the first retry
 * @param leftMs of the time that all attempts share
 * @param random from 0 to 1
 */
export function waitBefore(
  failure: Failure,
  retry: number,
  leftMs: number,
  random: number,
): number | undefined {
  if (!again(failure)) return undefined;
  const { base, longest } = RETRY.backoffMs;
  const own = random * Math.min(longest, base * 2 ** (retry - 1));
  const asked = failure.kind === "status" ? (failure.waitMs ?? 0) : 0;
  const wait = Math.max(own, asked);
  return wait > RETRY.longestWaitMs || wait >= leftMs ? undefined : wait;
}

function again(failure: Failure): boolean {
  if (failure.kind === "network") return !failure.final;
  return (
    failure.kind === "status" &&
    (RETRY.statuses as readonly number[]).includes(failure.status) &&
    failure.retryable !== false
  );
}

/** When a retry makes sense, from the header and from a problem's `retryAfter`: the later one. */
export function askedWait(
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
