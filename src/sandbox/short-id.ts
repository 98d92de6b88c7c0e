import { createHash } from "node:crypto";

const PREFIX = {
  configs: "cfg",
  connections: "con",
  destinationRoutes: "dsr",
  destinations: "dst",
  eventRoutes: "evr",
  installations: "ins",
  invites: "inv",
  providerApps: "app",
  requests: "req",
  revisions: "rev",
  topics: "top",
} as const;

/**
 * Makes an ID such as `top_7f3a91c0`. Equal facts make equal IDs, so that two sandboxes answer
 * equal requests alike, and the ID is short enough for a table.
 */
export function shortId(kind: keyof typeof PREFIX, ...facts: readonly (string | number)[]): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([kind, ...facts]))
    .digest("hex");
  return `${PREFIX[kind]}_${digest.slice(0, 8)}`;
}
