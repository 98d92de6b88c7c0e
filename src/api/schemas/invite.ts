import * as z from "zod/mini";
import { identifier, openEnum, openObject, optional, timestamp } from "./shape.ts";

/** The status of an invite, with the live platform's values; the specification shows none. */
export const INVITE_STATUS = ["pending", "accepted", "revoked", "expired"] as const;

/** An invite. The specification shows only the ID; the other fields are the live platform's. */
export const invite = openObject({
  id: identifier,
  invitedEmail: optional(z.string()),
  /** The kind of the target of the invite, for example an org. */
  parentType: optional(z.string()),
  parentId: optional(z.string()),
  status: optional(openEnum(INVITE_STATUS)),
  createTime: optional(timestamp),
});

/** The invites of an org (beyond the spec). */
export const invites = z.array(invite);

/** An invite to an org. All but `id` may be missing. */
export type Invite = z.infer<typeof invite>;
