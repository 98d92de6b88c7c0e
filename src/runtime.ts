/**
 * What amp runs on: Node, or Bun in the standalone program. Almost everything is alike; what is not
 * is told here, so that a reader finds all of it in one place.
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
