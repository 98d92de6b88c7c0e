import * as z from "zod/mini";
import { identifier, openEnum, openObject, optional, timestamp } from "./shape.ts";

/** Said by the live platform; the spec shows none. */
export const INVITE_STATUS = ["pending", "accepted", "revoked", "expired"] as const;

/** The spec shows its identifier only; the other fields are said by the live platform. */
export const invite = openObject({
  id: identifier,
  invitedEmail: optional(z.string()),
  /** What the invite is to, for example an org. */
  parentType: optional(z.string()),
  parentId: optional(z.string()),
  status: optional(openEnum(INVITE_STATUS)),
  createTime: optional(timestamp),
});

/** The invites of an org (beyond the spec). */
export const invites = z.array(invite);

/** An invite to an org. All but `id` may be missing. */
export type Invite = z.infer<typeof invite>;
