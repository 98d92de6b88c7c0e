import type { Connection, Installation } from "../../api/schemas/installation.ts";
import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import records from "./records.json" with { type: "json" };
import type { StoryName } from "./stories.ts";

/** The fixed present of the seeded world. */
const EPOCH = new Date("2026-09-01T12:00:00.000Z");

/** The name of the destination that every installation reads to; `records.json` has it. */
const READ_DESTINATION = "acme-webhook";

interface IntegrationRecord {
  readonly id: string;
  readonly name: string;
  readonly projectId: string;
  readonly provider: string;
  readonly createTime: string;
}

function hoursBefore(hours: number): string {
  return new Date(EPOCH.getTime() - hours * 3_600_000).toISOString();
}

function installationOf(
  { id: integrationId, name, projectId, provider }: IntegrationRecord,
  { authScheme, secretsOf, objects }: SeedIntegration,
  row: SeedInstallation,
): Installation {
  const [groupRef, groupName, health, reads, age, changed, more = {}] = row;
  const { byBuilder, secrets } = more;
  const { fields } = HEALTH[health];
  const [healthStatus, lastOperationStatus, status] = fields;
  const createTime = hoursBefore(age * 24);
  const changeTime = changed === null ? createTime : hoursBefore(changed);
  const key = keyOf(name, row);
  const consumer = {
    consumerRef: `usr-${key}`,
    consumerName: groupRef === null ? "Sam Solo" : `Admin of ${groupName}`,
    projectId,
    createTime,
  };
  const createdBy = byBuilder ? "builder:bld_0ddba11" : `consumer:${consumer.consumerRef}`;
  const group =
    groupRef === null
      ? { groupRef: key, groupName: consumer.consumerName, projectId, createTime }
      : { groupRef, groupName, projectId, createTime: groupCreateTime(groupRef, age) };
  return {
    id: shortId("installations", name, key),
    projectId,
    integrationId,
    healthStatus,
    ...(lastOperationStatus && { lastOperationStatus }),
    ...(groupRef !== null && { group }),
    connection: {
      id: shortId("connections", name, key),
      projectId,
      provider,
      // A connection has both, also where the installation has no group or the builder made it.
      group,
      consumer,
      createTime,
      authScheme,
      status,
      ...(secrets && secretsOf?.(key)),
    },
    config: {
      id: shortId("configs", name, key),
      revisionId: shortId("revisions", name, key, changeTime),
      createTime: changeTime,
      createdBy,
      content: {
        provider,
        ...(reads > 0 && { read: { objects: readObjects(objects.slice(0, reads), more.read) } }),
        ...(reads === 0 && byBuilder && { proxy: { enabled: true } }),
        ...more.content,
      },
    },
    createTime,
    createdBy,
    ...(changed !== null && { updateTime: changeTime }),
  };
}

/** The name of an installation's group within its integration, from which its IDs are made. */
function keyOf(integration: string, [groupRef]: SeedInstallation): string {
  return groupRef ?? `solo-${integration}`;
}

function storyEntry(integration: string, row: SeedInstallation): [string, StoryName] {
  const [, , health, , , , { story = HEALTH[health].story } = {}] = row;
  return [shortId("installations", integration, keyOf(integration, row)), story];
}

/** The creation time of a group, which is older than its first installation. */
function groupCreateTime(groupRef: string, own: number): string {
  const ages = Object.values(INTEGRATIONS)
    .flatMap(({ installations }) => installations)
    .flatMap(([ref, , , , age]) => (ref === groupRef ? [age] : []));
  return hoursBefore((Math.max(own, ...ages) + 1) * 24);
}

/** The objects of a config; the last field of each is known but not selected. */
function readObjects(
  objects: SeedIntegration["objects"],
  more: Readonly<Record<string, unknown>> = {},
) {
  return Object.fromEntries(
    objects.map(([objectName, schedule, ...fields]) => [
      objectName,
      {
        objectName,
        schedule,
        destination: READ_DESTINATION,
        selectedFields: Object.fromEntries(
          fields.map((field, at) => [field, at < fields.length - 1]),
        ),
        selectedFieldMappings: fields.length > 3 ? { [`${objectName}Name`]: fields[0] } : {},
        ...more,
      },
    ]),
  );
}

function withRevision(integration: IntegrationRecord, seed: SeedIntegration) {
  const { name, provider, createTime } = integration;
  const objects = seed.objects.map(([objectName, schedule]) => ({
    objectName,
    destination: READ_DESTINATION,
    schedule,
  }));
  const content = { name, provider, read: { objects } };
  const id = shortId("revisions", name);
  return { ...integration, latestRevision: { id, specVersion: "1.0.0", createTime, content } };
}

