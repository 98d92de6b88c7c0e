import * as z from "zod/mini";
import { AUTH_TYPES } from "../catalogue/auth-types.ts";
import {
  apiKeyOptions,
  authHealthCheck,
  basicOptions,
  customOptions,
  oauth2Options,
} from "./provider-authentication.ts";
import { anyObject, field, map, openEnum, openObject, optional } from "./shape.ts";

const flag = (description: string) => optional(z.boolean(), description);

const batchSupport = openObject({
  supported: flag("whether several records can be written at once"),
  defaultRecordLimit: optional(z.int(), "the maximum number of records in a batch"),
  objectRecordLimits: optional(
    anyObject,
    "limits of single objects, by object name, that override the default",
  ),
});

/**
 * The operations that a provider supports (spec 2.2). The spec does not show which leaves are
 * required; a missing one means "not specified".
 */
export const support = openObject({
  bulkWrite: optional(
    openObject({
      insert: flag("whether records can be created in bulk"),
      update: flag("whether records can be updated in bulk"),
      upsert: flag("whether records can be created or updated in bulk"),
      delete: flag("whether records can be deleted in bulk"),
    }),
    "the operations for many records in one bulk job",
  ),
  proxy: flag("whether requests can be passed through to the provider"),
  read: flag("whether records can be read"),
  subscribe: flag("whether changes at the provider can be subscribed to"),
  write: flag("whether records can be written"),
  delete: flag("whether records can be deleted"),
  search: optional(
    openObject({
      operators: optional(
        openObject({ equals: flag("whether a search can compare for equality") }),
        "the operators that a search supports",
      ),
    }),
    "the ways to search for records",
  ),
  subscribeSupport: optional(
    openObject({
      create: flag("whether new records are reported"),
      update: flag("whether updated records are reported"),
      delete: flag("whether deleted records are reported"),
      passThrough: flag("whether the provider's own events are passed on unchanged"),
    }),
    "the changes that a subscription reports",
  ),
  batchWrite: optional(
    openObject({
      delete: optional(batchSupport, "batches of records to delete"),
      create: optional(batchSupport, "batches of records to create"),
      update: optional(batchSupport, "batches of records to update"),
      upsert: optional(batchSupport, "batches of records to create or update"),
    }),
    "the operations that take a batch of records, and their limits",
  ),
});

/** A question to the builder or the customer (spec 2.2). */
export const descriptor = openObject({
  name: optional(z.string(), "the name of the value"),
  displayName: optional(z.string(), "the display name of the value"),
  prompt: optional(z.string(), "the prompt for the value"),
  defaultValue: optional(z.string(), "the default value"),
  docsURL: optional(z.string(), "the URL of the provider's documentation about the value"),
  moduleDependencies: optional(anyObject, "the modules of the provider that need the value"),
});

const images = openObject({
  iconURL: optional(z.string(), "the URL of the icon"),
  logoURL: optional(z.string(), "the URL of the logo"),
});

/** A provider (spec 2.2). */
export const provider = field(
  openObject({
    name: field(z.string(), "the name that identifies the provider"),
    authType: field(openEnum(AUTH_TYPES), "the kind of authentication that the provider requires"),
    baseURL: field(
      z.string(),
      "the base URL of requests to the provider, possibly with placeholders such as {{.workspace}}",
    ),
    defaultModule: field(z.string(), "the default module; empty for most providers"),
    support: field(support, "what the platform can do with the provider"),
    // The specification requires the options that fit `authType`; providers without them are read.
    oauth2Opts: optional(oauth2Options, "the OAuth settings; present where authType is oauth2"),
    apiKeyOpts: optional(apiKeyOptions, "the API key settings; present where authType is apiKey"),
    basicOpts: optional(basicOptions, "the settings of basic authentication"),
    customOpts: optional(customOptions, "the settings of a custom authentication"),
    authHealthCheck: optional(
      authHealthCheck,
      "a request that checks the credentials and the availability of the provider",
    ),
    displayName: optional(z.string(), "the display name of the provider; if absent, name is shown"),
    postAuthInfoNeeded: optional(
      z.boolean(),
      "whether more information is required after the login before requests can be made",
    ),
    media: optional(
      openObject({
        regular: optional(images, "the images for a light background"),
        darkMode: optional(images, "the images for a dark background"),
      }),
      "icons and logos",
    ),
    labels: optional(anyObject, "labels; the specification does not describe their contents"),
    subscribeRequirements: optional(
      openObject({
        registration: optional(z.boolean(), "whether a registration is required first"),
        maintenance: optional(z.boolean(), "whether a subscription must be renewed"),
        postProcess: optional(z.boolean(), "whether further steps are required afterwards"),
      }),
      "the steps that a subscription requires, in addition to the call for each object",
    ),
    modules: optional(
      anyObject,
      "the modules of the provider, by name; the specification does not describe their contents",
    ),
    metadata: optional(
      openObject({
        input: optional(
          z.array(descriptor),
          "the values that the customer enters before the login",
        ),
        postAuthentication: optional(
          z.array(
            openObject({
              name: optional(z.string(), "the name of the value"),
              moduleDependencies: optional(
                anyObject,
                "the modules of the provider that need the value",
              ),
            }),
          ),
          "the values that are fetched after the login",
        ),
      }),
      "the values that customers enter, or that are fetched after the login",
    ),
    providerAppMetadata: optional(
      openObject({
        authQueryParams: optional(
          z.array(descriptor),
          "the query parameters of the login that a provider app sets",
        ),
        providerParams: optional(z.array(descriptor), "the other values that a provider app sets"),
      }),
      "the values that a provider app requires in its metadata",
    ),
  }),
  "a SaaS product in the catalogue, and how the platform connects to it",
  "spec 2.2",
);

/** The whole catalogue, keyed by the provider's name (beyond the spec). */
export const providers = map(provider);

/** An entry of the catalogue: the API of a SaaS provider (spec 2.2). */
export type Provider = z.infer<typeof provider>;
/** A question to the builder or the customer. */
export type Descriptor = z.infer<typeof descriptor>;

/** The operations of the platform with a provider. */
export type Support = z.infer<typeof support>;
/** Limits of one batch write operation. */
export type BatchSupport = z.infer<typeof batchSupport>;
