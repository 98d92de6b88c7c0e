import { suggest } from "../../src/values/suggested-command.ts";
import { id, table, time, toned } from "../../src/view/view.ts";

/** An installation as far as these tests look at it. */
export interface Item {
  readonly id: string;
  readonly group?: { readonly groupName: string };
  readonly provider: string;
  readonly healthStatus: "healthy" | "unhealthy";
  readonly updateTime?: string;
}

export const NOW = new Date("2026-08-01T12:00:00Z");

export const ITEMS: readonly Item[] = [
  {
    id: "7f3a9685-9a51-42cc-8662-9d9725b17f14",
    group: { groupName: "Acme Corp International Holdings" },
    provider: "salesforce",
    healthStatus: "healthy",
    updateTime: "2026-08-01T10:00:00Z",
  },
  {
    id: "91c09685-9a51-42cc-8662-9d9725b17f14",
    group: { groupName: "東京ガス株式会社 \u001b[31m" },
    provider: "hubspot",
    healthStatus: "unhealthy",
    updateTime: "2026-07-29T10:00:00Z",
  },
  { id: "02be9685-9a51-42cc-8662-9d9725b17f14", provider: "zendesk", healthStatus: "healthy" },
];

/** The list of screens.md. */
export const VIEW = table<Item>(
  ["installation", "installations"],
  {
    Group: ({ group }) => group?.groupName ?? toned("dim", "(no group)"),
    Provider: "provider",
    Health: ({ healthStatus }) => toned(healthStatus === "healthy" ? "good" : "bad", healthStatus),
    Updated: ({ updateTime }) => time(updateTime),
    ID: (item) => id(item.id),
  },
  {
    tally: { unhealthy: ({ healthStatus }) => healthStatus === "unhealthy" },
    next: suggest("installations get", [{ placeholder: "id" }]),
    whenEmpty: "nobody has installed this integration yet",
  },
);
