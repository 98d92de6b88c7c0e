import { defineCommand, lines, text } from "../../cli/define.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  description: "Prints the secret itself; keep it out of logs.",
  args: { profile: text("profile name (default: the profile in use)", { complete: "profile" }) },
  takes: ["profile"],
  examples: [
    "amp auth token",
    'curl -H "X-Api-Key: $(amp auth token production)" https://api.example.com/v1/projects',
  ],
  fields: RESULT_FIELDS.token,
  exits: { "not-found": "no such profile", auth: "not logged in, or credentials cannot be read" },
  run: async ({ args, profiles }) => {
    const name = profiles.nameOrChosen(args.profile);
    const { kind, secret } = await profiles.secretOf(name);
    return { profile: name, kind, token: secret.reveal() };
  },
  view: lines<{ profile: string; kind: string; token: string }>(
    ({ token }) => token,
    ({ token }) => token,
  ),
});
