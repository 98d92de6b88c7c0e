import * as z from "zod/mini";
import { field, identifier, openEnum, openObject, optional, timestamp } from "./shape.ts";

/** The status of an invite, with the live platform's values; the specification shows none. */
export const INVITE_STATUS = ["pending", "accepted", "revoked", "expired"] as const;

/** An invite. The specification shows only the ID; the other fields are the live platform's. */
export const invite = field(
  openObject({
    id: field(identifier, "the ID of the invite", "spec 2.5"),
    invitedEmail: optional(z.string(), "the email address that was invited"),
    parentType: optional(
      z.string(),
      "the type of the resource that the invite is for, such as org",
    ),
    parentId: optional(z.string(), "the ID of that resource"),
    status: optional(openEnum(INVITE_STATUS), "the status of the invite"),
    createTime: optional(timestamp, "when the invite was sent"),
  }),
  "an invitation of a person to an organisation",
  "platform",
);

/** The invites of an org (beyond the spec). */
export const invites = z.array(invite);

/** An invite to an org. All but `id` may be missing. */
export type Invite = z.infer<typeof invite>;
