import * as z from "zod/mini";
import { AUTH_SCHEMES, CONNECTION_STATUS, consumer, group } from "./installation.ts";
import { anyObject, identifier, openEnum, openObject, optional, timestamp } from "./shape.ts";

/**
 * A connection as a list of its own shows it. The specification has it only within an installation
 * (spec 2.3); the further fields are the live platform's.
 */
export const listedConnection = openObject({
  id: identifier,
  projectId: optional(z.string()),
  provider: optional(z.string()),
  group: optional(group),
  consumer: optional(consumer),
  authScheme: optional(openEnum(AUTH_SCHEMES)),
  status: optional(openEnum(CONNECTION_STATUS)),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
  /** The customer's account at the provider, for example the name in its address. */
  providerWorkspaceRef: optional(z.string()),
  providerConsumerRef: optional(z.string()),
  providerApp: optional(anyObject),
  providerMetadata: optional(anyObject),
});

export const connections = z.array(listedConnection);

/** A customer's authorised connection to a provider. All but `id` may be missing. */
export type ListedConnection = z.infer<typeof listedConnection>;
