import * as z from "zod/mini";
import { map, openEnum, openObject, optional, timestamp } from "./shape.ts";

/** Spec part 3. */
export const HEALTH = ["healthy", "unhealthy"] as const;
/** Spec part 3. */
export const OPERATION_STATUS = ["success", "failure", "in_progress"] as const;
/** `working` is in the specification, the others are the live platform's. */
export const CONNECTION_STATUS = ["created", "working", "bad_credentials"] as const;
/** The values of the live platform; the specification has one example. */
export const AUTH_SCHEMES = [
  "none",
  "apiKey",
  "basic",
  "oauth2/authorizationCode",
  "oauth2/authorizationCodePKCE",
  "oauth2/clientCredentials",
  "oauth2/password",
] as const;

/** Spec 2.3. */
export const group = openObject({
  groupRef: optional(z.string()),
  groupName: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
});

/** Spec 2.3. */
export const consumer = openObject({
  consumerRef: optional(z.string()),
  consumerName: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
});

/** Spec 2.3, which does not say what is required: so nothing is. */
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

/** Spec 2.3. */
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

/** Spec 2.3. */
export const installation = openObject({
  id: z.string(),
  projectId: z.string(),
  /** A UUID. */
  integrationId: z.string(),
  healthStatus: openEnum(HEALTH),
  /** The live platform may put credentials here: `redactAnswer` removes them. */
  connection,
  createTime: timestamp,
  /** `consumer:<id>`; the live platform also says `builder:<id>`. */
  createdBy: z.string(),
  config,
  /** Absent where the installation belongs to no group. */
  group: optional(group),
  lastOperationStatus: optional(openEnum(OPERATION_STATUS)),
  /** The time of the last change of the config; absent if it never changed. */
  updateTime: optional(timestamp),
});

/** Spec 4.3. */
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
