import { missingAuthOptions } from "../../api/catalogue/auth-types.ts";
import { getProvider } from "../../api/operations/endpoints.ts";
import { RECORD_FIELDS } from "../../api/operations/record-fields.ts";
import { defineCommand, record, required, text } from "../../cli/define.ts";
import { explainNotFound } from "../../inspect/absent.ts";
import { providerPage } from "../../inspect/provider-page.ts";
import { asSent } from "../../values/odd-fields.ts";
import { suggest } from "../../values/suggested-command.ts";

export default defineCommand({
  description: "Needs no login if the service requires none.",
  args: { provider: required(text("provider name, as shown by amp providers list")) },
  examples: ["amp providers get hubspot", "amp providers get salesforce --json --fields support"],
  fields: RECORD_FIELDS.provider,
  run: async ({ api, args, report }) => {
    const provider = await explainNotFound(
      { suggestion: suggest("providers list") },
      api.call(getProvider, { path: { provider: args.provider } }),
    );
    const remark = missingAuthOptions(args.provider, asSent(provider));
    if (remark !== undefined) report.warn(remark);
    return provider;
  },
  view: record(providerPage, ({ name }) => name),
});
