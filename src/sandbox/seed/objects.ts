import type { ReadObject } from "../../api/schemas/installation.ts";
import type { IntegrationName } from "./scopes.ts";

/** Where the reads of the seeded installations go, by name. */
const DESTINATION = "acme-webhook";

/** What each integration can read, the most wanted first. */
const OBJECTS = {
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
 * What an installation reads: the first `count` objects of its integration; the last field of each
 * is known but not selected.
 */
export function readObjects(integration: IntegrationName, count: number) {
  const objects: Record<string, ReadObject> = {};
  for (const [objectName, schedule, fields] of OBJECTS[integration].slice(0, count)) {
    objects[objectName] = {
      objectName,
      schedule,
      destination: DESTINATION,
      selectedFields: Object.fromEntries(
        fields.map((field, at) => [field, at < fields.length - 1]),
      ),
    };
  }
  return objects;
}
