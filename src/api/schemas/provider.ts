import * as z from "zod/mini";
import { AUTH_TYPES } from "../auth-types.ts";
import {
  apiKeyOptions,
  authHealthCheck,
  basicOptions,
  customOptions,
  oauth2Options,
} from "./provider-auth.ts";
import { support } from "./provider-support.ts";
import { anything, known, map, open, optional } from "./shape.ts";

/** A question to the builder or the customer (spec 2.2). */
export const descriptor = open({
  name: optional(z.string()),
  displayName: optional(z.string()),
  prompt: optional(z.string()),
  defaultValue: optional(z.string()),
  docsURL: optional(z.string()),
  moduleDependencies: optional(anything),
});

const images = open({ iconURL: optional(z.string()), logoURL: optional(z.string()) });

/** Spec 2.2. */
export const provider = open({
  name: z.string(),
  authType: known(AUTH_TYPES),
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
  media: optional(open({ regular: optional(images), darkMode: optional(images) })),
  /** Contents not shown by the spec. */
  labels: optional(anything),
  subscribeRequirements: optional(
    open({
      registration: optional(z.boolean()),
      maintenance: optional(z.boolean()),
      postProcess: optional(z.boolean()),
    }),
  ),
  /** Contents not shown by the spec. */
  modules: optional(anything),
  metadata: optional(
    open({
      input: optional(z.array(descriptor)),
      postAuthentication: optional(
        z.array(open({ name: optional(z.string()), moduleDependencies: optional(anything) })),
      ),
    }),
  ),
  providerAppMetadata: optional(
    open({
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
