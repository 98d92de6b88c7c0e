import * as z from "zod/mini";
import { map, open, optional } from "./shape.ts";

const prefixedHeader = open({ name: optional(z.string()), valuePrefix: optional(z.string()) });
const template = open({ name: optional(z.string()), valueTemplate: optional(z.string()) });

/** Spec 2.2, OAuth2 Options. */
export const oauth2Options = open({
  tokenURL: optional(z.string()),
  /** Missing where no browser is involved, as with client credentials. */
  authURL: optional(z.string()),
  explicitScopesRequired: optional(z.boolean()),
  explicitWorkspaceRequired: optional(z.boolean()),
  /** Where in the provider's token answer each fact stands; no token itself. */
  tokenMetadataFields: optional(
    open({
      workspaceRefField: optional(z.string()),
      consumerRefField: optional(z.string()),
      scopesField: optional(z.string()),
      otherFields: optional(
        z.array(
          open({
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
    open({
      attachmentType: optional(z.string()),
      header: optional(prefixedHeader),
      docsURL: optional(z.string()),
    }),
  ),
});

/** Spec 2.2, API Key Options. */
export const apiKeyOptions = open({
  query: optional(open({ name: optional(z.string()) })),
  header: optional(prefixedHeader),
  docsURL: optional(z.string()),
});

/** Spec 2.2, Basic Auth Options. */
export const basicOptions = open({
  apiKeyAsBasic: optional(z.boolean()),
  apiKeyAsBasicOpts: optional(
    open({ fieldUsed: optional(z.string()), keyFormat: optional(z.string()) }),
  ),
  docsURL: optional(z.string()),
});

/** Spec 2.2, Custom Auth Options. */
export const customOptions = open({
  headers: optional(z.array(template)),
  queryParams: optional(z.array(template)),
  inputs: optional(
    z.array(
      open({
        name: optional(z.string()),
        displayName: optional(z.string()),
        prompt: optional(z.string()),
        docsURL: optional(z.string()),
      }),
    ),
  ),
});

/** Spec 2.2: a request that tells whether credentials are good and the provider is there. */
export const authHealthCheck = open({
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
