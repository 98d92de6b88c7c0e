import type { SeedInstallation, SeedIntegration } from "./installation-table.ts";
import type { IntegrationRecord } from "./world.ts";

/** The read of an object whose destination does not exist. */
const LOST = { story: "destinationMissing", read: { destination: "acme-legacy" } } as const;
/** Reads on a day that never comes. */
const NEVER = { story: "unused", read: { schedule: "0 0 30 2 *" } } as const;
const ALL_ACTIONS = {
  read: { selectedFieldsAuto: "all" },
  content: {
    write: { objects: { contacts: { objectName: "contacts" } } },
    subscribe: { objects: { deals: { objectName: "deals", destination: "acme-webhook" } } },
    proxy: { enabled: true },
  },
};

/**
 * Further installations of the integrations of the seeded world: one for each kind of trouble that
 * concerns a single customer.
 */
export const TROUBLES: Readonly<Record<string, readonly SeedInstallation[]>> = {
  "crm-sync": [
    // The config changed shortly before the reads began to fail.
    ["aperture", "Aperture Science", "failing", 3, 150, 75.03, { story: "timedOut" }],
    ["black-mesa", "Black Mesa", "recovering", 3, 120, 400],
    ["gekko", "Gekko & Co", "running", 2, 80, 300, { story: "retrying" }],
    ["sirius", "Sirius Cybernetics", "failing", 3, 70, 30.2, LOST],
    ["weyland", "Weyland-Yutani", "fine", 3, 60, 36, { story: "paused", read: { disabled: true } }],
    ["nakatomi", "Nakatomi", "fine", 1, 50, null, NEVER],
    ["monsters", "Monsters, Inc.", "fine", 0, 40, null],
    ["virtucon", "Virtucon", "fine", 2, 30, 90, ALL_ACTIONS],
  ],
  "billing-sync": [["rekall", "Rekall", "failing", 2, 45, 200, { story: "rateLimited" }]],
};

/** The names of the groups of an integration whose installations differ in nothing else. */
function alike(
  refs: readonly string[],
  health: SeedInstallation[2],
  more: SeedInstallation[6] = {},
): SeedInstallation[] {
  return refs.map((ref, at) => {
    const name = ref.replaceAll(/(?:^|-)(.)/gu, (_, letter: string) => ` ${letter.toUpperCase()}`);
    return [ref, name.trim(), health, 1, 40 + at, 300 + at, more];
  });
}

/** An integration that only a large world has, with its record. */
interface LargeIntegration {
  readonly record: IntegrationRecord;
  readonly seed: SeedIntegration;
}

function integration(
  id: string,
  name: string,
  provider: string,
  seed: SeedIntegration,
): LargeIntegration {
  const createTime = "2026-03-02T12:00:00.000Z";
  return { record: { id, name, projectId: "prj_acme0a1b", provider, createTime }, seed };
}

const MONITORS: SeedIntegration["objects"] = [["monitors", "*/10 * * * *", "name", "state"]];
const INCIDENTS: SeedIntegration["objects"] = [["incidents", "*/10 * * * *", "title", "severity"]];
const POSTS: SeedIntegration["objects"] = [
  ["posts", "*/30 * * * *", "title", "slug", "deal_stage_x"],
];
const RATES: SeedIntegration["objects"] = [["rates", "0 * * * *", "base", "date"]];

/**
 * The integrations that only a large world has. Two of one provider fail together, one fails for
 * all of its customers, and in one a single customer fails.
 */
export const LARGE_INTEGRATIONS: readonly LargeIntegration[] = [
  integration("8f1c2a64-3b7d-4e15-9c02-6d5a8e4f7b10", "monitor-sync", "datadog", {
    authScheme: "apiKey",
    objects: MONITORS,
    installations: [
      ...alike(["hal-labs", "skynet", "omni-consumer"], "failing", { story: "providerDown" }),
      ...alike(["biffco"], "fine"),
    ],
  }),
  integration("c47e90d1-5a28-4f63-8b9e-1f0d7c3a2e54", "incident-sync", "datadog", {
    authScheme: "apiKey",
    objects: INCIDENTS,
    installations: [
      ...alike(["globodyne", "skynet"], "failing", { story: "providerDown" }),
      ...alike(["kramerica"], "fine"),
    ],
  }),
  integration("2d6b8f03-94ae-4c7d-a1f5-70e3b9c85d26", "content-sync", "ghost", {
    authScheme: "apiKey",
    objects: POSTS,
    installations: [
      ...alike(["daily-planet"], "failing", { story: "unreadable" }),
      ...alike(["daily-bugle", "ghost-writers", "post-office"], "fine"),
      ...alike(["sun-times"], "fine", { story: "silent" }),
    ],
  }),
  integration("71f0c5e8-2b49-4d3a-96e7-a8c41d5f0b93", "rates-sync", "frankfurter", {
    authScheme: "none",
    objects: RATES,
    installations: alike(["iron-bank", "scrooge-trust", "fredrickson"], "failing", {
      story: "scope",
    }),
  }),
];
