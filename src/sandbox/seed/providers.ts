import type { Provider } from "../../api/schemas/provider.ts";
import { hubspot } from "./hubspot.ts";
import { batch, docs, media, NO_BATCH, supports } from "./provider-parts.ts";

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

/** Basic authentication with an API key, and a workspace as an input. */
export const zendesk: Provider = {
  name: "zendesk",
  displayName: "Zendesk",
  authType: "basic",
  baseURL: "https://{{.workspace}}.zendesk.com",
  defaultModule: "support",
  support: supports({
    read: true,
    write: true,
    subscribe: true,
    subscribeSupport: { create: true, update: true, delete: false, passThrough: true },
  }),
  basicOpts: {
    apiKeyAsBasic: true,
    apiKeyAsBasicOpts: { fieldUsed: "username", keyFormat: "%s/token" },
    docsURL: docs("zendesk/api-token"),
  },
  authHealthCheck: {
    url: "https://{{.workspace}}.zendesk.com/api/v2/users/me.json",
    method: "GET",
    successStatusCodes: [200],
  },
  media: media("zendesk"),
  subscribeRequirements: { registration: false, maintenance: true, postProcess: false },
  modules: {
    support: {
      baseURL: "https://{{.workspace}}.zendesk.com/api/v2",
      displayName: "Zendesk Support",
      support: supports({ read: true, write: true }),
    },
  },
  metadata: {
    input: [
      {
        name: "workspace",
        displayName: "Subdomain",
        prompt: "The part of the address before .zendesk.com",
        defaultValue: "",
        docsURL: docs("zendesk/subdomain"),
        moduleDependencies: { support: {} },
      },
    ],
  },
};

/** A JWT that is signed with the customer's key. */
export const ghost: Provider = {
  name: "ghost",
  displayName: "Ghost",
  authType: "jwt",
  baseURL: "https://{{.domain}}/ghost/api/admin",
  defaultModule: "",
  support: supports({ read: true, write: true, delete: true }),
  media: media("ghost"),
  labels: { category: "publishing" },
  metadata: { input: [{ name: "domain", displayName: "Domain of the site" }] },
};

/** Custom authentication: two keys, sent as headers. */
export const datadog: Provider = {
  name: "datadog",
  displayName: "Datadog",
  authType: "custom",
  baseURL: "https://api.datadoghq.com",
  defaultModule: "",
  support: supports({ read: true, write: true }),
  customOpts: {
    headers: [
      { name: "DD-API-KEY", valueTemplate: "{{ .apiKey }}" },
      { name: "DD-APPLICATION-KEY", valueTemplate: "{{ .applicationKey }}" },
    ],
    queryParams: [{ name: "site", valueTemplate: "{{ .site }}" }],
    inputs: [
      {
        name: "apiKey",
        displayName: "API key",
        prompt: "Organization settings, API keys",
        docsURL: docs("datadog/keys"),
      },
      { name: "applicationKey", displayName: "Application key", docsURL: docs("datadog/keys") },
      { name: "site", displayName: "Site", prompt: "For example datadoghq.eu" },
    ],
  },
  authHealthCheck: {
    url: "https://api.datadoghq.com/api/v1/validate",
    method: "GET",
    successStatusCodes: [200],
  },
  media: media("datadog"),
};

/** No authentication, and only the required fields: not even a display name. */
export const frankfurter: Provider = {
  name: "frankfurter",
  authType: "none",
  baseURL: "https://api.frankfurter.dev",
  defaultModule: "",
  support: supports({ read: true }),
};

/** The seeded catalogue: one provider for each type of authentication. */
export const SEED_PROVIDERS: Readonly<Record<string, Provider>> = {
  hubspot,
  stripe,
  zendesk,
  ghost,
  datadog,
  frankfurter,
};
