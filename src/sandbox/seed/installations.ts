import type { Connection, Installation, ReadObject } from "../../api/schemas/installation.ts";
import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import {
  INSTALLATION_TABLE,
  type SeedHealth,
  type SeedInstallation,
} from "./installation-table.ts";
import {
  daysBefore,
  hoursBefore,
  INTEGRATION,
  type IntegrationName,
  PROJECT,
  PROVIDER_OF,
} from "./scopes.ts";

/** The name of the destination that reads of the seeded installations go to. */
const READ_DESTINATION = "acme-webhook";

/** The objects that each integration reads, the most important first. */
const READ_OBJECTS = {
  "crm-sync": [
    ["contacts", "*/15 * * * *", ["email", "firstname", "lastname", "phone", "lifecyclestage"]],
    ["companies", "0 * * * *", ["name", "domain", "industry"]],
    ["deals", "30 6 * * 1-5", ["dealname", "amount", "dealstage", "closedate"]],
  ],
  "billing-sync": [
    ["customers", "0 */2 * * *", ["email", "name", "currency"]],
    ["invoices", "10 3 * * *", ["number", "status", "total", "dueDate"]],
    ["subscriptions", "0 4 1 * *", ["plan", "status", "renewsAt"]],
  ],
  "support-sync": [
    ["tickets", "*/5 * * * *", ["subject", "status", "priority", "assigneeId"]],
    ["users", "0 0 * * 0", ["email", "role"]],
  ],
} as const satisfies Record<
  IntegrationName,
  readonly (readonly [name: string, schedule: string, fields: readonly string[]])[]
>;

/**
 * The read config of an installation: the first `count` objects of its integration; the last field of
 * each is known but not selected.
 */
export function readObjects(integration: IntegrationName, count: number) {
  const objects: Record<string, ReadObject> = {};
  for (const [objectName, schedule, fields] of READ_OBJECTS[integration].slice(0, count)) {
    objects[objectName] = {
      objectName,
      schedule,
      destination: READ_DESTINATION,
      selectedFields: Object.fromEntries(
        fields.map((field, at) => [field, at < fields.length - 1]),
      ),
    };
  }
  return objects;
}

/**
 * Credentials as the live platform may return them in a connection, beyond the fields of the spec.
 * They open nothing: they show in tests that amp redacts them.
 */
const CONNECTION_SECRETS = {
  "crm-sync": (of: string) => ({
    oauth2AuthorizationCode: {
      accessToken: { token: `sandbox-access-token-of-${of}`, expiresOn: daysBefore(-1) },
      refreshToken: { token: `sandbox-refresh-token-of-${of}` },
      scopes: ["oauth"],
    },
  }),
  "billing-sync": (of: string) => ({ apiKey: `sandbox-api-key-of-${of}` }),
  "support-sync": (of: string) => ({
    basic: { username: `admin@${of}.example`, password: `sandbox-password-of-${of}` },
  }),
} as const satisfies Record<IntegrationName, (of: string) => Readonly<Record<string, unknown>>>;

const projectId = PROJECT.main;
const BUILDER = "builder:bld_0ddba11";

/** The three fields of an installation that show each health of the table. */
const HEALTH = {
  fine: ["healthy", "success", "working"],
  running: ["healthy", "in_progress", "working"],
  /** Just connected: nothing has run yet. */
  fresh: ["healthy", undefined, "created"],
  /** One failure does not make an installation unhealthy. */
  hiccup: ["healthy", "failure", "working"],
  failing: ["unhealthy", "failure", "working"],
  stuck: ["unhealthy", "in_progress", "working"],
  /** The provider refuses the credentials. */
  broken: ["unhealthy", "failure", "bad_credentials"],
} as const satisfies Record<
  SeedHealth,
  readonly [
    health: Installation["healthStatus"],
    lastOperation: Installation["lastOperationStatus"],
    connection: Connection["status"],
  ]
>;

const AUTH_SCHEME = {
  "crm-sync": "oauth2/authorizationCode",
  "billing-sync": "apiKey",
  "support-sync": "basic",
} as const satisfies Record<IntegrationName, string>;

/** Forty installations of mixed health, made from the table. */
export const seedInstallations: World["installations"] = (
  Object.keys(INSTALLATION_TABLE) as IntegrationName[]
).flatMap((integration) =>
  INSTALLATION_TABLE[integration].map((row) => installationOf(integration, row)),
);

function installationOf(integration: IntegrationName, row: SeedInstallation): Installation {
  const [groupRef, groupName, health, reads, age, changed, { byBuilder, secrets } = {}] = row;
  const [healthStatus, lastOperationStatus, status] = HEALTH[health];
  const createTime = daysBefore(age);
  const changeTime = changed === null ? createTime : hoursBefore(changed);
  const key = groupRef ?? `solo-${integration}`;
  const consumer = {
    consumerRef: `usr-${key}`,
    consumerName: groupRef === null ? "Sam Solo" : `Admin of ${groupName}`,
    projectId,
    createTime,
  };
  const createdBy = byBuilder ? BUILDER : `consumer:${consumer.consumerRef}`;
  const group = groupRef === null ? undefined : groupOf(groupRef, groupName);
  return {
    id: shortId("installations", integration, key),
    projectId,
    integrationId: INTEGRATION[integration],
    healthStatus,
    ...(lastOperationStatus && { lastOperationStatus }),
    ...(group && { group }),
    connection: {
      id: shortId("connections", integration, key),
      projectId,
      provider: PROVIDER_OF[integration],
      ...(group && { group }),
      ...(!byBuilder && { consumer }),
      createTime,
      authScheme: AUTH_SCHEME[integration],
      status,
      ...(secrets && CONNECTION_SECRETS[integration](key)),
    },
    config: {
      id: shortId("configs", integration, key),
      revisionId: shortId("revisions", integration, key, changeTime),
      createTime: changeTime,
      createdBy,
      content: {
        provider: PROVIDER_OF[integration],
        ...(reads > 0 && { read: { objects: readObjects(integration, reads) } }),
      },
    },
    createTime,
    createdBy,
    ...(changed !== null && { updateTime: changeTime }),
  };
}

function groupOf(groupRef: string, groupName: string): Installation["group"] {
  // A group is older than its first installation.
  const ages = Object.values(INSTALLATION_TABLE)
    .flat()
    .flatMap(([ref, , , , age]) => (ref === groupRef ? [age] : []));
  return { groupRef, groupName, projectId, createTime: daysBefore(Math.max(...ages) + 1) };
}
