import { defineCommand, record, row, time, toned } from "../../cli/define.ts";
import { type LoginStatus, readLoginStatus } from "../../login/status.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";

export default defineCommand({
  description: "Checks the credential at the service; exits 4 if the service does not accept it.",
  examples: ["amp auth status", "amp auth status --profile staging --json"],
  run: (context) => readLoginStatus(context),
  view: record<LoginStatus>(
    (status) => ({
      title: status.profile === undefined ? "No profile" : `Profile ${status.profile}`,
      blocks: [
        {
          kind: "rows",
          rows: [
            ...row("Chosen by", status.profileSource),
            ...row("Service", status.baseUrl),
            ...row("Credential", CREDENTIAL_NAMES[status.credential]),
            ...row("From", status.credentialSource),
            ...row("Kept in", status.keptIn),
            ...row("Expires", time(status.expires)),
            ...row(
              "Checked",
              status.checked
                ? toned("good", "accepted by the service")
                : toned("attention", "no: the service has no operation to check it with"),
            ),
            ...row("Project", status.project),
            ...row("Org", status.org),
            ...row("Integration", status.integration),
            ...row(
              "Sees projects",
              (status.projects ?? []).map(({ id, name }) => (name ? `${name} (${id})` : id)),
            ),
          ],
        },
      ],
    }),
    ({ profile }) => profile ?? "",
  ),
});
