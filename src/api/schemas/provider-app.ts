import * as z from "zod/mini";
import { field, map, openObject, optional, timestamp } from "./shape.ts";

export const providerAppMetadata = openObject(
  {
    authQueryParams: optional(
      map(z.array(z.string())),
      "extra query parameters of the OAuth authorization URL: a map from name to values",
    ),
    providerParams: optional(
      map(z.string()),
      "values that the provider requires; provider.providerAppMetadata lists their names",
    ),
  },
  "spec 2.1",
);

/** A provider app (spec 2.1). */
export const providerApp = field(
  openObject({
    id: field(z.string(), "the ID of the provider app"),
    projectId: field(z.string(), "the ID of the project that registered the app"),
    externalRef: optional(z.string(), "the ID that the provider uses for the app"),
    provider: field(z.string(), "the name of the provider that the app connects to"),
    clientId: field(z.string(), "the OAuth client ID"),
    scopes: optional(z.array(z.string()), "the OAuth scopes that are requested"),
    metadata: optional(
      providerAppMetadata,
      "provider-specific settings that extend the OAuth login",
    ),
    createTime: field(timestamp, "when the app was registered"),
    updateTime: optional(timestamp, "when the app last changed"),
  }),
  "the OAuth client settings that a project registers for one provider",
  "spec 2.1",
);

/** The provider apps of a project (spec 4.1). */
export const providerApps = z.array(providerApp);

/** The OAuth client settings that a project registers for one provider (spec 2.1). */
export type ProviderApp = z.infer<typeof providerApp>;
