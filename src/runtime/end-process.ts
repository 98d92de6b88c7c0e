/**
 * How long work in flight may go on after a signal, in milliseconds: more than provisioning gives a
 * create, for it has to save and tell what came of it.
 */
export const GRACE_MS = 8_000;

/** Enough for a connection that ends in order, such as one of TLS. */
const LINGER_MS = 500;

/**
 * Prepares the end of the process: call the result with the exit code once all is done. A tunnel or a
 * TLS handshake that never comes about cannot be aborted, and would keep the process alive for minutes.
 */
export function processEnd(signal: AbortSignal): (exitCode: number) => void {
  let abortedAt = Number.POSITIVE_INFINITY;
  signal.addEventListener("abort", () => {
    abortedAt = performance.now();
  });
  /** Work that outlasted its grace was given up, and may still be saving. */
  const isGivenUp = () => performance.now() - abortedAt > GRACE_MS;
  const endIfWritten = () => {
    const outputs = [process.stdout, process.stderr];
    if (outputs.every(({ writableLength }) => writableLength === 0)) process.exit();
    linger();
  };
  // The timer does not keep the process alive: almost always there is nothing left to end.
  const linger = () => setTimeout(endIfWritten, LINGER_MS).unref();
  return (exitCode) => {
    process.exitCode = exitCode;
    if (!isGivenUp()) linger();
  };
}
