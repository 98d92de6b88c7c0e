import { defineCommand, record, required, text } from "../../cli/define.ts";
import { providerPage } from "../../inspect/provider-page.ts";
import { providerByName, providerRemarks } from "../../inspect/providers.ts";
import { RESULT_FIELDS } from "../../values/result-fields.ts";

export default defineCommand({
  description:
    "Works without a login if the service does not require one. If no provider has exactly this name, searches the list of providers by name or a unique prefix of it, and by display name.",
  args: { provider: required(text("provider name or display name")) },
  examples: ["amp providers get hubspot", "amp providers get Salesforce --json --fields support"],
  fields: RESULT_FIELDS.provider,
  exits: { conflict: "several providers match" },
  run: async (context) => {
    const provider = await providerByName(context.api, context.args.provider, context);
    for (const remark of providerRemarks(provider)) context.report.warn(remark);
    return provider;
  },
  view: record(providerPage, ({ name }) => name),
});
