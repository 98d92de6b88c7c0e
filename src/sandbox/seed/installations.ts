import type { Connection, Installation } from "../../api/schemas/installation.ts";
import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";
import { connectionSecrets } from "./connection-secrets.ts";
import { daysBefore, hoursBefore } from "./epoch.ts";
import { ROWS, type Row, type State } from "./installation-table.ts";
import { readObjects } from "./objects.ts";
import { INTEGRATION, type IntegrationName, PROJECT, PROVIDER_OF } from "./scopes.ts";

const projectId = PROJECT.main;
const BUILDER = "builder:bld_0ddba11";

/** What each state of the table means in the three fields that tell it. */
const STATES = {
  fine: ["healthy", "success", "working"],
  running: ["healthy", "in_progress", "working"],
  /** Connected a moment ago: nothing has run yet. */
  fresh: ["healthy", undefined, "created"],
  /** One failure does not make it unhealthy. */
  hiccup: ["healthy", "failure", "working"],
  failing: ["unhealthy", "failure", "working"],
  stuck: ["unhealthy", "in_progress", "working"],
  /** The provider refuses the credentials. */
  broken: ["unhealthy", "failure", "bad_credentials"],
} as const satisfies Record<
  State,
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

/** Forty installations of mixed health, written out from the table. */
export const installations: World["installations"] = ROWS.map((row): Installation => {
  const { integration, state, age, changed, by } = row;
  const [healthStatus, lastOperationStatus, status] = STATES[state];
  const createTime = daysBefore(age);
  const key = row.groupRef ?? `solo-${integration}`;
  const createdBy = by === "builder" ? BUILDER : `consumer:usr-${key}`;
  const group = groupOf(row);
  const id = shortId("installations", integration, key);
  const changeTime = changed === null ? createTime : hoursBefore(changed);
  return {
    id,
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
      ...(by !== "builder" && {
        consumer: {
          consumerRef: `usr-${key}`,
          consumerName: row.groupRef === null ? "Sam Solo" : `Admin of ${row.groupName}`,
          projectId,
          createTime,
        },
      }),
      createTime,
      authScheme: AUTH_SCHEME[integration],
      status,
      ...(row.secrets && connectionSecrets(integration, key)),
    },
    config: {
      id: shortId("configs", integration, key),
      revisionId: shortId("revisions", integration, key, changeTime),
      createTime: changeTime,
      createdBy,
      content: {
        provider: PROVIDER_OF[integration],
        ...(row.reads > 0 && { read: { objects: readObjects(integration, row.reads) } }),
      },
    },
    createTime,
    createdBy,
    ...(changed !== null && { updateTime: changeTime }),
  };
});

function groupOf({ groupRef, groupName }: Row): Installation["group"] {
  if (groupRef === null) return undefined;
  // A group is older than the first thing that it installed.
  const ages = ROWS.filter((row) => row.groupRef === groupRef).map(({ age }) => age);
  return { groupRef, groupName, projectId, createTime: daysBefore(Math.max(...ages) + 1) };
}
