import { defineCommand, flag, record, row, text, toned, uuid } from "../../cli/define.ts";
import { askLogin } from "../../login/ask.ts";
import { type LoggedIn, saveLogin } from "../../login/save.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";

export default defineCommand({
  description:
    "Asks for what is not given. The secret is typed hidden, or comes from a file or standard input; it is never an argument's value. The service is asked whether it takes the credential before anything is saved, and the profile becomes the active one.",
  options: {
    withApiKey: text("read an API key from this file; - for standard input", {
      placeholder: "file",
      complete: "file",
    }),
    withAccessToken: text("read an access token (JWT) from this file; - for standard input", {
      placeholder: "file",
      complete: "file",
    }),
    secureStorage: flag("keep the secret in the system's keyring, and not in a file"),
    reset: flag("move files of saved logins that cannot be understood aside, and begin new ones"),
    org: text("default organisation", { placeholder: "id" }),
    integration: uuid("default integration"),
  },
  examples: [
    "amp auth login",
    {
      run: "amp auth login --profile production --base-url https://api.example.com/v1 --with-api-key key.txt --project acme",
      note: "without questions; the profile is named production",
    },
    {
      run: "amp auth login --profile staging --base-url https://api.staging.example.com/v1 --with-access-token -",
      note: "the token comes through a pipe",
    },
  ],
  run: async (context) => {
    const { reset, secureStorage } = context.options;
    const ports = {
      ...context,
      reset: reset === true,
      secureStorage: secureStorage === true,
    };
    return saveLogin(ports, await askLogin(ports));
  },
  view: record<LoggedIn>(
    (login) => ({
      title: `Logged in as profile ${login.profile}`,
      blocks: [
        {
          kind: "rows",
          rows: [
            ...row("Service", login.baseUrl),
            ...row("Credential", CREDENTIAL_NAMES[login.credential]),
            ...row("Kept in", login.keptIn === "keyring" ? "keyring" : undefined),
            ...row(
              "Checked",
              login.checked
                ? toned("good", "the service accepts it")
                : toned("attention", "not yet: the service has no way to ask"),
            ),
            ...row("Project", login.project),
            ...row("Org", login.org),
            ...row("Integration", login.integration),
          ],
        },
        {
          kind: "text",
          text: "It is the active profile now. Next: amp auth status, or amp apps list",
        },
      ],
    }),
    ({ profile }) => profile,
  ),
});
