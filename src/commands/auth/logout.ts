import { defineCommand, flag, lines, text } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  description:
    "Removes the profile and its credential from this machine. The credential stays valid: revoke a lost key at the service.",
  args: { profile: text("profile name (default: the profile in use)", { complete: "profile" }) },
  options: { force: flag("delete the profile even if its keyring cannot be used") },
  takes: ["profile"],
  examples: ["amp auth logout", "amp auth logout staging"],
  fields: RESULT_FIELDS.profileName,
  exits: { "not-found": "no such profile", auth: "not logged in, or credentials cannot be read" },
  run: async ({ args, options, profiles, report }) => {
    const name = profiles.nameOrChosen(args.profile);
    const kept = await (await profiles.store()).remove(name, options.force);
    profiles.forgetNames(name);
    if (kept !== undefined) report.warn(`The keyring still has the entry ${kept}.`);
    return { profile: name };
  },
  view: lines<{ profile: string }>(
    ({ profile }) => `Deleted profile ${profile}`,
    ({ profile }) => profile,
  ),
});
