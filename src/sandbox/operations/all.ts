import type { Operation } from "../operation.ts";
import { destinationRouteOperations } from "./destination-routes.ts";
import { destinationOperations } from "./destinations.ts";
import { eventRouteOperations } from "./event-routes.ts";
import { installationOperations } from "./installations.ts";
import { inviteOperations } from "./invites.ts";
import { projectOperations } from "./projects.ts";
import { providerOperations } from "./providers.ts";
import { topicOperations } from "./topics.ts";

/** The routing table: all that the platform can do. */
export const OPERATIONS: readonly Operation[] = [
  ...projectOperations,
  ...providerOperations,
  ...installationOperations,
  ...inviteOperations,
  ...destinationOperations,
  ...topicOperations,
  ...eventRouteOperations,
  ...destinationRouteOperations,
];
