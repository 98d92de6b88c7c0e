import type { World } from "../world.ts";
import type { StoryName } from "./stories.ts";
import {
  INTEGRATIONS,
  type IntegrationName,
  SEED_WORLD,
  type SeedInstallation,
  type SeedPart,
  worldPart,
} from "./world.ts";

/** The event type that a large world does not route: nobody is notified of paused reads. */
const UNROUTED_EVENT = "read.schedule.paused";

/**
 * A world of many installations over seven integrations: those of the seeded world, one for each
 * kind of trouble, and as many more as requested, one in ten of them with a problem. Equal counts
 * give equal worlds, and the ID of an installation does not depend on the count.
 * @param count at least `LEAST_INSTALLATIONS`
 */
export function largeWorld(count: number): World {
  const known: SeedPart[] = SEED_WORLD.integrations.map((record) => {
    const seed = INTEGRATIONS[record.name as IntegrationName];
    return { record, seed: { ...seed, installations: TROUBLES[record.name] ?? [] } };
  });
  const all = [...known, ...LARGE_INTEGRATIONS];
  const named = all.flatMap(({ seed }) => seed.installations).length;
  const further = Array.from(
    { length: count - SEED_WORLD.installations.length - named },
    (_, at) => at,
  );
  const customers = Map.groupBy(further, integrationAt);
  const added = worldPart(
    all.map(({ record, seed }) => {
      const more = (customers.get(record.name) ?? []).map(customer);
      return { record, seed: { ...seed, installations: [...seed.installations, ...more] } };
    }),
  );
  const { activity, eventRoutes } = SEED_WORLD;
  return {
    ...SEED_WORLD,
    integrations: [...SEED_WORLD.integrations, ...added.integrations.slice(known.length)],
    installations: [...SEED_WORLD.installations, ...added.installations],
    eventRoutes: eventRoutes.filter(({ eventType }) => eventType !== UNROUTED_EVENT),
    activity: { ...activity, stories: { ...activity.stories, ...added.stories } },
  };
}

/** The integrations of twenty customers, each up to a place; the last one has another. */
const TURN = 20;
const ENDS = { "crm-sync": 10, "billing-sync": 15, "support-sync": 18, "content-sync": 19 };

function integrationAt(at: number): string {
  return Object.entries(ENDS).find(([, end]) => at % TURN < end)?.[0] ?? "monitor-sync";
}

type Row = readonly [health: SeedInstallation[2], more?: SeedInstallation[6]];

const CUSTOMER_TROUBLES: readonly Row[] = [
  ["failing", { story: "field" }],
  ["broken"],
  ["fine", { story: "paused", read: { disabled: true } }],
  ["failing", { story: "rateLimited" }],
  ["stuck"],
  ["hiccup"],
  ["recovering"],
];

const FIRST = ["Northern", "Blue", "Grand", "Silver", "Eastern", "United", "Alpine", "Golden"];
const SECOND = ["Harbor", "Ridge", "Kestrel", "Meadow", "Granite", "Cedar", "Beacon"];
const THIRD = ["Foods", "Logistics", "Partners", "Energy", "Travel"];
const LEGAL = ["Ltd", "GmbH", "Inc.", "SA", "株式会社"];

/** A customer of a large world; all of it follows from the position. */
function customer(at: number): SeedInstallation {
  const pick = (words: readonly string[], by: number) => words[Math.floor(at / by) % words.length];
  const name = [pick(FIRST, 1), pick(SECOND, 3), pick(THIRD, 11), pick(LEGAL, 7)].join(" ");
  const [health, more = {}] = stateAt(at);
  // Two in seven customers have never changed their config.
  const changed = at % 7 < 2 ? null : 1 + ((at * 13) % 700);
  return [`c${at + 1}`, `${name} ${at + 1}`, health, 1 + (at % 3), 30 + (at % 300), changed, more];
}

function stateAt(at: number): Row {
  const none: Row = at % 23 === 0 ? ["running"] : ["fine"];
  const integration = integrationAt(at);
  if (integration === "content-sync") return ["fine"];
  const isTroubled = at % 10 === 3;
  if (integration !== "monitor-sync")
    return (isTroubled && CUSTOMER_TROUBLES[Math.floor(at / 10) % 7]) || none;
  return Math.floor(at / TURN) % 5 < 3 ? ["failing", { story: "providerDown" }] : none;
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

/** The groups of an integration that differ in nothing but their name, by what happened to them. */
type Groups = Readonly<Partial<Record<StoryName, string>>>;

/** An integration that only a large world has, which reads one object. */
function integration(
  id: string,
  [name, provider, authScheme]: readonly [name: string, provider: string, authScheme: string],
  object: SeedPart["seed"]["objects"][number],
  groups: Groups,
): SeedPart {
  const createTime = "2026-03-02T12:00:00.000Z";
  const installations = Object.entries(groups).flatMap(([story, names]) => {
    const health = ["fine", "silent"].includes(story) ? "fine" : "failing";
    return names.split(", ").map((group, at): SeedInstallation => {
      const ref = group.toLowerCase().replaceAll(" ", "-");
      return [ref, group, health, 1, 40 + at, 300 + at, { story: story as StoryName }];
    });
  });
  return {
    record: { id, name, projectId: "prj_acme0a1b", provider, createTime },
    seed: { authScheme, objects: [object], installations },
  };
}

/**
 * The integrations that only a large world has. Two of one provider fail together, one fails for
 * all of its customers, and in one a single customer fails.
 */
const LARGE_INTEGRATIONS: readonly SeedPart[] = [
  integration(
    "8f1c2a64-3b7d-4e15-9c02-6d5a8e4f7b10",
    ["monitor-sync", "datadog", "apiKey"],
    ["monitors", "*/10 * * * *", "name", "state"],
    { providerDown: "Hal Labs, Skynet, Omni Consumer", fine: "Biffco" },
  ),
  integration(
    "c47e90d1-5a28-4f63-8b9e-1f0d7c3a2e54",
    ["incident-sync", "datadog", "apiKey"],
    ["incidents", "*/10 * * * *", "title", "severity"],
    { providerDown: "Globodyne, Skynet", fine: "Kramerica" },
  ),
  integration(
    "2d6b8f03-94ae-4c7d-a1f5-70e3b9c85d26",
    ["content-sync", "ghost", "apiKey"],
    ["posts", "*/30 * * * *", "title", "slug", "deal_stage_x"],
    {
      unreadable: "Daily Planet",
      fine: "Daily Bugle, Ghost Writers, Post Office",
      silent: "Sun Times",
    },
  ),
  integration(
    "71f0c5e8-2b49-4d3a-96e7-a8c41d5f0b93",
    ["rates-sync", "frankfurter", "none"],
    ["rates", "0 * * * *", "base", "date"],
    { scope: "Iron Bank, Scrooge Trust, Fredrickson" },
  ),
];
