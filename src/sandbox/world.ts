import * as z from "zod";
import { installation } from "../api/schemas/installation.ts";
import { INVITE_STATUS, providerApp } from "../api/schemas/project.ts";
import { isJsonObject } from "../values/json.ts";
import { STORY_NAMES } from "./seed/stories.ts";

const text = z.string().min(1);
// A record of zod's would drop a field named __proto__, which is data here as any other.
const anything = z.custom<Record<string, unknown>>(isJsonObject, "must be an object");

const identified = { id: text, createTime: text };
const ofProject = { ...identified, projectId: text };

const project = z.strictObject({
  ...identified,
  name: text,
  /** The name of the builder's application. */
  appName: text,
  orgId: text,
});
const org = z.strictObject({ ...identified, name: text });
const integration = z.strictObject({
  ...ofProject,
  id: z.uuid(),
  name: text,
  provider: text,
  /** The newest revision of its manifest. */
  latestRevision: z.strictObject({ ...identified, specVersion: text, content: anything }),
});
const invite = z.strictObject({
  ...identified,
  invitedEmail: text,
  parentType: z.literal("org"),
  parentId: text,
  status: z.enum(INVITE_STATUS),
});
const destination = z.strictObject({
  ...ofProject,
  name: text,
  type: text,
  metadata: anything,
  /** The secrets, kept for delivery; no response has them. */
  secrets: anything.optional(),
  /** The signing key before the last rotation, by which messages are signed for a while, too. */
  previousKey: z.strictObject({ webhookSigningKey: text, until: text }).optional(),
  updateTime: text.optional(),
});
const topic = z.strictObject({ ...ofProject, name: text, updateTime: text.optional() });
const eventRoute = z.strictObject({ ...ofProject, eventType: text, topicId: text });
const destinationRoute = z.strictObject({ ...ofProject, topicId: text, destinationId: text });

/** The form of a world in a file. */
export const worldSchema = z.strictObject({
  /**
   * A UUID that `amp sandbox start` gives a world without one: a new one, or that of an older file.
   */
  id: text.optional(),
  /** The number of records ever created, so that no ID is used twice. */
  sequence: z.int().nonnegative(),
  projects: z.array(project).readonly(),
  orgs: z.array(org).readonly(),
  invites: z.array(invite).readonly(),
  integrations: z.array(integration).readonly(),
  installations: z.array(installation).readonly(),
  providerApps: z.array(providerApp).readonly(),
  destinations: z.array(destination).readonly(),
  topics: z.array(topic).readonly(),
  eventRoutes: z.array(eventRoute).readonly(),
  destinationRoutes: z.array(destinationRoute).readonly(),
  /** The stories of the installations. */
  activity: z.strictObject({
    /** The time at which the operations of the world end. */
    present: text,
    /** The story of each installation by its ID. */
    stories: z.record(z.string(), z.enum(STORY_NAMES)),
  }),
});

/**
 * All resources of the sandbox but the provider catalogue, which never changes. A world is
 * immutable: a change makes another one, so that a change which cannot be saved has not happened.
 */
export type World = Readonly<z.infer<typeof worldSchema>>;
/** A project, the top-level scope. */
export type WorldProject = World["projects"][number];
/** A destination with its secrets and its project, which responses leave out. */
export type WorldDestination = World["destinations"][number];
/** The lists of the world that requests add to. */
export type RoutingList = "destinations" | "topics" | "eventRoutes" | "destinationRoutes";
