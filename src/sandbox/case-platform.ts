import type { EventData } from "../events/message/payloads.ts";
import { SANDBOX_API_KEY, SANDBOX_DEFAULTS } from "./defaults.ts";
import { type AttemptRecord, RETRY_DELAYS_MS } from "./events/delivery.ts";
import { sampleData } from "./events/occurrences.ts";
import { createSandbox } from "./sandbox.ts";
import { SEED_WORLD } from "./seed/world.ts";
import type { World } from "./world.ts";

/** Longer than all schedules: a webhook is disabled after 5 days, and the event may disable another. */
const PASSES_MS = 365 * 24 * 3_600_000;

const UNROUTED: World = {
  ...SEED_WORLD,
  destinations: [],
  topics: [],
  eventRoutes: [],
  destinationRoutes: [],
};

/**
 * A platform in this process for one case of a routing's test: it has sample customers and no
 * routing, and delivers to this machine alone.
 */
export function createCasePlatform({
  now,
  readDestination,
  foreignNames,
}: {
  readonly now: () => Date;
  /** The destination that the reads of customers name; absent: as in the sample. */
  readonly readDestination?: string | undefined;
  /** Names and event types of the service that no rule applies to. */
  readonly foreignNames?: ReadonlySet<string> | undefined;
}) {
  const attempts: AttemptRecord[] = [];
  const state = readDestination === undefined ? UNROUTED : withReadsTo(UNROUTED, readDestination);
  const sandbox = createSandbox({
    now,
    state,
    foreignNames,
    events: {
      onAttempt: (attempt) => attempts.push(attempt),
      append: async () => {},
    },
  });
  const projectId = state.projects.find(({ name }) => name === SANDBOX_DEFAULTS.project)?.id ?? "";
  return {
    project: SANDBOX_DEFAULTS.project,
    call: async (method: string, path: string, body?: unknown) => {
      const response = await sandbox.fetch(
        new Request(`http://127.0.0.1/v1${path}`, {
          method,
          headers: { "x-api-key": SANDBOX_API_KEY, "content-type": "application/json" },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
      );
      return { status: response.status, body: (await response.json()) as unknown };
    },
    occur: async (type: string, fields: Readonly<Record<string, unknown>>) => {
      const data = { ...sampleOf(sandbox.world, projectId, type, fields, now()), ...fields };
      return (await sandbox.events.occur({ projectId, type, data })).eventIds;
    },
    settled: () => sandbox.events.forward(PASSES_MS),
    attempts,
    isDisabled: (destinationId: string) => sandbox.events.history.disabled.has(destinationId),
    waitBefore: (attempt: number) =>
      RETRY_DELAYS_MS.slice(0, attempt - 1).reduce((sum, delay) => sum + delay, 0),
    close: () => sandbox.events.close(),
  };
}

/** The fields of an event, from the installation that fits the given fields best. */
function sampleOf(
  world: World,
  projectId: string,
  type: string,
  fields: Readonly<Record<string, unknown>>,
  time: Date,
): EventData {
  const installations = world.installations.filter((each) => each.projectId === projectId);
  const fits = ({ id, connection, group }: World["installations"][number]) =>
    Number(id === fields.installationId) +
    Number(connection.provider === fields.provider) +
    Number(group?.groupRef === fields.groupRef);
  const [installation] = installations.toSorted((a, b) => fits(b) - fits(a));
  if (installation === undefined) throw new Error("the sample project has no installation");
  return sampleData(world, installation, type, time);
}

function withReadsTo(world: World, destination: string): World {
  const installations = world.installations.map((installation) => {
    const { config } = installation;
    const objects = Object.entries(config.content?.read?.objects ?? {}).map(
      ([name, settings]) => [name, { ...settings, destination }] as const,
    );
    if (objects.length === 0) return installation;
    const content = { ...config.content, read: { objects: Object.fromEntries(objects) } };
    return { ...installation, config: { ...config, content } };
  });
  return { ...world, installations };
}
