import * as z from "zod/mini";
import { identifier, openObject, optional, timestamp } from "./shape.ts";

// The specification shows neither record: a project has an ID and a name (spec part 1), and the fields
// of an integration are the live platform's.

export const project = openObject({
  id: identifier,
  name: optional(z.string()),
  /** The name that customers see when they connect. */
  appName: optional(z.string()),
  orgId: optional(z.string()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
});

export const integration = openObject({
  /** A UUID. */
  id: identifier,
  name: optional(z.string()),
  projectId: optional(z.string()),
  provider: optional(z.string()),
  createTime: optional(timestamp),
  updateTime: optional(timestamp),
  /** The newest version of what the builder defined. */
  latestRevision: optional(
    openObject({
      id: optional(z.string()),
      specVersion: optional(z.string()),
      createTime: optional(timestamp),
    }),
  ),
});

export const projects = z.array(project);
export const integrations = z.array(integration);

/** A project, the top-level scope; paths name it by ID or name. All but `id` may be missing. */
export type Project = z.infer<typeof project>;
/** An integration, which a builder defines and customers install. All but `id` may be missing. */
export type Integration = z.infer<typeof integration>;
