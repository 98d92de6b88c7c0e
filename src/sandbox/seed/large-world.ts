import { LEAST_INSTALLATIONS } from "../defaults.ts";
import type { World } from "../world.ts";
import {
  INTEGRATIONS,
  type IntegrationName,
  type IntegrationRecord,
  installationOf,
  SEED_WORLD,
  type SeedInstallation,
  type SeedIntegration,
  storyEntry,
  withRevision,
} from "./world.ts";

/** The event type that a large world does not route: nobody is notified of paused reads. */
const UNROUTED_EVENT = "read.schedule.paused";

/** An integration with the installations that a large world adds to it. */
interface Part {
  readonly record: IntegrationRecord;
  readonly seed: SeedIntegration;
  readonly rows: SeedInstallation[];
}

/**
 * A world of many installations over seven integrations: those of the seeded world, one for each
 * kind of trouble, and as many more as requested, one in ten of them with a problem. Equal counts
 * give equal worlds, and the ID of an installation does not depend on the count.
 * @param count at least {@link LEAST_INSTALLATIONS}
 */
export function largeWorld(count: number): World {
  const all = parts();
  const byName = new Map(all.map((part) => [part.record.name, part]));
  const further = count - SEED_WORLD.installations.length - all.flatMap(({ rows }) => rows).length;
  for (let at = 0; at < further; at++) {
    byName.get(integrationAt(at))?.rows.push(customer(at));
  }
  const added = all.flatMap(({ record, seed, rows }) =>
    rows.map((row) => [installationOf(record, seed, row), storyEntry(record.name, row)] as const),
  );
  const stories = Object.fromEntries(added.map(([, entry]) => entry));
  const { activity } = SEED_WORLD;
  return {
    ...SEED_WORLD,
    integrations: [
      ...SEED_WORLD.integrations,
      ...LARGE_INTEGRATIONS.map(({ record, seed }) => withRevision(record, seed)),
    ],
    installations: [...SEED_WORLD.installations, ...added.map(([installation]) => installation)],
    eventRoutes: SEED_WORLD.eventRoutes.filter(({ eventType }) => eventType !== UNROUTED_EVENT),
    activity: { ...activity, stories: { ...activity.stories, ...stories } },
  };
}

function parts(): Part[] {
  return [
    ...SEED_WORLD.integrations.map((record) => ({
      record,
      seed: INTEGRATIONS[record.name as IntegrationName],
      rows: [...(TROUBLES[record.name as IntegrationName] ?? [])],
    })),
    ...LARGE_INTEGRATIONS.map((one) => ({ ...one, rows: [...one.seed.installations] })),
  ];
}

/** The integrations of twenty customers, one after the other. */
const SHARES = [
  ...Array.from({ length: 10 }, () => "crm-sync"),
  ...Array.from({ length: 5 }, () => "billing-sync"),
  ...Array.from({ length: 3 }, () => "support-sync"),
  "content-sync",
  "monitor-sync",
];

function integrationAt(at: number): string {
  return SHARES[at % SHARES.length] ?? "crm-sync";
}

/** The troubles of the customers that have one; twenty more have none. */
const CUSTOMER_TROUBLES: readonly Row[] = [
  { health: "failing", more: { story: "field" } },
  { health: "broken", more: {} },
  { health: "fine", more: { story: "paused", read: { disabled: true } } },
  { health: "failing", more: { story: "rateLimited" } },
  { health: "stuck", more: {} },
  { health: "hiccup", more: {} },
  { health: "recovering", more: {} },
];

interface Row {
  readonly health: SeedInstallation[2];
  readonly more: NonNullable<SeedInstallation[6]>;
}

const FIRST = ["Northern", "Blue", "Grand", "Silver", "Eastern", "United", "Alpine", "Golden"];
const SECOND = ["Harbor", "Ridge", "Kestrel", "Meadow", "Granite", "Cedar", "Beacon"];
const THIRD = ["Foods", "Logistics", "Partners", "Energy", "Travel"];
const LEGAL = ["Ltd", "GmbH", "Inc.", "SA", "株式会社"];

/** A customer of a large world; all of it follows from the position. */
function customer(at: number): SeedInstallation {
  const pick = (words: readonly string[], by: number) => words[Math.floor(at / by) % words.length];
  const name = [pick(FIRST, 1), pick(SECOND, 3), pick(THIRD, 11), pick(LEGAL, 7)].join(" ");
  const integration = integrationAt(at);
  const { health, more } = stateAt(at, integration);
  // Two in seven customers have never changed their config.
  const changed = at % 7 < 2 ? null : 1 + ((at * 13) % 700);
  return [`c${at + 1}`, `${name} ${at + 1}`, health, 1 + (at % 3), 30 + (at % 300), changed, more];
}

function stateAt(at: number, integration: string): Row {
  const none: Row = { health: at % 23 === 0 ? "running" : "fine", more: {} };
  if (integration === "content-sync") return { health: "fine", more: {} };
  if (integration === "monitor-sync") {
    const isDown = Math.floor(at / SHARES.length) % 5 < 3;
    return isDown ? { health: "failing", more: { story: "providerDown" } } : none;
  }
  return at % 10 === 3
    ? (CUSTOMER_TROUBLES[Math.floor(at / 10) % CUSTOMER_TROUBLES.length] ?? none)
    : none;
}

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
const TROUBLES: Readonly<Record<string, readonly SeedInstallation[]>> = {
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
const LARGE_INTEGRATIONS: readonly LargeIntegration[] = [
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
