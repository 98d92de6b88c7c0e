import { assertVisibleProject } from "../../account/login/context.ts";
import { choice, defineCommand, flag, table, text } from "../../cli/define.ts";
import type { ExplainedSetting } from "../../documents/account.ts";
import { kebabCase, PROFILE_SETTINGS } from "../../settings.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { commandErrors } from "../errors.ts";

export default defineCommand({
  description:
    "Saves the value in the profile, and shows which value is used from now on, with its source: an option, a variable and .amp.yaml override the profile. Without a value, shows the setting and what it overrides; without a setting, all of them.",
  args: {
    setting: choice("setting", PROFILE_SETTINGS.map(kebabCase), { placeholder: "setting" }),
    value: text("value to save in the profile"),
  },
  options: { unset: flag("remove the setting from the profile") },
  takes: ["profile"],
  examples: [
    "amp auth default",
    "amp auth default project acme",
    "amp auth default timeout 60s",
    "amp auth default timeout --unset",
  ],
  fields: RESULT_FIELDS.profileSetting,
  exits: {
    "not-found": "no such profile, or no such project",
    auth: "not logged in, or credentials cannot be read",
  },
  run: async (context) => {
    const { args, options, profiles, report } = context;
    const setting = PROFILE_SETTINGS.find((name) => kebabCase(name) === args.setting);
    if (options.unset && (setting === undefined || args.value !== undefined))
      throw commandErrors.unset_without_setting();
    if (setting === undefined) return PROFILE_SETTINGS.map((name) => profiles.explain(name));
    if (args.value === undefined && !options.unset) return [profiles.explain(setting)];
    const profile = profiles.nameOrChosen(undefined);
    const store = await profiles.store();
    const saved = store.list().find(({ name }) => name === profile);
    const isOfProfile = saved?.baseUrl === context.target().baseUrl;
    if (setting === "project" && args.value !== undefined && isOfProfile) {
      await assertVisibleProject(context, args.value);
    }
    await store.setDefault(profile, setting, args.value);
    const used = profiles.explain(setting);
    if (options.unset) {
      const before = saved?.[setting];
      const removed = before ? `Removed ${before} from` : "It was not set in";
      const now = used.value ? `${used.value} (${used.source}) is used now` : "none is used now";
      report.notice(`${removed} profile ${profile}; ${now}.`);
    }
    if (args.value !== undefined && used.value !== args.value) {
      const other = used.source === "default" ? undefined : used.source;
      const why = other ? `${other} overrides it here` : "this call is for another service";
      report.warn(`Saved in profile ${profile}; ${why}.`);
    }
    return [used];
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
