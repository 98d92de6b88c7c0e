import * as z from "zod/mini";
import { OPERATION_STATUS } from "./installation.ts";
import { anyObject, identifier, map, openEnum, openObject, optional, timestamp } from "./shape.ts";

// All of this is the live platform's; the specification has only the status of the last operation.

/** The kinds of operations. */
export const ACTION_TYPES = ["read", "write", "subscribe"] as const;

const progress = openObject({
  objectName: optional(z.string()),
  recordsProcessed: optional(z.int()),
  /** The total; only some providers say it. */
  recordsEstimatedTotal: optional(z.int()),
});

/** One run of an installation: a read, a write or a subscription. */
export const operation = openObject({
  id: identifier,
  projectId: optional(z.string()),
  integrationId: optional(z.string()),
  installationId: optional(z.string()),
  configId: optional(z.string()),
  actionType: optional(openEnum(ACTION_TYPES)),
  status: optional(openEnum(OPERATION_STATUS)),
  /** A sentence such as "[contact] No new data found". */
  result: optional(z.string()),
  createTime: optional(timestamp),
  metadata: optional(
    openObject({
      objects: optional(z.array(z.string())),
      retry: optional(
        openObject({
          attempts: optional(z.int()),
          lastAttempt: optional(timestamp),
          lastNotified: optional(timestamp),
        }),
      ),
      progress: optional(progress),
    }),
  ),
});

/** The operations of an installation, newest first. */
export const operations = z.array(operation);

/** One line of the log of an operation. Its text may quote a customer's data. */
export const logEntry = openObject({
  timestamp: optional(timestamp),
  severity: optional(z.string()),
  message: optional(
    openObject({
      msg: optional(z.string()),
      error: optional(z.string()),
      operation_id: optional(z.string()),
      details: optional(map(z.unknown())),
    }),
  ),
});

export const logEntries = z.array(logEntry);

/** How far the first read of all records of an object has come. */
export const backfillProgress = openObject({
  installationId: optional(z.string()),
  objectName: optional(z.string()),
  operationId: optional(z.string()),
  recordsProcessed: optional(z.int()),
  /** The total; only some providers say it. */
  recordsEstimatedTotal: optional(z.int()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

/** The body of an update of an installation: the mask names the fields to replace. */
export const updateInstallation = z.strictObject({
  updateMask: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
  installation: z.strictObject({ config: anyObject }),
});

/** One run of an installation. All but `id` may be missing. */
export type OperationRecord = z.infer<typeof operation>;
/** One line of the log of an operation; every field may be missing. */
export type LogEntry = z.infer<typeof logEntry>;
/** The progress of a backfill; every field may be missing. */
export type BackfillProgress = z.infer<typeof backfillProgress>;
