import { endpoint } from "./endpoint.ts";

/** The remedy for a service that creates the resources of a routing, but does not list them. */
const KEEP_IDS = "It can only create them: keep the IDs that the create commands print.";

// This file has every operation of the service that amp calls. `GET destinations/{name}` is called
// for secrets only: one of its options renews the signing key, and the list has the same fields.

// The operations below are required by the specification (part 4).

export const listProviderApps = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/provider-apps",
  does: "list the provider apps",
  answer: async () => (await import("../schemas/project.ts")).providerApps,
});

export const getProvider = endpoint({
  method: "GET",
  path: "/providers/{provider}",
  does: "get the provider",
  answer: async () => (await import("../schemas/provider.ts")).provider,
  credential: "optional",
});

export const listInstallations = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/integrations/{integrationId}/installations",
  does: "list the installations of the integration",
  query: ["groupRef"],
  shows: "customer",
  answer: async () => (await import("../schemas/installation.ts")).installations,
});

export const revokeInvite = endpoint({
  method: "DELETE",
  path: "/orgs/{orgId}/invites/{inviteId}",
  does: "revoke the invite",
});

export const createDestination = endpoint({
  method: "POST",
  path: "/projects/{projectIdOrName}/destinations",
  does: "create the destination",
  creates: "destination",
  body: async () => (await import("../schemas/notification.ts")).createDestinationBody,
  answer: async () => (await import("../schemas/notification.ts")).destination,
  keepsTexts: true,
});

export const createTopic = endpoint({
  method: "POST",
  path: "/projects/{projectIdOrName}/topics",
  does: "create the topic",
  creates: "topic",
  body: async () => (await import("../schemas/notification.ts")).createTopicBody,
  answer: async () => (await import("../schemas/notification.ts")).topic,
});

export const createEventRoute = endpoint({
  method: "POST",
  path: "/projects/{projectIdOrName}/notification-event-topic-routes",
  does: "create the event route",
  creates: "event route",
  body: async () => (await import("../schemas/notification.ts")).createEventRouteBody,
  answer: async () => (await import("../schemas/notification.ts")).eventRoute,
});

export const createDestinationRoute = endpoint({
  method: "POST",
  path: "/projects/{projectIdOrName}/topic-destination-routes",
  does: "create the destination route",
  creates: "destination route",
  body: async () => (await import("../schemas/notification.ts")).createDestinationRouteBody,
  answer: async () => (await import("../schemas/notification.ts")).destinationRoute,
});

// The operations below are the live platform's: a service of the specification alone lacks them.

export const listProviders = endpoint({
  method: "GET",
  path: "/providers",
  does: "list the providers",
  answer: async () => (await import("../schemas/provider.ts")).providers,
  optional: { does: "list its providers" },
  credential: "optional",
});

/** The installations of every integration. */
export const listProjectInstallations = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/installations",
  does: "list the installations of the project",
  query: ["groupRef"],
  shows: "customer",
  answer: async () => (await import("../schemas/installation.ts")).installations,
  optional: { does: "list the installations of all integrations" },
});

/** The projects that the credential has access to: a good check at login. */
export const listProjects = endpoint({
  method: "GET",
  path: "/projects",
  does: "list the projects",
  shows: "project",
  answer: async () => (await import("../schemas/project.ts")).projects,
  optional: { does: "list projects" },
});

/** The integrations of a project. */
export const listIntegrations = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/integrations",
  does: "list the integrations",
  shows: "integration",
  answer: async () => (await import("../schemas/project.ts")).integrations,
  optional: { does: "list integrations" },
});

/** The connections of a project; their credentials are never asked for. */
export const listConnections = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/connections",
  does: "list the connections",
  query: ["provider", "groupRef", "consumerRef"],
  answer: async () => (await import("../schemas/installation.ts")).connections,
  optional: { does: "list connections" },
});

