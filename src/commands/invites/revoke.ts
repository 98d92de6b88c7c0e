import { listInvites, revokeInvite } from "../../api/operations/endpoints.ts";
import { defineCommand, id, required, several, table, text } from "../../cli/define.ts";
import { explainNotFound } from "../../inspect/not-found.ts";
import {
  inviteId,
  outcomeWords,
  type RevocationOutcome,
  revokeInvites,
  revokeOnce,
} from "../../inspect/revocation.ts";
import { once } from "../../values/once.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "A revoked invite can no longer be accepted. Tries every invite and shows each outcome; an invite that was already revoked counts as success. An email address selects its pending invite, if the service lists invites.",
  args: {
    invite: required(several(text("invite ID, or the email address of the invited person"))),
  },
  options: { org: required(text("organisation ID", { placeholder: "id", setting: "org" })) },
  effect: "write",
  confirm: ({ args, options }) => {
    const { size } = new Set(args.invite);
    return `Revoke ${size === 1 ? `invite ${args.invite[0]}` : `${size} invites`} of ${options.org}?`;
  },
  examples: [
    "amp invites revoke inv_31c0a9 --org org_2b7d10aa",
    "amp invites revoke grace@acme.example --org org_2b7d10aa",
    "amp invites revoke inv_31c0a9 inv_77e1b4 --org org_2b7d10aa --yes --json",
  ],
  fields: ["id", "outcome"],
  run: async (context) => {
    const { api, args } = context;
    const { org } = context.options;
    const list = once(() => api.call(listInvites, { path: { orgId: org } }));
    const search = {
      org,
      list: () => explainNotFound({ remedy: "Pass the invite ID instead of an email." }, list()),
    };
    const ids: string[] = [];
    for (const wanted of args.invite) ids.push(await inviteId(wanted, search, context));
    return revokeInvites(
      ids,
      (invite) =>
        revokeOnce(
          invite,
          () => api.call(revokeInvite, { path: { orgId: org, inviteId: invite } }),
          list,
        ),
      (again) => suggest("invites revoke", again, { org }),
    );
  },
  view: table<RevocationOutcome>(["invite", "invites"], {
    Outcome: ({ outcome }) => outcomeWords(outcome),
    Invite: (one) => id(one.id),
  }),
});
