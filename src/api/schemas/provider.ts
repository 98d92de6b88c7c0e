import * as z from "zod/mini";
import { AUTH_TYPES } from "../catalogue/auth-types.ts";
import { anyObject, map, openEnum, openObject, optional } from "./shape.ts";

const prefixedHeader = openObject({
  name: optional(z.string()),
  valuePrefix: optional(z.string()),
});
const template = openObject({ name: optional(z.string()), valueTemplate: optional(z.string()) });

/** OAuth2 options (spec 2.2). */
export const oauth2Options = openObject({
  tokenURL: optional(z.string()),
  /** The URL of the login; missing where no browser is involved, as with client credentials. */
  authURL: optional(z.string()),
  explicitScopesRequired: optional(z.boolean()),
  explicitWorkspaceRequired: optional(z.boolean()),
  /** The place of each fact in the provider's token answer; it contains no token. */
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
  /** The scopes as templates that may name the workspace. */
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

/** API key options (spec 2.2). */
export const apiKeyOptions = openObject({
  query: optional(openObject({ name: optional(z.string()) })),
  header: optional(prefixedHeader),
  docsURL: optional(z.string()),
});

/** Basic authentication options (spec 2.2). */
export const basicOptions = openObject({
  apiKeyAsBasic: optional(z.boolean()),
  apiKeyAsBasicOpts: optional(
    openObject({ fieldUsed: optional(z.string()), keyFormat: optional(z.string()) }),
  ),
  docsURL: optional(z.string()),
});

/** Custom authentication options (spec 2.2). */
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

/** A request that checks credentials and whether the provider is available (spec 2.2). */
export const authHealthCheck = openObject({
  url: optional(z.string()),
  method: optional(z.string()),
  successStatusCodes: optional(z.array(z.int())),
});

/** The options for getting and using an OAuth token of a provider. */
export type OAuth2Options = z.infer<typeof oauth2Options>;
/** The place of the API key in a request to the provider. */
export type ApiKeyOptions = z.infer<typeof apiKeyOptions>;
/** The options of a provider with basic authentication. */
export type BasicOptions = z.infer<typeof basicOptions>;
/** The options of a provider with its own authentication. */
export type CustomOptions = z.infer<typeof customOptions>;

const flag = optional(z.boolean());

const batchSupport = optional(
  openObject({
    supported: flag,
    /** The maximum records of a batch. */
    defaultRecordLimit: optional(z.int()),
    /** The limits by object name, in place of the default; the spec does not show the contents. */
    objectRecordLimits: optional(anyObject),
  }),
);

/**
 * The operations that a provider supports (spec 2.2). The spec does not show which leaves are
 * required; a missing one means "not specified".
 */
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

/** The operations of the platform with a provider. */
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
  moduleDependencies: optional(anyObject),
});

const images = openObject({ iconURL: optional(z.string()), logoURL: optional(z.string()) });

/** A provider (spec 2.2). */
export const provider = openObject({
  name: z.string(),
  authType: openEnum(AUTH_TYPES),
  /** The base URL, possibly with placeholders such as `{{.workspace}}`. */
  baseURL: z.string(),
  /** The default module: required by the spec, and empty for most providers. */
  defaultModule: z.string(),
  support,
  /**
   * The options that the spec requires where `authType` is oauth2; a provider without them is
   * still read.
   */
  oauth2Opts: optional(oauth2Options),
  /**
   * The options that the spec requires where `authType` is apiKey; a provider without them is
   * still read.
   */
  apiKeyOpts: optional(apiKeyOptions),
  basicOpts: optional(basicOptions),
  customOpts: optional(customOptions),
  authHealthCheck: optional(authHealthCheck),
  /** The display name; absent means that `name` is shown. */
  displayName: optional(z.string()),
  postAuthInfoNeeded: optional(z.boolean()),
  media: optional(openObject({ regular: optional(images), darkMode: optional(images) })),
  /** The labels, whose contents the spec does not show. */
  labels: optional(anyObject),
  subscribeRequirements: optional(
    openObject({
      registration: optional(z.boolean()),
      maintenance: optional(z.boolean()),
      postProcess: optional(z.boolean()),
    }),
  ),
  /** The modules, whose contents the spec does not show. */
  modules: optional(anyObject),
  metadata: optional(
    openObject({
      input: optional(z.array(descriptor)),
      postAuthentication: optional(
        z.array(
          openObject({ name: optional(z.string()), moduleDependencies: optional(anyObject) }),
        ),
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

/** An entry of the catalogue: the API of a SaaS provider (spec 2.2). */
export type Provider = z.infer<typeof provider>;
/** A question to the builder or the customer. */
export type Descriptor = z.infer<typeof descriptor>;
