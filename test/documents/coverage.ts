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
- **Sent**: the fields of the query and the body that amp sends.
- **Fields**, in the second table: the fields of the response that amp knows, of each record if it is a
  list. Fields that it does not know are kept, and printed by \`--json\`.`;

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
  const head = [["Response", "Fields"], Array(2).fill("---")];
  const all = [
    [...table, ...[...rows, ...others].sort(byPath)],
    [...head, ...(await responses(known.map(([, one]) => one))).sort(byPath)],
  ];
  const tables = all.map((lines) => lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n"));
  return `${[INTRO, ...tables].join("\n\n")}\n`;
}

/** The fields of each response that has some. */
async function responses(all: readonly Endpoint[]): Promise<string[][]> {
  const read = await Promise.all(
    all.map(async ({ method, path, answer }) => {
      const schema = answer && z.toJSONSchema((await answer()) as $ZodType, INPUT);
      return [`${method} ${path}`, schema ? fieldsIn(schema, schema.$defs).join(", ") : ""];
    }),
  );
  const seen = new Map(read.map(([route = "", fields = ""]) => [route, fields]));
  return [...seen].filter(([, fields]) => fields !== "").map((row) => [...row]);
}

const INPUT = { io: "input", unrepresentable: "any" } as const;

type Schema = Pick<z.core.JSONSchema.JSONSchema, "$ref" | "items" | "properties" | "anyOf"> & {
  readonly additionalProperties?: unknown;
};

/** The names of the fields of a record, each with those below it in brackets. */
function fieldsIn(
  { $ref, ...schema }: Schema,
  defs: Readonly<Record<string, unknown>> = {},
): string[] {
  const named = defs[$ref?.replace("#/$defs/", "") ?? ""];
  if (named !== undefined) return fieldsIn(named as Schema, defs);
  const { items, properties, anyOf = [], additionalProperties: each } = schema;
  const inside = [items, ...anyOf, properties === undefined && each].filter(
    (one): one is Schema => typeof one === "object" && one !== null,
  );
  const own = Object.entries(properties ?? {}).map(([name, one]) => {
    const below = fieldsIn(one as Schema, defs);
    return below.length === 0 ? name : `${name} (${below.join(", ")})`;
  });
  return [...new Set([...own, ...inside.flatMap((one) => fieldsIn(one, defs))])];
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