/** Each health of the tables below: the fields of an installation that show it, and its story. */
const HEALTH = {
  fine: { fields: ["healthy", "success", "working"], story: "fine" },
  running: { fields: ["healthy", "in_progress", "working"], story: "running" },
  /** An installation that has just been connected: nothing has run yet. */
  fresh: { fields: ["healthy", undefined, "created"], story: "unused" },
  /** A single failure does not make an installation unhealthy. */
  hiccup: { fields: ["healthy", "failure", "working"], story: "hiccup" },
  failing: { fields: ["unhealthy", "failure", "working"], story: "field" },
  stuck: { fields: ["unhealthy", "in_progress", "working"], story: "stuck" },
  /** The provider rejects the credentials. */
  broken: { fields: ["unhealthy", "failure", "bad_credentials"], story: "credentials" },
  /** A connection that works again, which the service has not noticed yet. */
  recovering: { fields: ["unhealthy", "success", "working"], story: "recovering" },
} as const satisfies Record<string, Health>;

interface Health {
  readonly fields: readonly [
    health: Installation["healthStatus"],
    lastOperation: Installation["lastOperationStatus"],
    connection: Connection["status"],
  ];
  readonly story: StoryName;
}

/** One installation of the seeded world. */
export type SeedInstallation = readonly [
  /** The builder's reference of the group; `null`: no group. */
  groupRef: string | null,
  groupName: string,
  health: keyof typeof HEALTH,
  /** The number of objects that the installation reads; 0: its config has no `read`. */
  reads: number,
  daysSinceInstalled: number,
  /** The hours since the config changed; `null`: it never did. */
  hoursSinceChanged: number | null,
  more?: {
    /** Whether the builder, not a consumer, set it up. */
    readonly byBuilder?: true;
    /** Whether the connection has credentials, as in some responses of the live platform. */
    readonly secrets?: true;
    /** The story of its operations; default: that of its health. */
    readonly story?: StoryName;
    /** Fields of each object that it reads, in place of those of its integration. */
    readonly read?: Readonly<Record<string, unknown>>;
    /** Further content of its config. */
    readonly content?: Readonly<Record<string, unknown>>;
  },
];

/** An integration of `records.json` with its installations. */
interface SeedIntegration {
  readonly authScheme: string;
  /**
   * Credentials as the live platform may return them in a connection, beyond the fields of the
   * spec. They are not valid anywhere: tests use them to show that amp redacts them.
   */
  readonly secretsOf?: (key: string) => Readonly<Record<string, unknown>>;
  /** The objects that the integration reads, the most important first. */
  readonly objects: readonly (readonly [name: string, schedule: string, ...fields: string[]])[];
  readonly installations: readonly SeedInstallation[];
}

/** A name of an integration in `records.json`. */
export type IntegrationName = "crm-sync" | "billing-sync" | "support-sync";

const LONG_NAME =
  "The Amalgamated International Holding Company for Precision Instruments, Nautical Supplies " +
  "and Assorted Sundries of Greater Manchester (Northern Division) Ltd.";

/**
 * The forty installations by integration. Northwind Traders revoked the app's access at their CRM
 * two days ago, so that its reads fail: examples and docs use this case.
 */
