import { defineCommand, type ListedProfile, table } from "../../cli/define.ts";
import { CREDENTIAL_NAMES, PROFILE_SETTINGS } from "../../settings.ts";
import { suggest } from "../../values/suggested-command.ts";
import { guardText } from "../../values/writes.ts";

export default defineCommand({
  examples: ["amp auth list", "amp auth list --output id"],
  fields: [
    "name",
    "active",
    "builtIn",
    "baseUrl",
    "readBaseUrl",
    "credential",
    ...PROFILE_SETTINGS,
    "protected",
    "readOnly",
  ],
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
