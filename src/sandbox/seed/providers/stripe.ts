import type { Provider } from "../../../api/schemas/provider.ts";
import { batch, docs, media, NO_BATCH, supports } from "./supports.ts";

/** An API key, in a header or in the query. */
export const stripe: Provider = {
  name: "stripe",
  displayName: "Stripe",
  authType: "apiKey",
  baseURL: "https://api.stripe.com",
  defaultModule: "",
  support: supports({
    read: true,
    write: true,
    delete: true,
    bulkWrite: { insert: true, update: true, upsert: false, delete: false },
    batchWrite: {
      create: batch(25, { invoices: 10 }),
      update: batch(25),
      upsert: NO_BATCH,
      delete: batch(10, { customers: 1 }),
    },
  }),
  apiKeyOpts: {
    header: { name: "Authorization", valuePrefix: "Bearer " },
    query: { name: "api_key" },
    docsURL: docs("stripe/keys"),
  },
  authHealthCheck: {
    url: "https://api.stripe.com/v1/balance",
    method: "GET",
    successStatusCodes: [200, 204],
  },
  media: media("stripe"),
};
