import { choice, defineCommand, list, record, required, text } from "../../cli/define.ts";
import {
  CAPABILITIES,
  compareProviders,
  type ProviderComparison,
  providerComparisonPage,
  providerComparisonRows,
} from "../../inspect/compare-providers.ts";
import { providerByName } from "../../inspect/providers.ts";

export default defineCommand({
  description:
    "Shows the differences in capabilities, authentication and required input. Providers are found by name or display name.",
  args: {
    provider: required(text("provider name or display name")),
    other: required(text("provider to compare it with")),
  },
  options: {
    require: list(
      choice("exit with code 8 unless both providers support these", CAPABILITIES, {
        placeholder: "capability",
      }),
    ),
  },
  examples: [
    "amp providers compare hubspot salesforce",
    "amp providers compare hubspot zendesk --require read,proxy",
  ],
  fields: ["first", "second", "differences", "bothSupport", "neitherSupports", "required"],
  exits: {
    check: "a provider does not support what --require lists",
    conflict: "several providers have this display name",
  },
  run: async (context): Promise<ProviderComparison> => {
    const { api, args, options } = context;
    // One after the other: a terminal may ask which one is meant.
    const one = await providerByName(api, args.provider, context);
    const other = await providerByName(api, args.other, context);
    return compareProviders(one, other, options.require);
  },
  exit: ({ required: all }) => (all.every((one) => one.first && one.second) ? "ok" : "check"),
  view: record(
    providerComparisonPage,
    ({ first, second }) => [first.name, second.name],
    providerComparisonRows,
  ),
});
