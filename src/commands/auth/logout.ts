import { defineCommand, flag, lines, text } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description:
    "Removes the profile and its secret from this machine. The service is not told: have a lost key revoked there.",
  args: { profile: text("profile name; without it the one in use") },
  options: {
    force: flag("forget the profile even where its keyring cannot be used"),
  },
  examples: ["amp auth logout", "amp auth logout staging"],
  run: async ({ args, options, profiles, report }) => {
    const name = args.profile ?? profiles.chosen()?.name;
    if (name === undefined) {
      throw new UsageError("No profile is in use: name the one to forget", {
        suggestion: suggest("auth list"),
      });
    }
    const kept = await (await profiles.store()).remove(name, options.force);
    if (kept !== undefined) report.warn(`The keyring still holds the entry ${kept}.`);
    return { profile: name };
  },
  view: lines<{ profile: string }>(
    ({ profile }) => `Forgot profile ${profile}`,
    ({ profile }) => profile,
  ),
});
