/**
 * The time that work in flight may continue after a signal, in milliseconds. {@link ProtectedWork}
 * has limits of its own.
 */
export const END_GRACE_MS = 8_000;

/** The time for a connection to end in order, such as one of TLS. */
const LINGER_MS = 500;

/** The time that a stopped process gives the reader of its report, in milliseconds. */
const STOPPED_MS = 2_000;

/**
 * Ends the process with an exit code once its report, on stderr, is written. It does not wait for
 * connections: a tunnel or a TLS handshake that never completes cannot be aborted, and would keep
 * the process alive for minutes. Nor does it wait for stdout: each write there was awaited, except
 * those that a signal gave up.
 * @param isStopped whether a signal stopped the process: it then ends after {@link STOPPED_MS},
 *   even if nobody reads its report or a file system does not answer
 */
export function endProcess(exitCode: number, isStopped: boolean): void {
  const until = isStopped ? performance.now() + STOPPED_MS : Number.POSITIVE_INFINITY;
  const endIfWritten = () => {
    const waitsForFile = isStopped && hasFileRequests();
    const isLate = performance.now() >= until;
    if (isLate && waitsForFile) endNow(exitCode);
    if (isLate || (process.stderr.writableLength === 0 && !waitsForFile)) process.exit();
    linger();
  };
  // The timer does not keep the process alive: almost always nothing is left to end.
  const linger = () => setTimeout(endIfWritten, LINGER_MS).unref();
  process.exitCode = exitCode;
  linger();
  // All is done. Node takes milliseconds more to free its heap before it ends by itself.
  process.once("beforeExit", () => process.exit());
}

function hasFileRequests(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

/**
 * Ends the process while a file system does not answer: `process.exit()` would wait for the answer,
 * for ever if need be. So a shell replaces the process, and exits with its code. Where that is not
 * possible the process kills itself, and the exit code is lost: it is that of SIGKILL.
 */
function endNow(exitCode: number): void {
  try {
    process.execve?.("/bin/sh", ["sh", "-c", `exit ${exitCode}`], {});
  } catch {
    // This system has no such shell.
  }
  process.kill(process.pid, "SIGKILL");
}

/**
 * The work that saves what was done. While there is any, the end of the grace period does not
 * abandon a command, and a second signal makes it hurry.
 */
export class ProtectedWork {
  #running = 0;
  #handedOver = 0;

  get isRunning(): boolean {
    return this.#running > 0;
  }

  /** Whether another program has the terminal: its interrupts are not for amp. */
  get isHandedOver(): boolean {
    return this.#handedOver > 0;
  }

  /** Keeps the work of another program that has the terminal. */
  async handOver<Result>(work: Promise<Result>): Promise<Result> {
    this.#handedOver += 1;
    try {
      return await this.keep(work);
    } finally {
      this.#handedOver -= 1;
    }
  }

  /** @returns the result of the work, or its error */
  async keep<Result>(work: Promise<Result>): Promise<Result> {
    this.#running += 1;
    try {
      return await work;
    } finally {
      this.#running -= 1;
    }
  }
}

/** Calls a function once a signal is aborted, also where it already is. */
export function whenAborted(
  signal: AbortSignal,
  act: () => void,
  options?: { readonly signal: AbortSignal },
): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act, { ...options, once: true });
}

/**
 * Handles the signals and timers that became due while synchronous work kept them waiting. What may
 * take long calls it several times a second.
 * @param signal absent where nothing stops the work
 * @throws {unknown} the reason of the signal, where it is aborted by then
 */
export async function handleSignals(signal: AbortSignal | undefined): Promise<void> {
  // Timers and interrupts come between one immediate and the next.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  signal?.throwIfAborted();
}

/** The reason of a signal that is aborted because the time of `--deadline` is over. */
export const DEADLINE = "deadline";

/** A signal that is aborted after a time, too; its reason is then {@link DEADLINE}. */
export function withDeadline(signal: AbortSignal, ms: number): AbortSignal {
  const late = new AbortController();
  setTimeout(() => late.abort(DEADLINE), ms).unref();
  return AbortSignal.any([signal, late.signal]);
}

/**
 * A signal that follows another one after a time, in which work in flight may end by itself.
 * @param wait resolves after that time; rejects when its signal is aborted
 * @returns the signal, and `end`, which stops the wait
 */
export function graceAfter(signal: AbortSignal, wait: (until: AbortSignal) => Promise<unknown>) {
  const late = new AbortController();
  const over = new AbortController();
  const begin = () => {
    void wait(over.signal).then(
      () => late.abort(signal.reason),
      () => {},
    );
  };
  whenAborted(signal, begin, { signal: over.signal });
  return { signal: late.signal, end: () => over.abort() };
}
