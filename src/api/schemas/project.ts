import * as z from "zod/mini";
import { field, identifier, map, openEnum, openObject, optional, timestamp } from "./shape.ts";

// A project and what belongs to one, but for its installations and its routing.

// The specification shows neither of the first two records: a project has an ID and a name (spec
// part 1), and the fields of an integration are the live platform's.

export const project = field(
  openObject({
    id: field(identifier, "the ID of the project", "spec 1"),
    name: optional(z.string(), "the name of the project; commands accept it like the ID", "spec 1"),
    appName: optional(z.string(), "the name that customers see when they connect"),
    orgId: optional(z.string(), "the ID of the organisation that owns the project"),
    createTime: optional(timestamp, "when the project was created"),
    updateTime: optional(timestamp, "when the project last changed"),
  }),
  "the top-level scope: apps, integrations, installations and routing belong to a project",
  "platform",
);

export const integration = field(
  openObject({
    id: field(identifier, "the ID of the integration, a UUID"),
    name: optional(z.string(), "the name of the integration"),
    projectId: optional(z.string(), "the ID of the project that defines the integration"),
    provider: optional(z.string(), "the name of the provider that it connects to"),
    createTime: optional(timestamp, "when the integration was created"),
    updateTime: optional(timestamp, "when the integration last changed"),
    latestRevision: optional(
      openObject({
        id: optional(z.string(), "the ID of the revision"),
        specVersion: optional(z.string(), "the version of the format of the definition"),
        createTime: optional(timestamp, "when the revision was made"),
      }),
      "the newest version of the definition of the integration",
    ),
  }),
  "what a project defines for one provider, for customers to install",
  "platform",
);

export const projects = z.array(project);
export const integrations = z.array(integration);

/** A project, the top-level scope; paths name it by ID or name. All but `id` may be missing. */
export type Project = z.infer<typeof project>;
/** An integration, which a builder defines and customers install. All but `id` may be missing. */
export type Integration = z.infer<typeof integration>;

export const providerAppMetadata = openObject({
  authQueryParams: optional(
    map(z.array(z.string())),
    "extra query parameters of the OAuth authorization URL: a map from name to values",
  ),
  providerParams: optional(
    map(z.string()),
    "values that the provider requires; provider.providerAppMetadata lists their names",
  ),
});

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

export const providerApps = z.array(providerApp);

/** The OAuth client settings that a project registers for one provider (spec 2.1). */
export type ProviderApp = z.infer<typeof providerApp>;

/** The status of an invite, with the live platform's values; the specification shows none. */
export const INVITE_STATUS = ["pending", "accepted", "revoked", "expired"] as const;

/** An invite. The specification shows only the ID; the other fields are the live platform's. */
export const invite = field(
  openObject({
    id: field(identifier, "the ID of the invite", "spec 2.5"),
    invitedEmail: optional(z.string(), "the email address that was invited"),
    parentType: optional(
      z.string(),
      "the type of the resource that the invite is for, such as org",
    ),
    parentId: optional(z.string(), "the ID of that resource"),
    status: optional(openEnum(INVITE_STATUS), "the status of the invite"),
    createTime: optional(timestamp, "when the invite was sent"),
  }),
  "an invitation of a person to an organisation",
  "platform",
);

export const invites = z.array(invite);

/** An invite to an org. All but `id` may be missing. */
export type Invite = z.infer<typeof invite>;
