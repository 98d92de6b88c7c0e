import { endpoint } from "./endpoint.ts";

// Endpoints of the live platform for one installation, its operations, and pausing of its reads. A
// service of the specification alone lacks all of it.

const INSTALLATION =
  "/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}";

/** One installation; where the service lacks it, the list has the same record. */
export const getInstallation = endpoint({
  method: "GET",
  path: INSTALLATION,
  does: "get the installation",
  answer: async () => (await import("../schemas/installation.ts")).installation,
  optional: { does: "show one installation alone" },
});

/** Replaces the fields of an installation that the mask names; the answer is not read. */
export const updateInstallation = endpoint({
  method: "PATCH",
  path: INSTALLATION,
  does: "update the installation",
  body: async () => (await import("../schemas/operation.ts")).updateInstallationBody,
  optional: { does: "update installations" },
});

/** The operations of an installation, newest first and in pages. */
export const listOperations = endpoint({
  method: "GET",
  path: `${INSTALLATION}/operations`,
  does: "list the operations of the installation",
  query: ["pageSize", "pageToken"],
  answer: async () => (await import("../schemas/operation.ts")).operations,
  onReadHost: true,
  optional: { does: "show operations" },
});

export const getOperation = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/operations/{operationId}",
  does: "get the operation",
  answer: async () => (await import("../schemas/operation.ts")).operation,
  onReadHost: true,
  optional: { does: "show operations" },
});

/** The log of an operation, oldest first. */
export const listOperationLogs = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/operations/{operationId}/logs",
  does: "get the logs of the operation",
  answer: async () => (await import("../schemas/operation.ts")).logEntries,
  onReadHost: true,
  optional: { does: "show the logs of operations" },
});

/** The progress of the backfill of an object; 404 where there is none. */
export const getBackfillProgress = endpoint({
  method: "GET",
  path: `${INSTALLATION}/objects/{objectName}/backfill-progress`,
  does: "get the progress of the backfill",
  answer: async () => (await import("../schemas/operation.ts")).backfillProgress,
  onReadHost: true,
  optional: { does: "show the progress of backfills" },
});
