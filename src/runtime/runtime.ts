/**
 * The runtime of amp: Node, or Bun in the standalone program. Terminals, signals, exit codes,
 * files, locks, certificates (NODE_EXTRA_CA_CERTS) and the embedded server were tested and behave
 * alike. These are all the differences:
 *
 * - Bun's fetch uses HTTP_PROXY and HTTPS_PROXY without help, and SSL_CERT_FILE too.
 * - Bun's fetch writes a line to stderr for a damaged body: amp unpacks bodies itself there.
 * - Bun's fetch reports two failures in its own words: see `networkFailure` in `api/network`.
 * - Bun would read `.env` and `bunfig.toml` of the working folder; the build turns that off.
 * - Bun loads `node:crypto`, `node:net`, `node:tty` and `node:util` for 2 ms each at the first
 *   import; Node others, and for every export of one (`build/stamp.ts`, `build/bundle.js`).
 */

/** The runtime and the machine. Bun reports a Node version, too. */
export const runtime = {
  name: process.versions.bun === undefined ? "node" : "bun",
  version: process.versions.bun ?? process.versions.node,
  platform: process.platform,
  arch: process.arch,
} as const;

/**
 * Whether `fetch` reports when the first byte of a request is sent, by undici's diagnostics
 * channels. Bun's does not: there, only a refused connection and an unknown host prove that nothing
 * was sent, and every other failure of a create leaves its outcome unknown.
 */
export const fetchReportsSending: boolean = runtime.name === "node";

/**
 * Whether `fetch` supports proxies and has options for them and for TLS. Bun's does, by
 * HTTPS_PROXY, HTTP_PROXY and NO_PROXY; under Node, amp uses an agent of undici. Both read
 * certificate authorities from NODE_EXTRA_CA_CERTS and SSL_CERT_FILE, the latter under Node only
 * with NODE_USE_SYSTEM_CA=1.
 */
export const fetchSupportsProxies: boolean = runtime.name === "bun";

/**
 * Whether `fetch` itself writes `Decompression error: ZlibError` to stderr for a damaged body,
 * which no option turns off. Bun's does, unless others unpack the body (seen with Bun 1.4.5).
 */
export const fetchReportsDamage: boolean = runtime.name === "bun";

/**
 * Keeps the memory of a process that sends thousands of requests small. Objects of a request that
 * fetch refers to weakly outlive each quick collection, so V8 takes its heap for one that grows:
 * 3,000 requests peaked at 317 MB with live data of 28 MB, and so at 129 MB, in the same time.
 */
export async function keepHeapSmall(): Promise<void> {
  if (runtime.name !== "node") return;
  const { setFlagsFromString } = await import("node:v8");
  // V8 reads both each time that it would let a generation grow.
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=30");
}
