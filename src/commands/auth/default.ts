import { choice, defineCommand, flag, table, text } from "../../cli/define.ts";
import type { ExplainedSetting } from "../../documents/account.ts";
import { kebabCase, PROFILE_SETTINGS } from "../../settings.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { commandErrors } from "../errors.ts";

export default defineCommand({
  description:
    "Without a value, shows the setting with its source and what it overrides; without a setting, all of them. An option, a variable and .amp.yaml override the profile.",
  args: {
    setting: choice("setting", PROFILE_SETTINGS.map(kebabCase), { placeholder: "setting" }),
    value: text("value to save in the profile"),
  },
  options: { unset: flag("remove the setting from the profile") },
  takes: ["profile"],
  examples: [
    "amp auth default",
    "amp auth default timeout 60s",
    "amp auth default timeout --unset",
  ],
  fields: RESULT_FIELDS.profileSetting,
  exits: { "not-found": "no such profile", auth: "not logged in, or credentials cannot be read" },
  run: async ({ args, options, profiles }) => {
    const setting = PROFILE_SETTINGS.find((name) => kebabCase(name) === args.setting);
    if (options.unset && (setting === undefined || args.value !== undefined))
      throw commandErrors.unset_without_setting();
    if (setting === undefined) return PROFILE_SETTINGS.map((name) => profiles.explain(name));
    if (args.value === undefined && !options.unset) return [profiles.explain(setting)];
    const profile = profiles.nameOrChosen(undefined);
    await (await profiles.store()).setDefault(profile, setting, args.value);
    const value = args.value === undefined ? {} : { value: args.value };
    return [{ setting: kebabCase(setting), ...value, source: `profile ${profile}` }];
  },
  view: table<ExplainedSetting>(
    ["setting", "settings"],
    {
      Setting: "setting",
      Value: "value",
      Source: "source",
      Ignored: ({ shadows }) => shadows?.join(", "),
    },
    { id: ({ setting }) => setting },
  ),
});
