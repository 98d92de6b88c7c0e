import * as z from "zod/mini";
import { OPERATION_STATUS } from "./installation.ts";
import {
  anyObject,
  field,
  identifier,
  map,
  openEnum,
  openObject,
  optional,
  timestamp,
} from "./shape.ts";

// All of this is the live platform's; the specification has only the status of the last operation.

/** The kinds of operations. */
export const ACTION_TYPES = ["read", "write", "subscribe"] as const;

const COUNTS = {
  objectName: "the name of the object that is read",
  recordsProcessed: "the number of records read so far",
  recordsEstimatedTotal: "the estimated number of all records; not every provider reports it",
} as const;

/** One run of an installation: a read, a write or a subscription. */
export const operation = field(
  openObject({
    id: field(identifier, "the ID of the operation"),
    projectId: optional(z.string(), "the ID of the project"),
    integrationId: optional(z.string(), "the ID of the integration, a UUID"),
    installationId: optional(z.string(), "the ID of the installation"),
    configId: optional(z.string(), "the ID of the config that it used"),
    actionType: optional(openEnum(ACTION_TYPES), "the kind of operation, such as read"),
    status: optional(openEnum(OPERATION_STATUS), "the result, or in_progress while it runs"),
    result: optional(z.string(), "a description of the result"),
    createTime: optional(timestamp, "when it started"),
    metadata: optional(
      openObject({
        objects: optional(z.array(z.string()), "the names of the objects that it processed"),
        retry: optional(
          openObject({
            attempts: optional(z.int(), "the number of attempts"),
            lastAttempt: optional(timestamp, "when the last attempt was made"),
            lastNotified: optional(timestamp, "when a notification was last sent"),
          }),
          "whether it will be retried",
        ),
        progress: optional(
          openObject({
            objectName: optional(z.string(), COUNTS.objectName),
            recordsProcessed: optional(z.int(), COUNTS.recordsProcessed),
            recordsEstimatedTotal: optional(z.int(), COUNTS.recordsEstimatedTotal),
          }),
          "the progress of the operation",
        ),
      }),
      "further facts about the operation",
    ),
  }),
  "one read, write or subscription of an installation",
  "platform",
);

/** The operations of an installation, newest first. */
export const operations = z.array(operation);

/** One line of the log of an operation. Its text may quote a customer's data. */
export const logEntry = field(
  openObject({
    timestamp: optional(timestamp, "when the line was logged"),
    severity: optional(z.string(), "the severity, such as info or error"),
    message: optional(
      openObject({
        msg: optional(z.string(), "what happened"),
        error: optional(z.string(), "the error, often quoted from the provider"),
        operation_id: optional(z.string(), "the ID of the operation"),
        details: optional(map(z.unknown()), "further values, by name"),
      }),
      "the content of the line",
    ),
  }),
  "one line of the log of an operation",
  "platform",
);

export const logEntries = z.array(logEntry);

/** How far the first read of all records of an object has come. */
export const backfillProgress = field(
  openObject({
    installationId: optional(z.string(), "the ID of the installation"),
    objectName: optional(z.string(), COUNTS.objectName),
    operationId: optional(z.string(), "the ID of the operation that reads the records"),
    recordsProcessed: optional(z.int(), COUNTS.recordsProcessed),
    recordsEstimatedTotal: optional(z.int(), COUNTS.recordsEstimatedTotal),
    createTime: optional(timestamp, "when the backfill started"),
    updateTime: optional(timestamp, "when the progress was last updated"),
  }),
  "the progress of the first read of all records of an object (the backfill)",
  "platform",
);

/** The body of an update of an installation: the mask names the fields to replace. */
export const updateInstallationBody = z.strictObject({
  updateMask: z.array(z.string().check(z.minLength(1))).check(z.minLength(1)),
  installation: z.strictObject({ config: anyObject }),
});

/** One run of an installation. All but `id` may be missing. */
export type OperationRecord = z.infer<typeof operation>;
/** One line of the log of an operation; every field may be missing. */
export type LogEntry = z.infer<typeof logEntry>;
/** The progress of a backfill; every field may be missing. */
export type BackfillProgress = z.infer<typeof backfillProgress>;