export const INTEGRATIONS: Readonly<Record<IntegrationName, SeedIntegration>> = {
  "crm-sync": {
    authScheme: "oauth2/authorizationCode",
    secretsOf: (key) => ({
      oauth2AuthorizationCode: {
        accessToken: {
          token: `sandbox-access-token-of-${key}`,
          expiresOn: "2026-09-02T12:00:00.000Z",
        },
        refreshToken: { token: `sandbox-refresh-token-of-${key}` },
        scopes: ["oauth"],
      },
    }),
    objects: [
      ["contacts", "*/15 * * * *", "email", "firstname", "lastname", "phone", "lifecyclestage"],
      ["companies", "0 * * * *", "name", "domain", "industry"],
      ["deals", "30 6 * * 1-5", "dealname", "amount", "dealstage", "closedate"],
    ],
    installations: [
      ["northwind", "Northwind Traders", "broken", 3, 212, 700, { secrets: true }],
      ["initech", "Initech", "fine", 3, 390, 48, { secrets: true }],
      ["umbrella", "Umbrella Corp", "fine", 2, 371, 2],
      ["hooli", "Hooli", "running", 3, 366, 1],
      ["stark", "Stark Industries", "fine", 3, 350, 96],
      ["wayne", "Wayne Enterprises", "fine", 2, 333, 1200],
      ["wonka", "Wonka Industries", "hiccup", 3, 301, 30, { story: "unreadableOnce" }],
      ["cyberdyne", "Cyberdyne Systems", "failing", 3, 288, 500],
      ["soylent", "Soylent Corp", "fine", 1, 270, null],
      ["sample-shoji", "株式会社サンプル商事", "fine", 3, 251, 12],
      ["tyrell", "Tyrell Corporation", "fine", 2, 240, 72],
      ["amalgamated", LONG_NAME, "fine", 3, 199, 26],
      ["massive-dynamic", "Massive Dynamic", "running", 1, 180, 4],
      ["vandelay", "Vandelay Industries", "fresh", 0, 1, null],
      ["dunder", "Dunder Mifflin", "fine", 2, 140, 333],
      ["cafe-muller", "Café Müller & Söhne", "fine", 1, 120, null],
      [null, "", "fine", 2, 101, 60],
      ["pied-piper", "Pied Piper", "stuck", 3, 88, 26],
      ["gringotts", "Gringotts", "fine", 1, 64, 9, { byBuilder: true }],
      ["oscorp", "Oscorp", "fresh", 1, 0, null],
    ],
  },
  "billing-sync": {
    authScheme: "apiKey",
    secretsOf: (key) => ({ apiKey: `sandbox-api-key-of-${key}` }),
    objects: [
      ["customers", "0 */2 * * *", "email", "name", "currency"],
      ["invoices", "10 3 * * *", "number", "status", "total", "dueDate"],
      ["subscriptions", "0 4 1 * *", "plan", "status", "renewsAt"],
    ],
    installations: [
      ["initech", "Initech", "fine", 2, 230, 500, { secrets: true }],
      ["umbrella", "Umbrella Corp", "fine", 3, 222, 18],
      ["stark", "Stark Industries", "failing", 2, 205, 40],
      ["wayne", "Wayne Enterprises", "fine", 1, 190, null, { byBuilder: true }],
      ["northwind", "Northwind Traders", "fine", 2, 171, 700],
      ["bluth", "Bluth Company", "broken", 2, 160, 310, { secrets: true }],
      [null, "", "fine", 1, 130, 22, { byBuilder: true }],
      ["hooli", "Hooli", "running", 3, 99, 3],
      ["prestige", "Prestige Worldwide", "fresh", 0, 2, null],
      ["sterling", "Sterling Cooper", "fine", 2, 55, 140],
      ["duff", "Duff Brewing", "hiccup", 1, 33, 20],
      ["acme-internal", "Acme (internal)", "fine", 0, 400, 9000, { byBuilder: true }],
    ],
  },
  "support-sync": {
    authScheme: "basic",
    secretsOf: (key) => ({
      basic: { username: `admin@${key}.example`, password: `sandbox-password-of-${key}` },
    }),
    objects: [
      ["tickets", "*/5 * * * *", "subject", "status", "priority", "assigneeId"],
      ["users", "0 0 * * 0", "email", "role"],
    ],
    installations: [
      ["initech", "Initech", "fine", 2, 118, 77, { secrets: true }],
      ["umbrella", "Umbrella Corp", "fine", 1, 110, null],
      ["wonka", "Wonka Industries", "failing", 2, 96, 15],
      ["tyrell", "Tyrell Corporation", "fine", 2, 81, 31],
      [null, "", "fresh", 0, 3, null],
      ["dunder", "Dunder Mifflin", "running", 2, 44, 6],
      ["cheers", "Cheers", "fine", 1, 29, 11, { byBuilder: true }],
      ["paper-street", "Paper Street Soap Co.", "broken", 1, 17, 60],
    ],
  },
};

/** An integration with the rows of its installations. */
export interface SeedPart {
  readonly record: IntegrationRecord;
  readonly seed: SeedIntegration;
}

/** The part of a world that follows from integrations, and the stories of their installations. */
export function worldPart(parts: readonly SeedPart[]) {
  const each = <Made>(make: (part: SeedPart, row: SeedInstallation) => Made) =>
    parts.flatMap((part) => part.seed.installations.map((row) => make(part, row)));
  return {
    integrations: parts.map(({ record, seed }) => withRevision(record, seed)),
    installations: each(({ record, seed }, row) => installationOf(record, seed, row)),
    stories: Object.fromEntries(each(({ record }, row) => storyEntry(record.name, row))),
  };
}

const { projects, orgs, invites, integrations, ...others } = records;
const { stories, ...seeded } = worldPart(
  integrations.map((record) => {
    return { record, seed: INTEGRATIONS[record.name as IntegrationName] };
  }),
);

/**
 * The world of every new sandbox. The main project has installations and the routing of what they
 * read. The second has only routing.
 */
export const SEED_WORLD = {
  sequence: 0,
  projects,
  orgs,
  invites,
  ...seeded,
  ...others,
  activity: { present: EPOCH.toISOString(), stories },
} as World;
