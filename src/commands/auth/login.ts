import {
  defineCommand,
  flag,
  nextBlock,
  record,
  row,
  rows,
  text,
  toned,
  uuid,
} from "../../cli/define.ts";
import type { LoggedIn } from "../../documents/account.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";
import { derived } from "../../values/basics.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { type SuggestedCommand, suggestAtSavedTarget } from "../../values/suggested-command.ts";
import { guardText } from "../../values/writes.ts";

export default defineCommand({
  description:
    "Prompts for missing options, such as --base-url. The secret is read from a hidden prompt, from the file of --api-key-file or --access-token-file, or from standard input (-), never from an option. The credential is checked at the service before anything is saved, and the profile becomes the active one.",
  options: {
    secureStorage: flag("store the secret in the system's keyring instead of a file"),
    protected: flag("require --confirm <profile>, or its name typed, for every write"),
    readOnly: flag("refuse every write with this profile"),
    reset: flag("move unreadable files of saved logins aside and start new ones"),
    readBaseUrl: text("URL of operations, logs and backfills, if they are on a separate host", {
      placeholder: "url",
    }),
    org: text("default organisation ID", { placeholder: "id" }),
    integration: uuid("default integration ID"),
  },
  takes: ["yes", "project"],
  exits: { "not-found": "the credential has no access to the project" },
  examples: [
    "amp auth login",
    {
      run: "amp auth login --profile production --base-url https://api.example.com/v1 --api-key-file key.txt --project acme",
      note: "non-interactive; the profile is named production",
    },
    {
      run: "amp auth login --profile staging --base-url https://api.staging.example.com/v1 --access-token-file -",
      note: "the token comes from standard input",
    },
  ],
  fields: RESULT_FIELDS.loggedIn,
  run: async (context) => {
    const { reset, secureStorage, readOnly } = context.options;
    const guards = { protected: context.options.protected, readOnly };
    const { logIn } = await import("../../account/login/login.ts");
    return logIn(derived(context, { reset, secureStorage, guards }));
  },
  view: record<LoggedIn>(
    (login) => ({
      title: `Logged in as profile ${login.profile}`,
      blocks: [
        rows([
          ...row("Service", login.baseUrl),
          ...row("Operations and logs", login.readBaseUrl),
          ...row("Credential", CREDENTIAL_NAMES[login.credential]),
          ...row("Stored in", login.storedIn === "keyring" ? "keyring" : undefined),
          ...row("Guard", guardText(login)),
          ...row(
            "Checked",
            login.checked
              ? "accepted by the service"
              : toned("attention", "no: the service has no operation to check it"),
          ),
          ...row("Project", login.project),
          ...row("Org", login.org),
          ...row("Integration", login.integration),
        ]),
        { kind: "text", text: "This is now the active profile." },
        nextBlock(suggestAtSavedTarget("auth status"), nextList(login)),
      ],
    }),
    ({ profile }) => profile,
  ),
});

/** A list that works with the saved profile; without a project, only projects can be listed. */
function nextList({ project, checked }: LoggedIn): SuggestedCommand {
  if (project !== undefined) return suggestAtSavedTarget("apps list");
  if (checked) return suggestAtSavedTarget("projects list");
  return suggestAtSavedTarget("apps list", { project: { placeholder: "project" } });
}
