import * as z from "zod/mini";
import { AUTH_TYPES } from "../catalogue/auth-types.ts";
import { anything, map, openEnum, openObject, optional } from "./shape.ts";

const prefixedHeader = openObject({
  name: optional(z.string()),
  valuePrefix: optional(z.string()),
});
const template = openObject({ name: optional(z.string()), valueTemplate: optional(z.string()) });

/** Spec 2.2, OAuth2 Options. */
export const oauth2Options = openObject({
  tokenURL: optional(z.string()),
  /** Missing where no browser is involved, as with client credentials. */
  authURL: optional(z.string()),
  explicitScopesRequired: optional(z.boolean()),
  explicitWorkspaceRequired: optional(z.boolean()),
  /** Where in the provider's token answer each fact stands; no token itself. */
  tokenMetadataFields: optional(
    openObject({
      workspaceRefField: optional(z.string()),
      consumerRefField: optional(z.string()),
      scopesField: optional(z.string()),
      otherFields: optional(
        z.array(
          openObject({
            name: optional(z.string()),
            displayName: optional(z.string()),
            path: optional(z.string()),
            /** A regular expression with a group named `result`. */
            capture: optional(z.string()),
          }),
        ),
      ),
    }),
  ),
  audience: optional(z.array(z.string())),
  /** Values are templates that may name the workspace. */
  scopeMappings: optional(map(z.string())),
  docsURL: optional(z.string()),
  authURLParams: optional(map(z.string())),
  accessTokenOpts: optional(
    openObject({
      attachmentType: optional(z.string()),
      header: optional(prefixedHeader),
      docsURL: optional(z.string()),
    }),
  ),
});

/** Spec 2.2, API Key Options. */
export const apiKeyOptions = openObject({
  query: optional(openObject({ name: optional(z.string()) })),
  header: optional(prefixedHeader),
  docsURL: optional(z.string()),
});

/** Spec 2.2, Basic Auth Options. */
export const basicOptions = openObject({
  apiKeyAsBasic: optional(z.boolean()),
  apiKeyAsBasicOpts: optional(
    openObject({ fieldUsed: optional(z.string()), keyFormat: optional(z.string()) }),
  ),
  docsURL: optional(z.string()),
});

/** Spec 2.2, Custom Auth Options. */
export const customOptions = openObject({
  headers: optional(z.array(template)),
  queryParams: optional(z.array(template)),
  inputs: optional(
    z.array(
      openObject({
        name: optional(z.string()),
        displayName: optional(z.string()),
        prompt: optional(z.string()),
        docsURL: optional(z.string()),
      }),
    ),
  ),
});

/** Spec 2.2: a request that tells whether credentials are good and the provider is there. */
export const authHealthCheck = openObject({
  url: optional(z.string()),
  method: optional(z.string()),
  successStatusCodes: optional(z.array(z.int())),
});

/** How to get and use an OAuth token of a provider. */
export type OAuth2Options = z.infer<typeof oauth2Options>;
/** Where a provider takes its API key. */
export type ApiKeyOptions = z.infer<typeof apiKeyOptions>;
/** How a provider takes basic authentication. */
export type BasicOptions = z.infer<typeof basicOptions>;
/** How a provider of its own making is authenticated at. */
export type CustomOptions = z.infer<typeof customOptions>;

const flag = optional(z.boolean());

const batchSupport = optional(
  openObject({
    supported: flag,
    /** Records a batch. */
    defaultRecordLimit: optional(z.int()),
    /** By object name, in place of the default; contents not shown by the spec. */
    objectRecordLimits: optional(anything),
  }),
);

/** Spec 2.2, Support. Which leaves are required is not shown; a missing one means "not told". */
export const support = openObject({
  bulkWrite: optional(openObject({ insert: flag, update: flag, upsert: flag, delete: flag })),
  proxy: flag,
  read: flag,
  subscribe: flag,
  write: flag,
  delete: flag,
  search: optional(openObject({ operators: optional(openObject({ equals: flag })) })),
  subscribeSupport: optional(
    openObject({ create: flag, update: flag, delete: flag, passThrough: flag }),
  ),
  batchWrite: optional(
    openObject({
      delete: batchSupport,
      create: batchSupport,
      update: batchSupport,
      upsert: batchSupport,
    }),
  ),
});

/** What the platform can do with a provider. */
export type Support = z.infer<typeof support>;
/** Limits of one batch write operation. */
export type BatchSupport = NonNullable<z.infer<typeof batchSupport>>;

/** A question to the builder or the customer (spec 2.2). */
export const descriptor = openObject({
  name: optional(z.string()),
  displayName: optional(z.string()),
  prompt: optional(z.string()),
  defaultValue: optional(z.string()),
  docsURL: optional(z.string()),
  moduleDependencies: optional(anything),
});

const images = openObject({ iconURL: optional(z.string()), logoURL: optional(z.string()) });

/** Spec 2.2. */
export const provider = openObject({
  name: z.string(),
  authType: openEnum(AUTH_TYPES),
  /** May hold placeholders such as `{{.workspace}}`. */
  baseURL: z.string(),
  /** Required by the spec, and empty for most providers. */
  defaultModule: z.string(),
  support,
  /** Promised where `authType` is oauth2; a provider without it is still read. */
  oauth2Opts: optional(oauth2Options),
  /** Promised where `authType` is apiKey; a provider without it is still read. */
  apiKeyOpts: optional(apiKeyOptions),
  basicOpts: optional(basicOptions),
  customOpts: optional(customOptions),
  authHealthCheck: optional(authHealthCheck),
  /** Absent means the same as `name`. */
  displayName: optional(z.string()),
  postAuthInfoNeeded: optional(z.boolean()),
  media: optional(openObject({ regular: optional(images), darkMode: optional(images) })),
  /** Contents not shown by the spec. */
  labels: optional(anything),
  subscribeRequirements: optional(
    openObject({
      registration: optional(z.boolean()),
      maintenance: optional(z.boolean()),
      postProcess: optional(z.boolean()),
    }),
  ),
  /** Contents not shown by the spec. */
  modules: optional(anything),
  metadata: optional(
    openObject({
      input: optional(z.array(descriptor)),
      postAuthentication: optional(
        z.array(openObject({ name: optional(z.string()), moduleDependencies: optional(anything) })),
      ),
    }),
  ),
  providerAppMetadata: optional(
    openObject({
      authQueryParams: optional(z.array(descriptor)),
      providerParams: optional(z.array(descriptor)),
    }),
  ),
});

/** The whole catalogue, keyed by the provider's name (beyond the spec). */
export const providers = map(provider);

/** An entry of the catalogue: how to talk to a SaaS provider (spec 2.2). */
export type Provider = z.infer<typeof provider>;
/** The catalogue, keyed by the provider's name. */
export type Providers = z.infer<typeof providers>;
/** A question to the builder or the customer. */
export type Descriptor = z.infer<typeof descriptor>;
/** How a provider wants to be authenticated at; other values than the known ones may occur. */
export type AuthType = Provider["authType"];
