import { listInvites } from "../../api/operations/endpoints.ts";
import type { Invite } from "../../api/schemas/project.ts";
import { addressCell, defineCommand, id, table, text, time } from "../../cli/define.ts";
import { stateCell } from "../../inspect/installations.ts";
import { organisationOf } from "../../inspect/invites.ts";
import { explainNotFound } from "../../questions/find.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  options: {
    org: text("organisation ID (default: that of the project)", {
      placeholder: "id",
      setting: "org",
    }),
  },
  examples: ["amp invites list --org org_2b7d10aa", "amp invites list --output id"],
  fields: RESULT_FIELDS.invite,
  run: async (context) => {
    const { api, options } = context;
    const orgId = options.org ?? (await organisationOf(context));
    return explainNotFound(
      {
        remedy: "The organisation does not exist, or the service does not list invites.",
        suggestion: suggest("projects list"),
      },
      api.list(listInvites, { path: { orgId } }),
    );
  },
  view: table<Invite>(
    ["invite", "invites"],
    {
      Email: ({ invitedEmail }) => (invitedEmail ? addressCell(invitedEmail) : undefined),
      Status: ({ status }) => stateCell(status),
      To: ({ parentType, parentId }) => [parentType, parentId].filter(Boolean).join(" "),
      Created: ({ createTime }) => time(createTime),
      ID: (invite) => id(invite.id),
    },
    { next: suggest("invites revoke", [{ placeholder: "invite" }]) },
  ),
});
