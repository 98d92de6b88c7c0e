/**
 * The top-level fields of the service's records, in the order of the specification. Help lists them
 * without loading the schemas; a test compares the two.
 */
export const RECORD_FIELDS = {
  providerApp: words(
    "id projectId externalRef provider clientId scopes metadata createTime",
    "updateTime",
  ),
  provider: words(
    "name authType baseURL defaultModule support oauth2Opts apiKeyOpts basicOpts",
    "customOpts authHealthCheck displayName postAuthInfoNeeded media labels",
    "subscribeRequirements modules metadata providerAppMetadata",
  ),
  installation: words(
    "id projectId integrationId healthStatus connection createTime createdBy",
    "config group lastOperationStatus updateTime",
  ),
  operation: words(
    "id projectId integrationId installationId configId actionType status result",
    "createTime metadata",
  ),
  logEntry: words("timestamp severity message"),
  backfillProgress: words(
    "installationId objectName operationId recordsProcessed recordsEstimatedTotal",
    "createTime updateTime",
  ),
  project: words("id name appName orgId createTime updateTime"),
  integration: words("id name projectId provider createTime updateTime latestRevision"),
  connection: words(
    "id projectId provider group consumer authScheme status createTime updateTime",
    "providerWorkspaceRef providerConsumerRef providerApp providerMetadata",
  ),
  invite: words("id invitedEmail parentType parentId status createTime"),
  destination: words("id name type metadata createTime updateTime"),
  topic: words("id name projectId createTime updateTime"),
  eventRoute: words("id topicId eventType projectId createTime updateTime"),
  destinationRoute: words("id topicId destinationId projectId createTime"),
} as const;

function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}
