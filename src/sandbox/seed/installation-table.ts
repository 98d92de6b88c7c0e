import type { IntegrationName } from "./scopes.ts";

/** The health of an installation; see HEALTH in installations.ts. */
export type SeedHealth = "fine" | "running" | "fresh" | "hiccup" | "failing" | "stuck" | "broken";

/** One installation of the seeded world. */
export type SeedInstallation = readonly [
  /** The builder's reference of the group; `null`: no group. */
  groupRef: string | null,
  groupName: string,
  health: SeedHealth,
  /** The number of objects that it reads; 0: its config has no `read`. */
  reads: number,
  daysSinceInstalled: number,
  /** `null`: the config never changed. */
  hoursSinceChanged: number | null,
  more?: {
    /** Set up by the builder, not by a consumer. */
    readonly byBuilder?: true;
    /** The connection has credentials, as in some responses of the live platform. */
    readonly secrets?: true;
  },
];

const LONG_NAME =
  "The Amalgamated International Holding Company for Precision Instruments, Nautical Supplies " +
  "and Assorted Sundries of Greater Manchester (Northern Division) Ltd.";

/**
 * The installations by integration. Northwind Traders revoked the app's access at their CRM two days
 * ago, so that its reads fail: the case that examples and docs tell of.
 */
export const INSTALLATION_TABLE: Readonly<Record<IntegrationName, readonly SeedInstallation[]>> = {
  "crm-sync": [
    ["northwind", "Northwind Traders", "broken", 3, 212, 700, { secrets: true }],
    ["initech", "Initech", "fine", 3, 390, 48, { secrets: true }],
    ["umbrella", "Umbrella Corp", "fine", 2, 371, 2],
    ["hooli", "Hooli", "running", 3, 366, 1],
    ["stark", "Stark Industries", "fine", 3, 350, 96],
    ["wayne", "Wayne Enterprises", "fine", 2, 333, 1200],
    ["wonka", "Wonka Industries", "hiccup", 3, 301, 30],
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
  "billing-sync": [
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
  "support-sync": [
    ["initech", "Initech", "fine", 2, 118, 77, { secrets: true }],
    ["umbrella", "Umbrella Corp", "fine", 1, 110, null],
    ["wonka", "Wonka Industries", "failing", 2, 96, 15],
    ["tyrell", "Tyrell Corporation", "fine", 2, 81, 31],
    [null, "", "fresh", 0, 3, null],
    ["dunder", "Dunder Mifflin", "running", 2, 44, 6],
    ["cheers", "Cheers", "fine", 1, 29, 11, { byBuilder: true }],
    ["paper-street", "Paper Street Soap Co.", "broken", 1, 17, 60],
  ],
};
