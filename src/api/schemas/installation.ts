import * as z from "zod/mini";
import {
  anyObject,
  field,
  identifier,
  map,
  openEnum,
  openObject,
  optional,
  passedOn,
  timestamp,
} from "./shape.ts";

/** The health of an installation (spec part 3). */
export const HEALTH = ["healthy", "unhealthy"] as const;
/** The status of its last operation (spec part 3). */
export const OPERATION_STATUS = ["success", "failure", "in_progress"] as const;
/** The status of a connection: the specification has `working`, the live platform the others. */
export const CONNECTION_STATUS = ["created", "working", "bad_credentials"] as const;
/** The authentication schemes of the live platform; the specification has one example. */
export const AUTH_SCHEMES = [
  "none",
  "apiKey",
  "basic",
  "oauth2/authorizationCode",
  "oauth2/authorizationCodePKCE",
  "oauth2/clientCredentials",
  "oauth2/password",
] as const;

/** A group (spec 2.3). */
export const group = openObject({
  groupRef: optional(z.string(), "your own identifier of the group, sent when it connected"),
  groupName: optional(z.string(), "the display name of the group"),
  projectId: optional(z.string(), "the ID of the project that the group belongs to"),
  createTime: optional(timestamp, "when the platform first saw the group"),
});

/** A consumer (spec 2.3). */
export const consumer = openObject({
  consumerRef: optional(z.string(), "your own identifier of the user who connected"),
  consumerName: optional(z.string(), "the display name of the user"),
  projectId: optional(z.string(), "the ID of the project that the user belongs to"),
  createTime: optional(timestamp, "when the platform first saw the user"),
});

const CONNECTION_ID = "the ID of the connection";

/** The fields that a connection has in an installation and in a list of its own. */
const CONNECTION_FIELDS = {
  projectId: optional(
    z.string(),
    "the ID of the project that the connection belongs to",
    "spec 2.3",
  ),
  provider: optional(z.string(), "the name of the provider that it connects to", "spec 2.3"),
  group: optional(
    group,
    "the group that connected: a customer's organisation, workspace or team",
    "spec 2.3",
  ),
  consumer: optional(consumer, "the user who connected", "spec 2.3"),
  createTime: optional(timestamp, "when the connection was made", "spec 2.3"),
  authScheme: optional(
    openEnum(AUTH_SCHEMES),
    "how requests to the provider are authenticated; the specification has an example",
    "spec 2.3",
  ),
  status: optional(
    openEnum(CONNECTION_STATUS),
    "whether the credentials work: working, created (not used yet), bad_credentials (rejected by the provider)",
    "spec 2.3",
  ),
};

/** A connection (spec 2.3), which does not say which fields are required. */
export const connection = openObject({
  id: optional(z.string(), CONNECTION_ID),
  ...CONNECTION_FIELDS,
});

export const readObject = openObject({
  objectName: optional(z.string(), "the name of the object at the provider, such as contact"),
  schedule: optional(z.string(), "when the object is read, as a cron expression"),
  destination: optional(z.string(), "the name, not the ID, of the destination of what is read"),
  selectedFields: optional(
    map(z.boolean()),
    "the fields that are read: a map from the name of each field to true",
  ),
  disabled: passedOn("boolean", "whether the read is paused"),
  selectedFieldsAuto: passedOn(
    "string",
    "all means that every field is read, including fields that are added later",
  ),
  selectedFieldMappings: passedOn(
    "map of string",
    "fields with custom names: a map from the custom name to the field",
  ),
  selectedValueMappings: passedOn("object", "values that are replaced when they are read"),
  backfill: passedOn("object", "how the first read of all records (the backfill) is done"),
  fieldFilters: passedOn("object", "which records are read, by the values of their fields"),
});

/** A config (spec 2.3). */
export const config = openObject({
  id: optional(z.string(), "the ID of the configuration"),
  revisionId: optional(z.string(), "the ID of the revision of the integration that it is for"),
  createTime: optional(timestamp, "when this configuration was saved"),
  createdBy: optional(
    z.string(),
    "who saved the configuration, in the form of installation.createdBy",
  ),
  content: optional(
    openObject({
      provider: optional(z.string(), "the name of the provider that it is for"),
      read: optional(
        openObject({
          objects: optional(
            map(readObject),
            "the settings of each object that is read, by object name",
          ),
        }),
        "what is read from the provider",
      ),
      write: passedOn("object", "what may be written to the provider"),
      subscribe: passedOn("object", "the changes at the provider that are subscribed to"),
      proxy: passedOn("object", "whether requests may be passed through to the provider (proxy)"),
    }),
    "the settings that the customer chose",
  ),
});

/** An installation (spec 2.3). */
export const installation = field(
  openObject({
    id: field(z.string(), "the ID of the installation"),
    projectId: field(z.string(), "the ID of the project that the installation belongs to"),
    integrationId: field(z.string(), "the ID of the integration that was installed, a UUID"),
    healthStatus: field(
      openEnum(HEALTH),
      "the health of the installation: healthy or unhealthy. If it is unhealthy, see lastOperationStatus and connection.status",
    ),
    /**
     * The connection; `redactAnswer` removes credentials that the live platform may put into it.
     */
    connection: field(connection, "the connection to the provider that the installation uses"),
    createTime: field(timestamp, "when the customer installed the integration"),
    createdBy: field(
      z.string(),
      "who installed it, as consumer:<id> or, on the live platform, builder:<id>",
    ),
    config: field(config, "the current configuration"),
    group: optional(
      group,
      "the group that owns the installation; absent if it belongs to no group",
    ),
    lastOperationStatus: optional(
      openEnum(OPERATION_STATUS),
      "the result of the latest operation, or in_progress while it runs",
    ),
    updateTime: optional(
      timestamp,
      "when the configuration last changed; absent if it never changed",
    ),
  }),
  "an integration that a customer installed, with its connection and its configuration",
  "spec 2.3",
);

/** The installations of an integration (spec 4.3). */
export const installations = z.array(installation);

/** An integration installed for a group of users (spec 2.3). */
export type Installation = z.infer<typeof installation>;
/** The connection of an installation to its provider; every field may be missing. */
export type Connection = z.infer<typeof connection>;
/** The configuration of an installation; every field may be missing. */
export type Config = z.infer<typeof config>;
/** The settings for reading one object; every field may be missing. */
export type ReadObject = z.infer<typeof readObject>;
/** The builder's customer, as the builder names it. */
export type Group = z.infer<typeof group>;
/** The person who connected. */
export type Consumer = z.infer<typeof consumer>;

const { createTime, ...otherFields } = CONNECTION_FIELDS;

/**
 * A connection as a list of its own shows it. The specification has it only within an installation
 * (spec 2.3); the further fields are the live platform's.
 */
export const listedConnection = field(
  openObject({
    id: field(identifier, CONNECTION_ID, "spec 2.3"),
    ...otherFields,
    createTime,
    updateTime: optional(timestamp, "when the connection last changed"),
    providerWorkspaceRef: optional(
      z.string(),
      "the customer's account at the provider, for example the subdomain of its URL",
    ),
    providerConsumerRef: optional(z.string(), "the identifier of the user at the provider"),
    providerApp: optional(anyObject, "the provider app that the connection was made with"),
    providerMetadata: optional(
      anyObject,
      "values about the account, from the provider or entered by the customer, by name",
    ),
  }),
  "a customer's authorised connection to a provider",
  "platform",
);

export const connections = z.array(listedConnection);

/** A customer's authorised connection to a provider. All but `id` may be missing. */
export type ListedConnection = z.infer<typeof listedConnection>;
