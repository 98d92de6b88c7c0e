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
  recordsProcessed: "the records that were read so far",
  recordsEstimatedTotal: "an estimate of all records; only some providers give one",
} as const;

/** One run of an installation: a read, a write or a subscription. */
export const operation = field(
  openObject({
    id: field(identifier, "the ID of the operation"),
    projectId: optional(z.string(), "the ID of the project"),
    integrationId: optional(z.string(), "the ID of the integration, a UUID"),
    installationId: optional(z.string(), "the ID of the installation that ran"),
    configId: optional(z.string(), "the ID of the config that it ran with"),
    actionType: optional(openEnum(ACTION_TYPES), "what it did"),
    status: optional(openEnum(OPERATION_STATUS), "how it ended, or that it has not"),
    result: optional(z.string(), "a sentence on how it ended"),
    createTime: optional(timestamp, "when it began"),
    metadata: optional(
      openObject(
        {
          objects: optional(z.array(z.string()), "the names of its objects"),
          retry: optional(
            openObject(
              {
                attempts: optional(z.int(), "how often it was tried"),
                lastAttempt: optional(timestamp, "when it was last tried"),
                lastNotified: optional(timestamp, "when a notification was last sent"),
              },
              "platform",
            ),
            "that it is tried again",
          ),
          progress: optional(
            openObject(
              {
                objectName: optional(z.string(), COUNTS.objectName),
                recordsProcessed: optional(z.int(), COUNTS.recordsProcessed),
                recordsEstimatedTotal: optional(z.int(), COUNTS.recordsEstimatedTotal),
              },
              "platform",
            ),
            "how far it has come",
          ),
        },
        "platform",
      ),
      "what else is known of it",
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
    timestamp: optional(timestamp, "when it was logged"),
    severity: optional(z.string(), "how serious it is, such as info or error"),
    message: optional(
      openObject(
        {
          msg: optional(z.string(), "what happened"),
          error: optional(z.string(), "the error, often in the provider's words"),
          operation_id: optional(z.string(), "the ID of the operation"),
          details: optional(map(z.unknown()), "further values by name"),
        },
        "platform",
      ),
      "what is logged",
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
    operationId: optional(z.string(), "the ID of the operation that reads"),
    recordsProcessed: optional(z.int(), COUNTS.recordsProcessed),
    recordsEstimatedTotal: optional(z.int(), COUNTS.recordsEstimatedTotal),
    createTime: optional(timestamp, "when the backfill began"),
    updateTime: optional(timestamp, "when it was last counted"),
  }),
  "how far the first read of all records of an object has come",
  "platform",
);

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
