import { defineCommand, lines, required, text } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  args: {
    from: required(text("profile name", { complete: "profile" })),
    to: required(text("new name: up to 64 letters, digits, dots, dashes and underscores")),
  },
  examples: ["amp auth rename default production"],
  fields: RESULT_FIELDS.renamed,
  exits: {
    "not-found": "no such profile",
    auth: "credentials cannot be read",
    conflict: "a profile with this name exists already",
  },
  run: async ({ args, profiles }) => {
    await (await profiles.store()).rename(args.from, args.to);
    profiles.forgetNames(args.from);
    return { from: args.from, profile: args.to };
  },
  view: lines<{ from: string; profile: string }>(
    ({ from, profile }) => `Renamed profile ${from} to ${profile}`,
    ({ profile }) => profile,
  ),
});
