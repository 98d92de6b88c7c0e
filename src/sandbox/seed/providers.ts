import type { Provider } from "../../api/schemas/provider.ts";
import { datadog } from "./providers/datadog.ts";
import { frankfurter } from "./providers/frankfurter.ts";
import { ghost } from "./providers/ghost.ts";
import { hubspot } from "./providers/hubspot.ts";
import { stripe } from "./providers/stripe.ts";
import { zendesk } from "./providers/zendesk.ts";

/** The seeded catalogue: one provider of each type of authentication. */
export const SEED_PROVIDERS: Readonly<Record<string, Provider>> = {
  hubspot,
  stripe,
  zendesk,
  ghost,
  datadog,
  frankfurter,
};
