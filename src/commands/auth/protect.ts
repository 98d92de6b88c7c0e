import { defineCommand, flag, lines, text } from "../../cli/define.ts";
import type { GuardedProfile } from "../../documents/account.ts";
import { confirm } from "../../questions/confirm.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { guardText, type ProfileGuards } from "../../values/writes.ts";

export default defineCommand({
  description:
    "With a protected profile, a write needs the profile's name: typed at the prompt, or as --confirm <profile>. With a read-only profile, every write is refused before it is sent. --off asks for confirmation; without --read-only, it removes both guards.",
  args: { profile: text("profile name (default: the profile in use)", { complete: "profile" }) },
  options: {
    readOnly: flag("refuse every write with this profile"),
    off: flag("remove both guards, or with --read-only only that one"),
  },
  takes: ["yes", "profile"],
  examples: [
    "amp auth protect production",
    "amp auth protect audit --read-only",
    "amp auth protect production --off",
  ],
  fields: RESULT_FIELDS.guardedProfile,
  exits: { "not-found": "no such profile", auth: "credentials cannot be read" },
  run: async (context) => {
    const { args, options, profiles } = context;
    const profile = profiles.nameOrChosen(args.profile);
    const store = await profiles.store();
    const guards = guardsToSet(options);
    if (options.off) {
      await confirm(context, {
        message: `Allow writes with profile ${profile} without this guard?`,
        needed: "Removing a guard needs confirmation",
        done: "The profile was not changed.",
      });
    }
    const after = await store.guard(profile, guards);
    return { profile, protected: after.protected === true, readOnly: after.readOnly === true };
  },
  view: lines<GuardedProfile>(
    (guarded) => `Profile ${guarded.profile} is ${guardText(guarded) ?? "not guarded"}`,
    ({ profile }) => profile,
  ),
});

function guardsToSet({ readOnly, off }: { readOnly: boolean; off: boolean }): ProfileGuards {
  if (readOnly) return { readOnly: !off };
  return off ? { protected: false, readOnly: false } : { protected: true };
}
