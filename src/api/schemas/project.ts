import * as z from "zod/mini";
import { identifier, openObject, optional, timestamp } from "./shape.ts";

// Neither record is shown by the spec: a project has an ID and a name (spec part 1), and the fields
// of an integration are said by the live platform.

/** The top-level scope, named by ID or name wherever a path wants a project. */
export const project = openObject({
  id: identifier,
  name: optional(z.string()),
});

/** What a builder defines and customers install. */
export const integration = openObject({
  /** A UUID. */
  id: identifier,
  name: optional(z.string()),
  projectId: optional(z.string()),
  createTime: optional(timestamp),
});

/** What the credential can see. */
export const projects = z.array(project);
export const integrations = z.array(integration);

/** The top-level scope. All but `id` may be missing. */
export type Project = z.infer<typeof project>;
/** What a builder defines and customers install. All but `id` may be missing. */
export type Integration = z.infer<typeof integration>;
