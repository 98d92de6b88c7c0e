import { defineCommand, type ListedProfile, table } from "../../cli/define.ts";
import { CREDENTIAL_NAMES } from "../../settings.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";
import { guardText } from "../../values/writes.ts";

export default defineCommand({
  examples: ["amp auth list", "amp auth list --output id"],
  fields: RESULT_FIELDS.profile,
  exits: { auth: "credentials cannot be read" },
  run: async ({ profiles }) => (await profiles.store()).list(),
  view: table<ListedProfile>(
    ["profile", "profiles"],
    {
      Name: "name",
      Active: ({ active }) => (active ? "active" : undefined),
      "Base URL": "baseUrl",
      Credential: ({ credential, builtIn }) =>
        builtIn ? "built in" : credential === "none" ? undefined : CREDENTIAL_NAMES[credential],
      Project: "project",
      Guard: guardText,
    },
    { id: ({ name }) => name, next: suggest("auth switch", [{ placeholder: "name" }]) },
  ),
});
