import { defineCommand, lines, text } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  description:
    "The active profile is used unless an option, a variable or the project file names another. Without a name, you choose from a list on a terminal.",
  args: { profile: text("profile name", { complete: "profile" }) },
  examples: ["amp auth switch staging", "amp auth switch"],
  fields: RESULT_FIELDS.profileName,
  exits: { "not-found": "no such profile", auth: "credentials cannot be read" },
  run: async ({ args, profiles, prompt }) => {
    const store = await profiles.store();
    const name =
      args.profile ??
      (await prompt.select({
        message: "Profile",
        flag: "<profile>",
        choices: store
          .list()
          .map((profile) => ({ value: profile.name, label: profile.name, note: profile.baseUrl })),
      }));
    await store.activate(name);
    return { profile: name };
  },
  view: lines<{ profile: string }>(
    ({ profile }) => `Profile ${profile} is now active`,
    ({ profile }) => profile,
  ),
});
