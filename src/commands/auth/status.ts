import { loginRows, readLoginStatus, withSources } from "../../account/login/status.ts";
import { defineCommand, record, row, rows, time } from "../../cli/define.ts";
import type { LoginStatus } from "../../documents/account.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { guardText } from "../../values/writes.ts";

export default defineCommand({
  description:
    "Checks the credential at the service. Exits with code 4 if the service does not accept it.",
  takes: ["project"],
  examples: ["amp auth status", "amp auth status --profile staging --json"],
  fields: RESULT_FIELDS.loginStatus,
  run: (context) => readLoginStatus(context),
  view: record<LoginStatus>(
    (status) => {
      const shown = withSources(status);
      return {
        title: status.profile === undefined ? "No profile" : `Profile ${status.profile}`,
        blocks: [
          rows([
            ...row("Chosen by", status.profileSource),
            ...row("Guard", guardText(status)),
            ...row("Expected project", shown.expectProject),
            ...row("Service", shown.baseUrl),
            ...row("Operations and logs", shown.readBaseUrl),
            ...row("Credential", CREDENTIAL_NAMES[status.credential]),
            ...row("From", status.credentialSource),
            ...row("Stored in", status.storedIn),
            ...row("Expires", time(status.expires)),
            ...loginRows(shown),
            ...row(
              "Access to",
              status.projects?.map(({ id, name }) => (name ? `${name} (${id})` : id)),
            ),
          ]),
        ],
      };
    },
    ({ profile }) => profile ?? "",
  ),
});
