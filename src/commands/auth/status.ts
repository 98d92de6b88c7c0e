import { defineCommand, record, row, rows, time } from "../../cli/define.ts";
import { type LoginStatus, loginRows, readLoginStatus } from "../../login/status.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";
import { guardText } from "../../values/writes.ts";

export default defineCommand({
  description:
    "Checks the credential at the service. Exits with code 4 if the service does not accept it.",
  takes: ["project"],
  examples: ["amp auth status", "amp auth status --profile staging --json"],
  fields: [
    "profile",
    "profileSource",
    "baseUrl",
    "readBaseUrl",
    "credential",
    "credentialSource",
    "checked",
    "projects",
    "project",
    "org",
    "integration",
    "expectProject",
    "protected",
    "readOnly",
  ],
  run: (context) => readLoginStatus(context),
  view: record<LoginStatus>(
    (status) => ({
      title: status.profile === undefined ? "No profile" : `Profile ${status.profile}`,
      blocks: [
        rows([
          ...row("Chosen by", status.profileSource),
          ...row("Guard", guardText(status)),
          ...row("Expected project", status.expectProject),
          ...row("Service", status.baseUrl),
          ...row("Operations and logs", status.readBaseUrl),
          ...row("Credential", CREDENTIAL_NAMES[status.credential]),
          ...row("From", status.credentialSource),
          ...row("Stored in", status.storedIn),
          ...row("Expires", time(status.expires)),
          ...loginRows(status),
          ...row(
            "Access to",
            status.projects?.map(({ id, name }) => (name ? `${name} (${id})` : id)),
          ),
        ]),
      ],
    }),
    ({ profile }) => profile ?? "",
  ),
});
