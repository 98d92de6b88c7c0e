import type { Provider } from "../../api/schemas/provider.ts";
import { batch, docs, media, NO_BATCH, supports } from "./provider-parts.ts";

/** A provider with OAuth and all of its options. */
export const hubspot: Provider = {
  name: "hubspot",
  displayName: "HubSpot",
  authType: "oauth2",
  baseURL: "https://api.hubapi.com",
  defaultModule: "crm",
  support: supports({
    read: true,
    write: true,
    subscribe: true,
    search: { operators: { equals: true } },
    subscribeSupport: { create: true, update: true, delete: true, passThrough: false },
    batchWrite: {
      create: batch(100),
      update: batch(100),
      upsert: batch(100, { contacts: 50 }),
      delete: NO_BATCH,
    },
  }),
  oauth2Opts: {
    authURL: "https://app.hubspot.com/oauth/authorize",
    tokenURL: "https://api.hubapi.com/oauth/v1/token",
    explicitScopesRequired: true,
    explicitWorkspaceRequired: false,
    tokenMetadataFields: {
      workspaceRefField: "hub_id",
      consumerRefField: "user_id",
      scopesField: "scopes",
      otherFields: [
        {
          name: "hubDomain",
          displayName: "Hub domain",
          path: "hub_domain",
          capture: "^https://(?<result>[^/]+)",
        },
      ],
    },
    audience: ["https://api.hubapi.com"],
    scopeMappings: { "crm.workspace": "https://{{.workspace}}.hubapi.com/crm" },
    docsURL: docs("hubspot/oauth"),
    authURLParams: { prompt: "consent" },
    accessTokenOpts: {
      attachmentType: "accessTokenHeaderAttachment",
      header: { name: "Authorization", valuePrefix: "Bearer " },
      docsURL: docs("hubspot/tokens"),
    },
  },
  authHealthCheck: {
    url: "https://api.hubapi.com/account-info/v3/details",
    method: "GET",
    successStatusCodes: [200],
  },
  postAuthInfoNeeded: true,
  media: media("hubspot"),
  labels: { category: "crm", tier: "1" },
  subscribeRequirements: { registration: true, maintenance: false, postProcess: true },
  modules: {
    crm: {
      baseURL: "https://api.hubapi.com/crm/v3",
      displayName: "HubSpot CRM",
      support: supports({ read: true, write: true, subscribe: true }),
    },
  },
  metadata: {
    postAuthentication: [{ name: "hubId", moduleDependencies: { crm: {} } }],
  },
  providerAppMetadata: {
    authQueryParams: [
      {
        name: "optional_scope",
        displayName: "Optional scopes",
        prompt: "Scopes that the customer may leave out",
        defaultValue: "tickets",
        docsURL: docs("hubspot/scopes"),
        moduleDependencies: { crm: {} },
      },
    ],
    providerParams: [
      {
        name: "accountRegion",
        displayName: "Account region",
        prompt: "Where the app's developer account is hosted",
        defaultValue: "na1",
        docsURL: docs("hubspot/regions"),
        moduleDependencies: { crm: {} },
      },
    ],
  },
};