export const listInvites = endpoint({
  method: "GET",
  path: "/orgs/{orgId}/invites",
  does: "list the invites",
  answer: async () => (await import("../schemas/project.ts")).invites,
  optional: { does: "list invites" },
});

export const listDestinations = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/destinations",
  does: "list the destinations",
  shows: "destination",
  answer: async () => (await import("../schemas/notification.ts")).destinations,
  optional: { does: "list destinations", remedy: KEEP_IDS },
  keepsTexts: true,
});

/** The secrets of a destination. The path takes the name, where a delete takes the ID. */
export const getDestinationSecrets = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/destinations/{name}",
  does: "get the secrets of the destination",
  query: ["includeSecrets"],
  answer: async () => (await import("../schemas/notification.ts")).destinationSecrets,
  optional: { does: "show the secrets of destinations" },
  reveals: true,
});

/** Makes a new signing secret: a write, whatever its method. */
export const rotateDestinationSecret = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/destinations/{name}",
  does: "rotate the signing secret",
  query: ["includeSecrets", "rotate"],
  answer: async () => (await import("../schemas/notification.ts")).destinationSecrets,
  optional: { does: "rotate signing secrets" },
  notRepeatable: true,
  reveals: true,
});

export const listTopics = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/topics",
  does: "list the topics",
  shows: "topic",
  answer: async () => (await import("../schemas/notification.ts")).topics,
  optional: { does: "list topics", remedy: KEEP_IDS },
});

export const listEventRoutes = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/notification-event-topic-routes",
  does: "list the event routes",
  query: ["topicId", "eventType"],
  answer: async () => (await import("../schemas/notification.ts")).eventRoutes,
  optional: { does: "list event routes", remedy: KEEP_IDS },
});

export const listDestinationRoutes = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/topic-destination-routes",
  does: "list the destination routes",
  query: ["topicId", "destinationId"],
  answer: async () => (await import("../schemas/notification.ts")).destinationRoutes,
  optional: { does: "list destination routes", remedy: KEEP_IDS },
});

/**
 * Changes the fields of a destination that the mask names, such as `metadata.url`; its type cannot
 * change. The path takes the ID. What the answer may be is not described.
 */
export const updateDestination = endpoint({
  method: "PATCH",
  path: "/projects/{projectIdOrName}/destinations/{destinationId}",
  does: "update the destination",
  body: async () => (await import("../schemas/notification.ts")).updateDestinationBody,
  optional: { does: "update destinations" },
});

/** Renames a topic: it has no other field. */
export const updateTopic = endpoint({
  method: "PATCH",
  path: "/projects/{projectIdOrName}/topics/{topicId}",
  does: "update the topic",
  body: async () => (await import("../schemas/notification.ts")).updateTopicBody,
  optional: { does: "update topics" },
});

/** Deletes a destination. The path takes the ID; a destination's name is for other operations. */
export const deleteDestination = endpoint({
  method: "DELETE",
  path: "/projects/{projectIdOrName}/destinations/{destinationId}",
  does: "delete the destination",
  optional: { does: "delete destinations" },
});

export const deleteTopic = endpoint({
  method: "DELETE",
  path: "/projects/{projectIdOrName}/topics/{topicId}",
  does: "delete the topic",
  optional: { does: "delete topics" },
});

export const deleteEventRoute = endpoint({
  method: "DELETE",
  path: "/projects/{projectIdOrName}/notification-event-topic-routes/{routeId}",
  does: "delete the event route",
  optional: { does: "delete event routes" },
});

export const deleteDestinationRoute = endpoint({
  method: "DELETE",
  path: "/projects/{projectIdOrName}/topic-destination-routes/{routeId}",
  does: "delete the destination route",
  optional: { does: "delete destination routes" },
});

// Operations of the live platform for one installation, its operations, and pausing of its reads. A
// service of the specification alone lacks all of it.

const INSTALLATION =
  "/projects/{projectIdOrName}/integrations/{integrationId}/installations/{installationId}";

