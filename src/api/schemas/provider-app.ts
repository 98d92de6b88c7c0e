import * as z from "zod/mini";
import { map, openObject, optional, timestamp } from "./shape.ts";

export const providerAppMetadata = openObject({
  authQueryParams: optional(map(z.array(z.string()))),
  providerParams: optional(map(z.string())),
});

/** A provider app (spec 2.1). */
export const providerApp = openObject({
  id: z.string(),
  projectId: z.string(),
  externalRef: optional(z.string()),
  provider: z.string(),
  clientId: z.string(),
  scopes: optional(z.array(z.string())),
  metadata: optional(providerAppMetadata),
  createTime: timestamp,
  updateTime: optional(timestamp),
});

/** The provider apps of a project (spec 4.1). */
export const providerApps = z.array(providerApp);

/** The OAuth client settings that a project registers for one provider (spec 2.1). */
export type ProviderApp = z.infer<typeof providerApp>;
