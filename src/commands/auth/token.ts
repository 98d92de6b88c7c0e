import { defineCommand, lines, text } from "../../cli/define.ts";
import { UsageError } from "../../errors.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description: "Prints the secret itself; keep it out of logs.",
  args: { profile: text("profile name (default: the profile in use)") },
  examples: [
    "amp auth token",
    'curl -H "X-Api-Key: $(amp auth token production)" https://api.example.com/v1/projects',
  ],
  run: async ({ args, profiles }) => {
    const name = args.profile ?? profiles.chosen()?.name;
    if (name === undefined) {
      throw new UsageError("No profile is in use; name a profile", {
        suggestion: suggest("auth list"),
      });
    }
    const { kind, secret } = await profiles.secretOf(name);
    return { profile: name, kind, token: secret.reveal() };
  },
  view: lines<{ profile: string; kind: string; token: string }>(
    ({ token }) => token,
    ({ token }) => token,
  ),
});
