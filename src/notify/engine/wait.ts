import type { AmpError } from "../../errors.ts";
import type { Address } from "../address.ts";
import type { Run } from "./run.ts";

/** For a create that certainly was not done: how often it is sent, and the waits between. */
const ATTEMPTS = 6;
const FIRST_MS = 500;
/** Of what a service may ask for; beyond, one is told when to come back. */
const LONGEST_MS = 60_000;

/**
 * Waits until a create may be sent once more.
 * @returns `enough` where it has been sent often enough, or would have to wait too long
 */
export async function waitBefore(
  { ports }: Run,
  address: Address,
  { facts: { status, retryAfter } }: AmpError,
  attempt: number,
): Promise<"again" | "enough"> {
  const asked = retryAfter === undefined ? 0 : Date.parse(retryAfter) - ports.now().getTime();
  const ms = Math.max(FIRST_MS * 2 ** (attempt - 1), asked);
  // Nothing is left to wait for: the one who would send notices it.
  if (ports.signal.aborted) return "again";
  const { attempts = ATTEMPTS, longestWaitMs = LONGEST_MS } = ports.options;
  if (attempt >= attempts || ms > longestWaitMs) return "enough";
  const why = status === undefined ? "the service cannot be reached" : "the service asks to wait";
  ports.observe({ type: "waiting", address, ms, why });
  // A signal ends the wait, and is noticed by the one who would send.
  await ports.sleep(ms, ports.signal).catch(() => {});
  return "again";
}
