import * as z from "zod/mini";
import { map, openObject, optional } from "./shape.ts";

const prefixedHeader = openObject({
  name: optional(z.string(), "the name of the header"),
  valuePrefix: optional(z.string(), "the text before the credential in the value of the header"),
});

const template = openObject({
  name: optional(z.string(), "the name of the header or parameter"),
  valueTemplate: optional(z.string(), "the value, with placeholders for inputs"),
});

const documentation = optional(z.string(), "the URL of the provider's documentation about this");

/** OAuth2 options (spec 2.2). */
export const oauth2Options = openObject({
  tokenURL: optional(z.string(), "the URL that issues tokens"),
  authURL: optional(
    z.string(),
    "the URL of the login page; absent if no browser is involved, as with client credentials",
  ),
  explicitScopesRequired: optional(
    z.boolean(),
    "whether the provider app must list the scopes that it requests",
  ),
  explicitWorkspaceRequired: optional(
    z.boolean(),
    "whether the customer must enter their workspace before the login",
  ),
  tokenMetadataFields: optional(
    openObject({
      workspaceRefField: optional(z.string(), "the field with the ID of the workspace"),
      consumerRefField: optional(z.string(), "the field with the ID of the user"),
      scopesField: optional(z.string(), "the field with the granted scopes"),
      otherFields: optional(
        z.array(
          openObject({
            name: optional(z.string(), "the name of the value"),
            displayName: optional(z.string(), "the display name of the value"),
            path: optional(z.string(), "the path of the value in the response"),
            capture: optional(
              z.string(),
              "a regular expression; its group named result is the value",
            ),
          }),
        ),
        "further values that are read from the response",
      ),
    }),
    "the fields of the token response that hold each fact; it contains no token",
  ),
  audience: optional(z.array(z.string()), "the audiences that a token is requested for"),
  scopeMappings: optional(
    map(z.string()),
    "the full scope for each short name; it may have a placeholder for the workspace",
  ),
  docsURL: documentation,
  authURLParams: optional(map(z.string()), "extra query parameters of the login URL"),
  accessTokenOpts: optional(
    openObject({
      attachmentType: optional(
        z.string(),
        "how the token is sent; accessTokenHeaderAttachment means in a header",
      ),
      header: optional(prefixedHeader, "the header that carries the token"),
      docsURL: documentation,
    }),
    "how requests carry the token",
  ),
});

/** API key options (spec 2.2). */
export const apiKeyOptions = openObject({
  query: optional(
    openObject({ name: optional(z.string(), "the name of the parameter") }),
    "the query parameter that carries the key",
  ),
  header: optional(prefixedHeader, "the header that carries the key"),
  docsURL: documentation,
});

/** Basic authentication options (spec 2.2). */
export const basicOptions = openObject({
  apiKeyAsBasic: optional(
    z.boolean(),
    "whether an API key is sent instead of a user name and password",
  ),
  apiKeyAsBasicOpts: optional(
    openObject({
      fieldUsed: optional(z.string(), "the field that the key is sent in, such as username"),
      keyFormat: optional(z.string(), "the format of the field, with a placeholder for the key"),
    }),
    "how the API key is sent",
  ),
  docsURL: documentation,
});

/** Custom authentication options (spec 2.2). */
export const customOptions = openObject({
  headers: optional(z.array(template), "the headers that requests carry"),
  queryParams: optional(z.array(template), "the query parameters that requests carry"),
  inputs: optional(
    z.array(
      openObject({
        name: optional(z.string(), "the name that templates use for the value"),
        displayName: optional(z.string(), "the display name of the value"),
        prompt: optional(z.string(), "the prompt that the customer sees"),
        docsURL: documentation,
      }),
    ),
    "the values that the customer enters",
  ),
});

/** A request that checks credentials and whether the provider is available (spec 2.2). */
export const authHealthCheck = openObject({
  url: optional(z.string(), "the URL of the request"),
  method: optional(z.string(), "the HTTP method of the request"),
  successStatusCodes: optional(z.array(z.int()), "the status codes that mean success"),
});

/** The options for getting and using an OAuth token of a provider. */
export type OAuth2Options = z.infer<typeof oauth2Options>;
/** The place of the API key in a request to the provider. */
export type ApiKeyOptions = z.infer<typeof apiKeyOptions>;
/** The options of a provider with basic authentication. */
export type BasicOptions = z.infer<typeof basicOptions>;
/** The options of a provider with its own authentication. */
export type CustomOptions = z.infer<typeof customOptions>;
