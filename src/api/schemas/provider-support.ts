import * as z from "zod/mini";
import { anything, open, optional } from "./shape.ts";

const yes = optional(z.boolean());

const batch = optional(
  open({
    supported: yes,
    /** Records a batch. */
    defaultRecordLimit: optional(z.int()),
    /** By object name, in place of the default; contents not shown by the spec. */
    objectRecordLimits: optional(anything),
  }),
);

/** Spec 2.2, Support. Which leaves are required is not shown; a missing one means "not told". */
export const support = open({
  bulkWrite: optional(open({ insert: yes, update: yes, upsert: yes, delete: yes })),
  proxy: yes,
  read: yes,
  subscribe: yes,
  write: yes,
  delete: yes,
  search: optional(open({ operators: optional(open({ equals: yes })) })),
  subscribeSupport: optional(open({ create: yes, update: yes, delete: yes, passThrough: yes })),
  batchWrite: optional(open({ delete: batch, create: batch, update: batch, upsert: batch })),
});

/** What the platform can do with a provider. */
export type Support = z.infer<typeof support>;
/** Limits of one batch write operation. */
export type BatchSupport = NonNullable<z.infer<typeof batch>>;
