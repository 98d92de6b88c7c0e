import { SANDBOX_DEFAULTS } from "../defaults.ts";
import { shortId } from "../short-id.ts";
import type { World } from "../world.ts";

/** The fixed present of the seeded world. */
const EPOCH = new Date("2026-09-01T12:00:00.000Z");

/** A time of the seeded world, in hours before {@link EPOCH}. */
export function hoursBefore(hours: number): string {
  return new Date(EPOCH.getTime() - hours * 3_600_000).toISOString();
}

/** A time of the seeded world, in days before {@link EPOCH}. */
export function daysBefore(days: number): string {
  return hoursBefore(days * 24);
}

/** Project IDs. The main project has installations and no routing; the second has only routing. */
export const PROJECT = { main: "prj_acme0a1b", second: "prj_globex2c" } as const;

const OTHER_ORG = "org_c0ffee42";

export const seedOrgs: World["orgs"] = [
  { id: SANDBOX_DEFAULTS.org, name: "Acme", createTime: daysBefore(420) },
  { id: OTHER_ORG, name: "Globex", createTime: daysBefore(200) },
];

export const seedProjects: World["projects"] = [
  {
    id: PROJECT.main,
    name: SANDBOX_DEFAULTS.project,
    orgId: SANDBOX_DEFAULTS.org,
    createTime: daysBefore(419),
  },
  {
    id: PROJECT.second,
    name: "globex-staging",
    orgId: OTHER_ORG,
    createTime: daysBefore(199),
  },
];

/** Integration IDs by name; all three belong to the main project. */
export const INTEGRATION = {
  "crm-sync": SANDBOX_DEFAULTS.integration,
  "billing-sync": "5b0c9f52-7d1e-4c1b-9a36-2f8e6d40b7a1",
  "support-sync": "e2a7d6c4-08f3-4b59-8c7d-91b5a3f0e6d2",
} as const;

/** A name of {@link INTEGRATION}. */
export type IntegrationName = keyof typeof INTEGRATION;

/** The provider that each integration connects to. */
export const PROVIDER_OF = {
  "crm-sync": "hubspot",
  "billing-sync": "stripe",
  "support-sync": "zendesk",
} as const satisfies Record<IntegrationName, string>;

export const seedIntegrations: World["integrations"] = (
  [
    ["crm-sync", 400],
    ["billing-sync", 240],
    ["support-sync", 120],
  ] as const
).map(([name, age]) => ({
  id: INTEGRATION[name],
  name,
  projectId: PROJECT.main,
  provider: PROVIDER_OF[name],
  createTime: daysBefore(age),
}));

export const seedInvites: World["invites"] = (
  [
    [SANDBOX_DEFAULTS.org, "ada@acme.example", "accepted", 9000],
    [SANDBOX_DEFAULTS.org, "grace@acme.example", "pending", 30],
    [SANDBOX_DEFAULTS.org, "linus@acme.example", "pending", 2],
    [SANDBOX_DEFAULTS.org, "former.colleague@acme.example", "revoked", 2400],
    [SANDBOX_DEFAULTS.org, "never.came@acme.example", "expired", 4800],
    [OTHER_ORG, "hank@globex.example", "pending", 50],
  ] as const
).map(([parentId, invitedEmail, status, age]) => ({
  id: shortId("invites", parentId, invitedEmail),
  invitedEmail,
  parentType: "org" as const,
  parentId,
  status,
  createTime: hoursBefore(age),
}));
