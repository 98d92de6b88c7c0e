import { revokeInvite } from "../../api/endpoints.ts";
import { defineCommand, id, required, several, table, text, toned } from "../../cli/define.ts";
import { type Outcome, outcomeOf, settleRevocations } from "../../inspect/revocation.ts";

export default defineCommand({
  description:
    "A revoked invite cannot be accepted any more. Every invite is tried, and each outcome told.",
  args: { invite: required(several(text("invite ID"))) },
  options: { org: required(text("organisation ID", { placeholder: "id", setting: "org" })) },
  effect: "write",
  confirm: ({ args, options }) =>
    `Revoke ${args.invite.length === 1 ? `invite ${args.invite[0]}` : `${args.invite.length} invites`} of ${options.org}?`,
  examples: [
    "amp invites revoke inv_31c0a9 --org org_2b7d10aa",
    "amp invites revoke inv_31c0a9 inv_77e1b4 --org org_2b7d10aa --yes --json",
  ],
  run: async ({ api, args, options }) => {
    const outcomes: Outcome[] = [];
    for (const inviteId of new Set(args.invite)) {
      const call = api.call(revokeInvite, { path: { orgId: options.org, inviteId } });
      outcomes.push(await outcomeOf(inviteId, call));
    }
    return settleRevocations(outcomes);
  },
  view: table<Outcome>(["invite", "invites"], {
    Outcome: ({ outcome }) => toned("good", outcome),
    Invite: (one) => id(one.id),
  }),
});
