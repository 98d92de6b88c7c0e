/**
 * What amp runs on: Node, or Bun in the standalone program. Terminals, signals, exit codes, files,
 * locks, certificates (NODE_EXTRA_CA_CERTS) and the embedded server were tried, and are alike. What
 * is not is told here, so that a reader finds all of it in one place:
 *
 * - Bun's fetch goes through HTTP_PROXY and HTTPS_PROXY by itself, and takes SSL_CERT_FILE too.
 * - Bun's fetch has words of its own for two failures: see `CAUSES` in `api/network-failure.ts`.
 * - Bun would read `.env` and `bunfig.toml` of the folder that it is called in; the build forbids it.
 * - Built-in modules cost nothing to import; the bundle for Node goes round them (`build/bundle.js`).
 */

/** The runtime and the machine. Bun says that it is a Node, too. */
export const runtime = {
  name: process.versions.bun === undefined ? "node" : "bun",
  version: process.versions.bun ?? process.versions.node,
  platform: process.platform,
  arch: process.arch,
} as const;

/**
 * Whether `fetch` tells when the first byte of a request leaves, by undici's diagnostics channels.
 * Bun's does not: there only a connection that was refused, or never looked up, is known to have
 * carried nothing, and every other failure of a create leaves it unknown whether it came about.
 */
export const fetchTellsSending: boolean = runtime.name === "node";

/**
 * Whether `fetch` itself goes through a proxy, and takes options for it and for TLS. Bun's does, by
 * HTTPS_PROXY, HTTP_PROXY and NO_PROXY; under Node amp brings what it takes. NODE_EXTRA_CA_CERTS and
 * SSL_CERT_FILE name authorities for both, the latter under Node only with NODE_USE_SYSTEM_CA=1.
 */
export const fetchTakesProxy: boolean = runtime.name === "bun";
