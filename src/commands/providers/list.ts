import { AUTH_TYPES } from "../../api/catalogue/auth-types.ts";
import { listProviders } from "../../api/operations/endpoints.ts";
import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import type { Provider } from "../../api/schemas/provider.ts";
import { defineCommand, table, text } from "../../cli/define.ts";
import { explainNotFound } from "../../inspect/absent.ts";
import { changeShown } from "../../values/odd-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  options: {
    authType: text("show only providers with this authentication type", {
      placeholder: "type",
      suggestions: AUTH_TYPES,
    }),
  },
  examples: ["amp providers list", "amp providers list --auth-type apiKey --output id"],
  fields: RECORD_FIELDS.provider,
  run: async ({ api, options }) => {
    const all = await explainNotFound(
      { suggestion: suggest("providers get", [{ placeholder: "name" }]) },
      api.call(listProviders, {}),
    );
    return Object.entries(all)
      .map(([key, one]) =>
        // The key of the catalogue names a provider that does not name itself.
        one.name === "" ? changeShown(one, (shown) => ({ ...shown, name: key })) : one,
      )
      .filter(({ authType }) => !options.authType || authType === options.authType)
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  },
  view: table<Provider>(
    ["provider", "providers"],
    {
      Name: "name",
      "Display name": ({ displayName, name }) => displayName ?? name,
      Auth: "authType",
      Supports: ({ support }) =>
        ["read", "write", "subscribe", "proxy"]
          .filter((leaf) => support[leaf as keyof typeof support] === true)
          .join(" "),
    },
    { id: ({ name }) => name, next: suggest("providers get", [{ placeholder: "name" }]) },
  ),
});
