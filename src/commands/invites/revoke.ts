import type { Api } from "../../api/operations/endpoint.ts";
import { listInvites, revokeInvite } from "../../api/operations/endpoints.ts";
import {
  addressCell,
  defineCommand,
  id,
  required,
  several,
  table,
  text,
} from "../../cli/define.ts";
import {
  findInvites,
  organisationOf,
  outcomeWords,
  type RevocationOutcome,
  revokeInvites,
  revokeOnce,
  revokeQuestion,
} from "../../inspect/invites.ts";
import { confirm } from "../../questions/confirm.ts";
import { explainNotFound } from "../../questions/find.ts";
import { once } from "../../values/basics.ts";
import { inputErrors } from "../../values/errors.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "A revoked invite can no longer be accepted. Tries every invite and shows each outcome; an invite that was already revoked counts as success. An email address selects its pending invite, if the service lists invites. It asks only about invites that can still be revoked.",
  args: {
    invite: required(several(text("invite ID, or the email address of the invited person"))),
  },
  options: {
    org: text("organisation ID (default: that of the project)", {
      placeholder: "id",
      setting: "org",
    }),
  },
  effect: "write",
  examples: [
    "amp invites revoke inv_31c0a9 --org org_2b7d10aa",
    "amp invites revoke grace@acme.example --org org_2b7d10aa",
    "amp invites revoke inv_31c0a9 inv_77e1b4 --org org_2b7d10aa --yes --json",
  ],
  fields: RESULT_FIELDS.revocation,
  run: async (context) => {
    const { api, args, dryRun, interactive, yes } = context;
    const isAsked = !yes && !dryRun;
    const needed = "amp invites revoke needs confirmation, and this is not an interactive terminal";
    if (isAsked && !interactive)
      throw inputErrors.confirmation_needed(needed, "Add --yes to confirm.", "Nothing was sent.");
    const org = context.options.org ?? (await organisationOf(context));
    const look = (asked: Api) => asked.call(listInvites, { path: { orgId: org } });
    const list = once(() => look(api));
    const search = {
      org,
      list: () => explainNotFound({ remedy: "Pass the invite ID instead of an email." }, list()),
    };
    const found = await findInvites(args.invite, search, context, isAsked);
    const message = isAsked ? revokeQuestion(found, org) : undefined;
    if (message) await confirm(context, { message, needed, done: "Nothing was changed." });
    return revokeInvites(
      found,
      (invite) =>
        revokeOnce(
          context,
          invite,
          () => api.call(revokeInvite, { path: { orgId: org, inviteId: invite.id } }),
          { org, list: look },
        ),
      (again) => suggest("invites revoke", again, { org }),
    );
  },
  view: table<RevocationOutcome>(["invite", "invites"], {
    Outcome: ({ outcome }) => outcomeWords(outcome),
    Invite: (one) => id(one.id),
    Email: ({ email }) => (email ? addressCell(email) : undefined),
  }),
});
