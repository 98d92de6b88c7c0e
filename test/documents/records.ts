import type * as z from "zod";
import { listedConnection } from "../../src/api/schemas/connection.ts";
import { installation as installationSchema } from "../../src/api/schemas/installation.ts";
import { invite as inviteSchema } from "../../src/api/schemas/invite.ts";
import * as notification from "../../src/api/schemas/notification.ts";
import * as projects from "../../src/api/schemas/project.ts";
import { provider as providerSchema } from "../../src/api/schemas/provider.ts";
import { providerApp as providerAppSchema } from "../../src/api/schemas/provider-app.ts";

/** The records of the service: amp prints them as they come, with fields that it does not know. */
export const RECORDS = {
  project: projects.project,
  integration: projects.integration,
  providerApp: providerAppSchema,
  provider: providerSchema,
  installation: installationSchema,
  connection: listedConnection,
  invite: inviteSchema,
  destination: notification.destination,
  topic: notification.topic,
  eventRoute: notification.eventRoute,
  destinationRoute: notification.destinationRoute,
} as const satisfies Readonly<Record<string, z.core.$ZodType>>;
