import { revokeInvite } from "../../api/operations/endpoints.ts";
import { defineCommand, id, required, several, table, text, toned } from "../../cli/define.ts";
import { type RevocationOutcome, revokeInvites } from "../../inspect/revocation.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "A revoked invite can no longer be accepted. Every invite is tried, and each outcome is shown.",
  args: { invite: required(several(text("invite ID"))) },
  options: { org: required(text("organisation ID", { placeholder: "id", setting: "org" })) },
  effect: "write",
  confirm: ({ args, options }) => {
    const { size } = new Set(args.invite);
    return `Revoke ${size === 1 ? `invite ${args.invite[0]}` : `${size} invites`} of ${options.org}?`;
  },
  examples: [
    "amp invites revoke inv_31c0a9 --org org_2b7d10aa",
    "amp invites revoke inv_31c0a9 inv_77e1b4 --org org_2b7d10aa --yes --json",
  ],
  fields: ["id", "outcome"],
  run: ({ api, args, options: { org } }) =>
    revokeInvites(
      args.invite,
      (inviteId) => api.call(revokeInvite, { path: { orgId: org, inviteId } }),
      (ids) => suggest("invites revoke", ids, { org }),
    ),
  view: table<RevocationOutcome>(["invite", "invites"], {
    Outcome: ({ outcome }) => toned("good", outcome),
    Invite: (one) => id(one.id),
  }),
});
