import type { EnginePorts } from "./engine.ts";

/** How long a create that is in flight may go on after a signal. */
const GRACE_MS = 5_000;

/** A signal for creates: it comes later than the one that ends a run. */
export interface Grace {
  readonly signal: AbortSignal;
  /** Ends the wait; nothing is left behind. */
  end(): void;
}

/** Begins to watch for the signals of a run. */
export function graceOf(ports: Pick<EnginePorts, "signal" | "hardStop" | "sleep">): Grace {
  const late = new AbortController();
  const over = new AbortController();
  const { signal, hardStop } = ports;
  const begin = () => {
    void ports.sleep(GRACE_MS, over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  const stop = () => late.abort(signal.reason ?? hardStop?.reason);
  if (signal.aborted) begin();
  else signal.addEventListener("abort", begin, { once: true, signal: over.signal });
  if (hardStop?.aborted) stop();
  else hardStop?.addEventListener("abort", stop, { once: true, signal: over.signal });
  return { signal: late.signal, end: () => over.abort() };
}
