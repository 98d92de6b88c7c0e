import type { ListedConnection } from "../schemas/connection.ts";
import type { Installation } from "../schemas/installation.ts";
import type { Invite } from "../schemas/invite.ts";
import type { Destination, DestinationRoute, EventRoute, Topic } from "../schemas/notification.ts";
import type { BackfillProgress, LogEntry, OperationRecord } from "../schemas/operation.ts";
import type { Integration, Project } from "../schemas/project.ts";
import type { Provider } from "../schemas/provider.ts";
import type { ProviderApp } from "../schemas/provider-app.ts";

/**
 * The top-level fields of the service's records, in the order of the specification. Help lists them
 * without loading the schemas; a test compares the two.
 */
export const RECORD_FIELDS = {
  providerApp: [
    "id",
    "projectId",
    "externalRef",
    "provider",
    "clientId",
    "scopes",
    "metadata",
    "createTime",
    "updateTime",
  ],
  provider: [
    "name",
    "authType",
    "baseURL",
    "defaultModule",
    "support",
    "oauth2Opts",
    "apiKeyOpts",
    "basicOpts",
    "customOpts",
    "authHealthCheck",
    "displayName",
    "postAuthInfoNeeded",
    "media",
    "labels",
    "subscribeRequirements",
    "modules",
    "metadata",
    "providerAppMetadata",
  ],
  installation: [
    "id",
    "projectId",
    "integrationId",
    "healthStatus",
    "connection",
    "createTime",
    "createdBy",
    "config",
    "group",
    "lastOperationStatus",
    "updateTime",
  ],
  operation: [
    "id",
    "projectId",
    "integrationId",
    "installationId",
    "configId",
    "actionType",
    "status",
    "result",
    "createTime",
    "metadata",
  ],
  logEntry: ["timestamp", "severity", "message"],
  backfillProgress: [
    "installationId",
    "objectName",
    "operationId",
    "recordsProcessed",
    "recordsEstimatedTotal",
    "createTime",
    "updateTime",
  ],
  project: ["id", "name", "appName", "orgId", "createTime", "updateTime"],
  integration: [
    "id",
    "name",
    "projectId",
    "provider",
    "createTime",
    "updateTime",
    "latestRevision",
  ],
  connection: [
    "id",
    "projectId",
    "provider",
    "group",
    "consumer",
    "authScheme",
    "status",
    "createTime",
    "updateTime",
    "providerWorkspaceRef",
    "providerConsumerRef",
    "providerApp",
    "providerMetadata",
  ],
  invite: ["id", "invitedEmail", "parentType", "parentId", "status", "createTime"],
  destination: ["id", "name", "type", "metadata", "createTime", "updateTime"],
  topic: ["id", "name", "projectId", "createTime", "updateTime"],
  eventRoute: ["id", "topicId", "eventType", "projectId", "createTime", "updateTime"],
  destinationRoute: ["id", "topicId", "destinationId", "projectId", "createTime"],
} as const satisfies {
  providerApp: readonly (keyof ProviderApp)[];
  provider: readonly (keyof Provider)[];
  installation: readonly (keyof Installation)[];
  operation: readonly (keyof OperationRecord)[];
  logEntry: readonly (keyof LogEntry)[];
  backfillProgress: readonly (keyof BackfillProgress)[];
  project: readonly (keyof Project)[];
  integration: readonly (keyof Integration)[];
  connection: readonly (keyof ListedConnection)[];
  invite: readonly (keyof Invite)[];
  destination: readonly (keyof Destination)[];
  topic: readonly (keyof Topic)[];
  eventRoute: readonly (keyof EventRoute)[];
  destinationRoute: readonly (keyof DestinationRoute)[];
};
