import * as z from "zod/mini";
import { field, identifier, openObject, optional, timestamp } from "./shape.ts";

// The specification shows neither record: a project has an ID and a name (spec part 1), and the fields
// of an integration are the live platform's.

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
      openObject(
        {
          id: optional(z.string(), "the ID of the revision"),
          specVersion: optional(z.string(), "the version of the format of the definition"),
          createTime: optional(timestamp, "when the revision was made"),
        },
        "platform",
      ),
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