/** One installation; where the service lacks it, the list has the same record. */
export const getInstallation = endpoint({
  method: "GET",
  path: INSTALLATION,
  does: "get the installation",
  answer: async () => (await import("../schemas/installation.ts")).installation,
  optional: { does: "show one installation alone" },
});

/** Replaces the fields of an installation that the mask names; the answer is not read. */
export const updateInstallation = endpoint({
  method: "PATCH",
  path: INSTALLATION,
  does: "update the installation",
  body: async () => (await import("../schemas/operation.ts")).updateInstallationBody,
  optional: { does: "update installations" },
});

/** The operations of an installation, newest first and in pages. */
export const listOperations = endpoint({
  method: "GET",
  path: `${INSTALLATION}/operations`,
  does: "list the operations of the installation",
  query: ["pageSize", "pageToken"],
  answer: async () => (await import("../schemas/operation.ts")).operations,
  onReadHost: true,
  optional: { does: "show operations" },
});

export const getOperation = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/operations/{operationId}",
  does: "get the operation",
  answer: async () => (await import("../schemas/operation.ts")).operation,
  onReadHost: true,
  optional: { does: "show operations" },
});

/** The log of an operation, oldest first. */
export const listOperationLogs = endpoint({
  method: "GET",
  path: "/projects/{projectIdOrName}/operations/{operationId}/logs",
  does: "get the logs of the operation",
  answer: async () => (await import("../schemas/operation.ts")).logEntries,
  onReadHost: true,
  optional: { does: "show the logs of operations" },
});

/** The progress of the backfill of an object; 404 where there is none. */
export const getBackfillProgress = endpoint({
  method: "GET",
  path: `${INSTALLATION}/objects/{objectName}/backfill-progress`,
  does: "get the progress of the backfill",
  answer: async () => (await import("../schemas/operation.ts")).backfillProgress,
  onReadHost: true,
  optional: { does: "show the progress of backfills" },
});

const ONLY_SANDBOX = "Only a sandbox can do this: start one with amp sandbox start.";

// The operations of the sandbox alone, below a path of their own: any other service answers 404.

/** Lets an event occur. */
export const triggerEvent = endpoint({
  method: "POST",
  path: "/sandbox/projects/{projectIdOrName}/events",
  does: "trigger the event",
  body: async () => (await import("../schemas/sandbox-event.ts")).triggerEventBody,
  answer: async () => (await import("../schemas/sandbox-event.ts")).triggered,
  optional: { does: "trigger events", remedy: ONLY_SANDBOX },
});

/** The fields that an event would have if it occurred. */
export const getSamplePayload = endpoint({
  method: "GET",
  path: "/sandbox/projects/{projectIdOrName}/payload",
  does: "make the payload",
  query: ["type", "installationId"],
  answer: async () => (await import("../schemas/sandbox-event.ts")).samplePayload,
  optional: { does: "make payloads", remedy: ONLY_SANDBOX },
});

/** The attempts to deliver, the oldest first. */
export const listDeliveries = endpoint({
  method: "GET",
  path: "/sandbox/projects/{projectIdOrName}/deliveries",
  does: "list the deliveries",
  query: ["destination", "after", "limit"],
  answer: async () => (await import("../schemas/sandbox-event.ts")).deliveryAttempts,
  optional: { does: "show deliveries", remedy: ONLY_SANDBOX },
});

/** Delivers a message again, or each message of an event; answers when that was attempted. */
export const redeliver = endpoint({
  method: "POST",
  path: "/sandbox/projects/{projectIdOrName}/redeliveries",
  does: "deliver the message again",
  body: async () => (await import("../schemas/sandbox-event.ts")).redeliverBody,
  answer: async () => (await import("../schemas/sandbox-event.ts")).deliveryAttempts,
  optional: { does: "deliver messages again", remedy: ONLY_SANDBOX },
});
