import { AUTH_TYPES } from "../../api/catalogue/auth-types.ts";
import type { Provider } from "../../api/schemas/provider.ts";
import { defineCommand, sentence, table, text } from "../../cli/define.ts";
import { capabilities } from "../../inspect/provider-page.ts";
import { listedProviders } from "../../inspect/providers.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  args: { text: text("show only providers with this in their name or display name") },
  options: {
    authType: text("show only providers with this authentication type", {
      placeholder: "type",
      suggestions: AUTH_TYPES,
    }),
  },
  examples: [
    "amp providers list",
    "amp providers list google",
    "amp providers list --filter supports~bulk",
    "amp providers list --auth-type apiKey --output id",
  ],
  fields: RESULT_FIELDS.provider,
  run: ({ api, args, options: { authType } }) =>
    listedProviders(api, { name: args.text, authType }),
  view: table<Provider>(
    ["provider", "providers"],
    {
      Name: "name",
      "Display name": ({ displayName, name }) => displayName ?? name,
      Auth: "authType",
      Supports: ({ support }) =>
        sentence(
          capabilities(support)
            .flatMap(([name, flag]) => (flag === true ? [name] : []))
            .join(" "),
        ),
    },
    { id: ({ name }) => name, next: suggest("providers get", [{ placeholder: "name" }]) },
  ),
});
