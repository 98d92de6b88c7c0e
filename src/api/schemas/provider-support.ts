import * as z from "zod/mini";
import { anyObject, openObject, optional } from "./shape.ts";

const flag = (description: string) => optional(z.boolean(), description);

const batchSupport = openObject(
  {
    supported: flag("whether several records can be written at once"),
    defaultRecordLimit: optional(z.int(), "the maximum number of records in a batch"),
    objectRecordLimits: optional(
      anyObject,
      "limits of single objects, by object name, that override the default",
    ),
  },
  "spec 2.2",
);

/**
 * The operations that a provider supports (spec 2.2). The spec does not show which leaves are
 * required; a missing one means "not specified".
 */
export const support = openObject(
  {
    bulkWrite: optional(
      openObject(
        {
          insert: flag("whether records can be created in bulk"),
          update: flag("whether records can be updated in bulk"),
          upsert: flag("whether records can be created or updated in bulk"),
          delete: flag("whether records can be deleted in bulk"),
        },
        "spec 2.2",
      ),
      "the operations for many records in one bulk job",
    ),
    proxy: flag("whether requests can be passed through to the provider"),
    read: flag("whether records can be read"),
    subscribe: flag("whether changes at the provider can be subscribed to"),
    write: flag("whether records can be written"),
    delete: flag("whether records can be deleted"),
    search: optional(
      openObject(
        {
          operators: optional(
            openObject({ equals: flag("whether a search can compare for equality") }, "spec 2.2"),
            "the operators that a search supports",
          ),
        },
        "spec 2.2",
      ),
      "the ways to search for records",
    ),
    subscribeSupport: optional(
      openObject(
        {
          create: flag("whether new records are reported"),
          update: flag("whether updated records are reported"),
          delete: flag("whether deleted records are reported"),
          passThrough: flag("whether the provider's own events are passed on unchanged"),
        },
        "spec 2.2",
      ),
      "the changes that a subscription reports",
    ),
    batchWrite: optional(
      openObject(
        {
          delete: optional(batchSupport, "batches of records to delete"),
          create: optional(batchSupport, "batches of records to create"),
          update: optional(batchSupport, "batches of records to update"),
          upsert: optional(batchSupport, "batches of records to create or update"),
        },
        "spec 2.2",
      ),
      "the operations that take a batch of records, and their limits",
    ),
  },
  "spec 2.2",
);

/** The operations of the platform with a provider. */
export type Support = z.infer<typeof support>;
/** Limits of one batch write operation. */
export type BatchSupport = z.infer<typeof batchSupport>;
