import * as z from "zod";
import type { $ZodType } from "zod/v4/core";
import type { Endpoint } from "../../src/api/operations/endpoint.ts";
import * as endpoints from "../../src/api/operations/endpoints.ts";
import { eventOperations } from "../../src/sandbox/operations/events.ts";
import { inspectingOperations } from "../../src/sandbox/operations/inspecting.ts";
import { projectOperations } from "../../src/sandbox/operations/projects.ts";
import { providerOperations } from "../../src/sandbox/operations/providers.ts";
import { routingOperations } from "../../src/sandbox/operations/routing.ts";
import type { CommandPath } from "../../src/values/command-paths.ts";

/** A command that calls each operation; a test sees it do so. */
export const COMMANDS: Readonly<Record<keyof typeof endpoints, CommandPath>> = {
  listProviderApps: "apps list",
  getProvider: "providers get",
  listInstallations: "installations list",
  revokeInvite: "invites revoke",
  createDestination: "notify destinations create",
  createTopic: "notify topics create",
  createEventRoute: "notify apply",
  createDestinationRoute: "notify apply",
  listProviders: "providers list",
  listProjectInstallations: "installations summary",
  listProjects: "projects list",
  listIntegrations: "integrations list",
  listConnections: "connections list",
  listInvites: "invites list",
  listDestinations: "notify destinations list",
  getDestinationSecrets: "notify destinations secret",
  rotateDestinationSecret: "notify destinations secret",
  listTopics: "notify topics list",
  listEventRoutes: "notify routes list",
  listDestinationRoutes: "notify routes list",
  updateDestination: "notify destinations update",
  updateTopic: "notify topics update",
  deleteDestination: "notify destinations delete",
  deleteTopic: "notify topics delete",
  deleteEventRoute: "notify routes delete",
  deleteDestinationRoute: "notify routes delete",
  getInstallation: "case create",
  updateInstallation: "installations pause",
  listOperations: "installations operations",
  getOperation: "installations logs",
  listOperationLogs: "installations logs",
  getBackfillProgress: "case create",
  triggerEvent: "trigger",
  getSamplePayload: "trigger",
  listDeliveries: "sandbox deliveries",
  redeliver: "trigger",
};

const SERVED = [
  ...projectOperations,
  ...inspectingOperations,
  ...providerOperations,
  ...routingOperations,
  ...eventOperations,
];

const INTRO = `# What amp and its sandbox cover

The sandbox does not run integrations. It connects to no provider, and has no OAuth flow and no proxy;
reads and writes do not happen, and operations and their logs are sample data. It does not create or
delete projects, integrations, provider apps, connections, installations or invites. It delivers to
webhooks only: events for another type of destination go to a file, and data messages occur only when they are
triggered. Its credentials are fixed, may do everything and do not expire; rate limits and outages
are those of a fault script. It does not check what the provider would, such as scopes or the names of
objects and fields.

Generated from the operations of amp and of the sandbox by \`npm run generate\`; do not edit. Of the API,
amp knows these operations and no others. Any path can be requested with \`amp api\`.

- **Source**: the API specification, or only the live platform; \`--spec-only\` leaves the latter out.
- **Sent**: the fields of the query and the body that amp sends; of those that it reads,
  [json.md](json.md) has the names by command. Fields that it does not know are kept, and printed by \`--json\`.`;

/** The page of the operations of the platform, as Markdown. */
export async function coveragePage(): Promise<string> {
  const known = Object.entries(endpoints) as unknown as [keyof typeof endpoints, Endpoint][];
  const served = new Set(SERVED.map(({ route }) => nameless(route)));
  const rows = await Promise.all(
    known.map(async ([name, one]) => [
      `${one.method} ${one.path}`,
      one.path.startsWith("/sandbox/") ? "sandbox" : one.optional ? "platform" : "specification",
      `\`amp ${COMMANDS[name]}\``,
      served.has(nameless(`${one.method} ${one.path}`)) ? "yes" : "no",
      await fieldsOf(one),
    ]),
  );
  const called = new Set(rows.map(([route = ""]) => nameless(route)));
  const others = SERVED.filter(({ route }) => !called.has(nameless(route))).map(({ route }) => [
    ...[route, route.includes(" /sandbox/") ? "sandbox" : "platform", "only `amp api`", "yes", ""],
  ]);
  const table = [["Operation", "Source", "Command", "Sandbox", "Sent"], Array(5).fill("---")];
  const byPath = ([one = ""]: string[], [other = ""]: string[]) =>
    pathOf(one).localeCompare(pathOf(other), "en");
  const lines = [...table, ...[...rows, ...others].sort(byPath)].map(
    (cells) => `| ${cells.join(" | ")} |`,
  );
  return `${INTRO}\n\n${lines.join("\n")}\n`;
}

function pathOf(route: string): string {
  return route.replace(/^(\w+) (.*)/u, "$2 $1");
}

/** A route whose parameters have no names, which client and sandbox choose apart. */
function nameless(route: string): string {
  return route.replaceAll(/\{\w+\}/gu, "{}");
}

async function fieldsOf({ query = [], body }: Endpoint): Promise<string> {
  const { properties = {} } = body ? z.toJSONSchema((await body()) as $ZodType) : {};
  return [...query, ...Object.keys(properties)].join(", ");
}
