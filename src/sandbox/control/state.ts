import { EVENT_TYPES } from "../../api/catalogue/events.ts";
import { DATA_MESSAGES } from "../../events/message/payloads.ts";
import type { PageInstallation, PageRouting, PageState } from "../../page/model.ts";
import { RETRY_DELAYS_MS, urlOf } from "../events/delivery.ts";
import { integrationName } from "../events/occurrences.ts";
import { type EventParts, installationSample } from "../operations/events.ts";
import { CAUSES, STORIES, type Story } from "../seed/stories.ts";
import type { World, WorldProject } from "../world.ts";
import { urlWithoutQuery } from "./rows.ts";

/** What can be triggered: event types, and the data messages. */
export const TRIGGERABLE_TYPES: readonly string[] = [...EVENT_TYPES, ...Object.keys(DATA_MESSAGES)];

/** More would make a page slow, and nobody reads them there. */
const MAX_INSTALLATIONS = 2_000;

/** What the page shows of a project, but for its events. */
export function pageState(parts: EventParts, project: WorldProject): PageState {
  const { store, events, now, origin } = parts;
  const { projects } = store.world;
  return {
    kind: "sandbox",
    world: store.world.id ?? "",
    maxAttempts: RETRY_DELAYS_MS.length + 1,
    project: project.name,
    projects: projects.map(({ name }) => name),
    clock: { now: now().toISOString(), timeScale: events.timeScale },
    baseUrl: `${origin}/v1`,
    routing: routingOf(parts, project.id),
    eventTypes: TRIGGERABLE_TYPES.map((type) => ({
      type,
      data: installationSample(parts, { projectId: project.id, type }),
    })),
    installations: installationsOf(store.world, project.id),
    faults: shownFaults(parts),
  };
}

/** The deliveries that are still to fail, with the name of the destination. */
export function shownFaults({
  store,
  events,
}: Pick<EventParts, "store" | "events">): PageState["faults"] {
  return events.faults.map(({ destinationId, ...fault }) => {
    const found = store.world.destinations.find(({ id }) => id === destinationId);
    return { destination: found?.name ?? destinationId, ...fault };
  });
}

function routingOf({ store, events }: EventParts, projectId: string): PageRouting {
  const { world } = store;
  const own = <Each extends { readonly projectId: string }>(list: readonly Each[]) =>
    list.filter((each) => each.projectId === projectId);
  const eventRoutes = own(world.eventRoutes);
  const destinations = own(world.destinations).map((one) => ({
    id: one.id,
    name: one.name,
    type: one.type,
    target: urlWithoutQuery(urlOf(one)),
    state: stateOf(events, one.id),
    failingSince: events.history.failing.get(one.id),
  }));
  return {
    events: [...new Set([...EVENT_TYPES, ...eventRoutes.map(({ eventType }) => eventType)])],
    topics: own(world.topics),
    destinations,
    eventRoutes,
    destinationRoutes: own(world.destinationRoutes),
  };
}

function stateOf({ history }: EventParts["events"], id: string): "active" | "disabled" | "paused" {
  if (history.paused.has(id)) return "paused";
  return history.disabled.has(id) ? "disabled" : "active";
}

const ORDER = ["failing", "attention", "healthy"] as const;

/** The installations, those with problems first. */
function installationsOf(world: World, projectId: string): PageInstallation[] {
  const all = world.installations.filter((each) => each.projectId === projectId);
  const byHealth = Map.groupBy(all, healthOf);
  return ORDER.flatMap((health) => byHealth.get(health) ?? [])
    .slice(0, MAX_INSTALLATIONS)
    .map((one) => pageInstallation(world, one));
}

type Installation = World["installations"][number];

function healthOf({ healthStatus, lastOperationStatus }: Installation): PageInstallation["health"] {
  if (healthStatus === "unhealthy" && lastOperationStatus !== "success") return "failing";
  const isFine = healthStatus !== "unhealthy" && lastOperationStatus !== "failure";
  return isFine ? "healthy" : "attention";
}

function pageInstallation(world: World, installation: Installation): PageInstallation {
  const { id, group, connection } = installation;
  const health = healthOf(installation);
  const owner = group ?? connection.group;
  const { present, stories } = world.activity;
  const { cause, failsFor }: Story = STORIES[stories[id] ?? "fine"];
  const since = Date.parse(present) - (failsFor ?? 0) * 3_600_000;
  return {
    id,
    customer: owner?.groupName ?? owner?.groupRef ?? id,
    integration: integrationName(world, installation),
    provider: connection.provider ?? "",
    health,
    ...(health !== "healthy" &&
      cause && { reason: CAUSES[cause].result, since: new Date(since).toISOString() }),
  };
}
