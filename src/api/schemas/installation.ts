import * as z from "zod/mini";
import { map, openEnum, openObject, optional, timestamp } from "./shape.ts";

/** The health of an installation (spec part 3). */
export const HEALTH = ["healthy", "unhealthy"] as const;
/** The status of its last operation (spec part 3). */
export const OPERATION_STATUS = ["success", "failure", "in_progress"] as const;
/**
 * The status of a connection: `working` is in the specification, the others are the live
 * platform's.
 */
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
  groupRef: optional(z.string()),
  groupName: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
});

/** A consumer (spec 2.3). */
export const consumer = openObject({
  consumerRef: optional(z.string()),
  consumerName: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
});

/**
 * A connection (spec 2.3). All fields are optional, because the spec does not say which are
 * required.
 */
export const connection = openObject({
  id: optional(z.string()),
  projectId: optional(z.string()),
  provider: optional(z.string()),
  group: optional(group),
  consumer: optional(consumer),
  createTime: optional(timestamp),
  authScheme: optional(openEnum(AUTH_SCHEMES)),
  status: optional(openEnum(CONNECTION_STATUS)),
});

export const readObject = openObject({
  objectName: optional(z.string()),
  /** A cron expression. */
  schedule: optional(z.string()),
  /** The name of a destination, not its ID. */
  destination: optional(z.string()),
  selectedFields: optional(map(z.boolean())),
});

/** A config (spec 2.3). */
export const config = openObject({
  id: optional(z.string()),
  revisionId: optional(z.string()),
  createTime: optional(timestamp),
  createdBy: optional(z.string()),
  content: optional(
    openObject({
      provider: optional(z.string()),
      read: optional(openObject({ objects: optional(map(readObject)) })),
    }),
  ),
});

/** An installation (spec 2.3). */
export const installation = openObject({
  id: z.string(),
  projectId: z.string(),
  /** A UUID. */
  integrationId: z.string(),
  healthStatus: openEnum(HEALTH),
  /** The connection; `redactAnswer` removes credentials that the live platform may put into it. */
  connection,
  createTime: timestamp,
  /** The creator as `consumer:<id>`; the live platform also has `builder:<id>`. */
  createdBy: z.string(),
  config,
  /** The group; absent where the installation belongs to none. */
  group: optional(group),
  lastOperationStatus: optional(openEnum(OPERATION_STATUS)),
  /** The time of the last change of the config; absent if it never changed. */
  updateTime: optional(timestamp),
});

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
