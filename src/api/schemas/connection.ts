import * as z from "zod/mini";
import {
  AUTH_SCHEMES,
  CONNECTION_MEANINGS,
  CONNECTION_STATUS,
  consumer,
  group,
} from "./installation.ts";
import {
  anyObject,
  field,
  identifier,
  openEnum,
  openObject,
  optional,
  timestamp,
} from "./shape.ts";

/**
 * A connection as a list of its own shows it. The specification has it only within an installation
 * (spec 2.3); the further fields are the live platform's.
 */
export const listedConnection = field(
  openObject({
    id: field(identifier, CONNECTION_MEANINGS.id, "spec 2.3"),
    projectId: optional(z.string(), CONNECTION_MEANINGS.projectId, "spec 2.3"),
    provider: optional(z.string(), CONNECTION_MEANINGS.provider, "spec 2.3"),
    group: optional(group, CONNECTION_MEANINGS.group, "spec 2.3"),
    consumer: optional(consumer, CONNECTION_MEANINGS.consumer, "spec 2.3"),
    authScheme: optional(openEnum(AUTH_SCHEMES), CONNECTION_MEANINGS.authScheme, "spec 2.3"),
    status: optional(openEnum(CONNECTION_STATUS), CONNECTION_MEANINGS.status, "spec 2.3"),
    createTime: optional(timestamp, CONNECTION_MEANINGS.createTime, "spec 2.3"),
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
